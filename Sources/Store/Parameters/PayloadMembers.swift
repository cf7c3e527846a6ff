internal import JSON

/// The top-level members of payloads, one payload after the other. What is no JSON object has none.
struct PayloadMembers {
    private var members: [JSONMember] = []
    private static let limits = JSONLimits(maximumBytes: 64 << 20)

    /// Calls `body` with each member's key and value: the text of a string, or else the JSON text.
    mutating func forEach(
        in payload: UnsafeRawBufferPointer,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        guard JSONScanner.scanObject(payload, limits: Self.limits, into: &members) == nil else { return }
        for member in members {
            Self.withText(payload[member.key], hasEscapes: member.keyHasEscapes) { key in
                switch member.kind {
                case .string(let hasEscapes):
                    let content = payload[member.value.lowerBound + 1..<member.value.upperBound - 1]
                    Self.withText(content, hasEscapes: hasEscapes) { body(key, $0) }
                default: body(key, UnsafeRawBufferPointer(rebasing: payload[member.value]))
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
