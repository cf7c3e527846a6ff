internal import JSON

/// Picks parameters out of payloads, one payload after the other. What is no JSON object has none.
struct PayloadMembers {
    private var members: [JSONMember] = []
    private static let limits = JSONLimits(
        maximumBytes: 64 << 20, maximumMembers: JSONLimits.payload.maximumMembers)

    /// Calls `body` with each top-level member that has one of these names: with its name, and with the text of its
    /// string or else its JSON text. Where a name comes twice, the last one counts.
    mutating func forEach(
        of names: Set<[UInt8]>, in payload: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        guard JSONScanner.scanObject(payload, limits: Self.limits, into: &members) == nil else { return }
        var met: Set<[UInt8]> = []
        for member in members.reversed() {
            Self.withText(payload[member.key], hasEscapes: member.keyHasEscapes) { name in
                let bytes = Array(name)
                guard names.contains(bytes), met.insert(bytes).inserted else { return }
                switch member.kind {
                case .string(let hasEscapes):
                    let content = payload[member.value.lowerBound + 1..<member.value.upperBound - 1]
                    Self.withText(content, hasEscapes: hasEscapes) { body(name, $0) }
                default: body(name, UnsafeRawBufferPointer(rebasing: payload[member.value]))
                }
            }
        }
    }

    private static func withText(
        _ text: Slice<UnsafeRawBufferPointer>, hasEscapes: Bool, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        let text = UnsafeRawBufferPointer(rebasing: text)
        if hasEscapes { JSONScanner.unescape(text).withUnsafeBytes(body) } else { body(text) }
    }
}
