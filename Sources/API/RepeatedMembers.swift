import JSON
import Model

/// The JSON that event lines of the same sender, or of the same kind, have in common. It is written once and then
/// copied. Events of one page share the objects for their sender and kind.
package struct RepeatedMembers: Sendable {
    private struct Sender {
        /// Retained, since another object could get the address of a released one.
        var origin: Origin
        var members: [UInt8]
    }

    private struct Kind {
        var kind: EventKind
        var resolution: Resolution
        var members: [UInt8]
    }

    /// A cache of fixed size: the address of an object gives its slot, and a new object replaces the one in its slot.
    private var senders: [Sender?] = []
    private var kinds: [Kind?] = []
    private static let capacity = 256

    package init() {}

    private static func place(of object: AnyObject) -> Int {
        // Addresses of objects differ by at least 16 bytes, and those of these objects by about 128.
        let address = UInt(bitPattern: ObjectIdentifier(object))
        return Int((address >> 4 ^ address >> 12) % UInt(capacity))
    }

    mutating func members(of origin: Origin) -> [UInt8] {
        if senders.isEmpty { senders = Array(repeating: nil, count: Self.capacity) }
        let place = Self.place(of: origin)
        if let known = senders[place], known.origin === origin { return known.members }
        var json = JSONWriter()
        json.append(origin)
        senders[place] = Sender(origin: origin, members: json.bytes)
        return json.bytes
    }

    mutating func members(of kind: EventKind, _ resolution: Resolution) -> [UInt8] {
        if kinds.isEmpty { kinds = Array(repeating: nil, count: Self.capacity) }
        let place = Self.place(of: kind)
        if let known = kinds[place], known.kind === kind, known.resolution == resolution { return known.members }
        var json = JSONWriter()
        json.append(kind, resolution)
        kinds[place] = Kind(kind: kind, resolution: resolution, members: json.bytes)
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ origin: Origin) {
        key("boot_id")
        ascii(count: 32) { $0.put(origin.bootID) }
        for field in SenderField.allCases {
            guard let value = origin[field] else { continue }
            key(field.name)
            switch field.type {
            case .text: string(value)
            case .number: raw(value.utf8)
            }
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
