import JSON
import Model

/// What event lines have in common that are of one sender, or of one kind: JSON that is written once and copied from then
/// on. Events of one page share the objects that say so.
package struct RepeatedMembers: Sendable {
    private struct Kind: Hashable {
        var kind: ObjectIdentifier
        var resolution: Resolution
    }

    /// Of each; more are forgotten, as senders and payloads make up more.
    private static let capacity = 256

    /// The objects are held: another one could have the address of one that is gone.
    private var senders: [ObjectIdentifier: (object: Origin, members: [UInt8])] = [:]
    private var kinds: [Kind: (object: EventKind, members: [UInt8])] = [:]

    package init() {}

    mutating func members(of origin: Origin) -> [UInt8] {
        if let known = senders[ObjectIdentifier(origin)] { return known.members }
        var json = JSONWriter()
        json.append(origin)
        if senders.count >= Self.capacity { senders.removeAll(keepingCapacity: true) }
        senders[ObjectIdentifier(origin)] = (origin, json.bytes)
        return json.bytes
    }

    mutating func members(of kind: EventKind, _ resolution: Resolution) -> [UInt8] {
        let place = Kind(kind: ObjectIdentifier(kind), resolution: resolution)
        if let known = kinds[place] { return known.members }
        var json = JSONWriter()
        json.append(kind, resolution)
        if kinds.count >= Self.capacity { kinds.removeAll(keepingCapacity: true) }
        kinds[place] = (kind, json.bytes)
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ origin: Origin) {
        key("boot_id")
        ascii(count: 32) { $0.put(origin.bootID) }
        key("host")
        string(origin.host)
        key("subsystem")
        string(origin.subsystem)
        key("category")
        string(origin.category)
        if let identifier = origin.identifier {
            key("identifier")
            string(identifier)
        }
        if let unit = origin.unit {
            key("unit")
            string(unit)
        }
        if let uid = origin.processUID {
            key("process_uid")
            integer(uid)
        }
    }

    fileprivate mutating func append(_ kind: EventKind, _ resolution: Resolution) {
        if let eventKey = kind.key {
            key("event")
            beginObject()
            key("category")
            string(eventKey.category)
            key("name")
            string(eventKey.name)
            endObject()
        }
        if let dictionary = kind.dictionary {
            key("dictionary")
            string(dictionary)
        }
        if let version = kind.definitionsVersion, !version.isEmpty {
            key("definitions_version")
            string(version)
        }
        key("resolution")
        string(resolution.rawValue)
    }
}
