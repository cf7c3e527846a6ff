import JSON
import Model

/// Where the members that event lines of the same sender, or of the same kind, have in common were written last: they are copied
/// from there. Events of one block share the objects for their sender and kind.
///
/// It belongs to one output, of which nothing is changed or removed without `forget`.
package struct RepeatedMembers: Sendable {
    /// Those that lines have.
    let members: LineMembers
    /// The number of the current output.
    private var output = 0
    private var origins = Places<Origin>()
    private var kinds = Places<EventKind>()

    package init(_ members: LineMembers = .all) {
        self.members = members
    }

    /// Call it when the output was removed.
    mutating func forget() { output += 1 }

    mutating func append(_ origin: Origin, to json: inout JSONWriter) {
        origins.append(origin, of: output, to: &json) { [members] in $0.append(origin, members) }
    }

    mutating func append(_ kind: EventKind, to json: inout JSONWriter) {
        kinds.append(kind, of: output, to: &json) { [members] in $0.append(kind, members) }
    }
}

/// A cache of fixed size: the address of an object gives its slot, and a new object replaces the one in its slot.
private struct Places<Object: AnyObject & Sendable>: Sendable {
    private struct Place {
        /// Retained, since another object could get the address of a released one.
        var object: Object
        var output: Int
        var range: Range<Int>
    }

    private var places: [Place?] = []
    private static var capacity: Int { 512 }

    private static func slot(of object: Object) -> Int {
        // Addresses of objects differ by at least 16 bytes, and those of these objects by about 128.
        let address = UInt(bitPattern: ObjectIdentifier(object))
        return Int((address >> 4 ^ address >> 13) % UInt(capacity))
    }

    /// - Parameter write: writes members, which follow others.
    @inline(__always)
    mutating func append(
        _ object: Object, of output: Int, to json: inout JSONWriter, _ write: (inout JSONWriter) -> Void
    ) {
        if places.isEmpty { places = Array(repeating: nil, count: Self.capacity) }
        let slot = Self.slot(of: object)
        if let known = places[slot], known.object === object, known.output == output {
            return json.again(known.range)
        }
        let start = json.bytes.count
        write(&json)
        places[slot] = Place(object: object, output: output, range: start..<json.bytes.count)
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ origin: Origin, _ members: LineMembers) {
        if members.contains(.bootID) {
            key("boot_id")
            ascii(count: 32) { $0.put(origin.bootID) }
        }
        for field in SenderField.allCases where members.contains(WireKey.senderFields[field.place].key) {
            guard let value = origin[field] else { continue }
            key(field.name)
            switch field.type {
            case .text: string(value)
            case .number: raw(value.utf8)
            }
        }
    }

    fileprivate mutating func append(_ kind: EventKind, _ members: LineMembers) {
        if let eventKey = kind.key, members.contains(.event) {
            key("event")
            beginObject()
            member("category", eventKey.category)
            member("name", eventKey.name)
            endObject()
        }
        if let dictionary = kind.dictionary, members.contains(.dictionary) {
            member("dictionary", dictionary)
        }
        if let version = kind.definitionsVersion, !version.isEmpty, members.contains(.definitionsVersion) {
            member("definitions_version", version)
        }
    }
}
