internal import JSON

/// Goes through the parameters of a payload by a look at all of it: what columns have of most payloads, and of some not.
enum PayloadParameters {
    private static let limits = JSONLimits(
        maximumBytes: 1 << 30, maximumMembers: JSONLimits.payload.maximumMembers)

    /// Calls `body` with each parameter: its name, with dots before the names of what is nested, and the text of its
    /// string, or else its JSON text. Of a key that comes twice in an object the last one counts. What is no JSON object has
    /// none.
    static func forEach(
        in payload: UnsafeRawBufferPointer, _ body: (_ name: [UInt8], _ value: UnsafeRawBufferPointer) -> Void
    ) {
        forEach(in: payload, below: [], body)
    }

    private static func forEach(
        in object: UnsafeRawBufferPointer, below prefix: [UInt8],
        _ body: (_ name: [UInt8], _ value: UnsafeRawBufferPointer) -> Void
    ) {
        var members: [JSONMember] = []
        guard JSONScanner.scanObject(object, limits: limits, into: &members) == nil else { return }
        var met: Set<[UInt8]> = []
        for member in members.reversed() {
            let name = prefix + text(object[member.key], hasEscapes: member.keyHasEscapes)
            guard met.insert(name).inserted else { continue }
            let value = UnsafeRawBufferPointer(rebasing: object[member.value])
            switch member.kind {
            case .string(hasEscapes: true):
                text(object[member.content], hasEscapes: true).withUnsafeBytes { body(name, $0) }
            case .string: body(name, UnsafeRawBufferPointer(rebasing: object[member.content]))
            case .object:
                body(name, value)
                forEach(in: value, below: name + [UInt8(ascii: ".")], body)
            case .array, .number, .true, .false, .null: body(name, value)
            }
        }
    }

    private static func text(_ written: Slice<UnsafeRawBufferPointer>, hasEscapes: Bool) -> [UInt8] {
        hasEscapes ? JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: written)) : Array(written)
    }
}
