extension JSONScanner {
    /// Finds members at any depth within a value, such as those of the objects in a list.
    ///
    /// - Parameters:
    ///   - range: a valid value within `bytes`.
    ///   - match: called with the text of each key, in order; returns `nil` when the member is not wanted.
    ///   - body: called with each match and the member's value. It does not search within that value.
    /// - Throws: when `range` is not a valid value; then some members may not have been found.
    package static func forEachNestedMember<Match>(
        of bytes: UnsafeRawBufferPointer, in range: Range<Int>, matching match: (UnsafeRawBufferPointer) -> Match?,
        _ body: (Match, JSONElement) -> Void
    ) throws(JSONError) {
        guard let base = bytes.baseAddress else { return }
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range is within the bytes")
        var reader = JSONReader(
            bytes: base.assumingMemoryBound(to: UInt8.self), in: range, limits: JSONLimits(maximumDepth: .max))
        while let byte = reader.nextToken() {
            guard byte == UInt8(ascii: "\"") else {
                reader.at += 1
                continue
            }
            let start = reader.at + 1
            let hasEscapes = try reader.string()
            let content = UnsafeRawBufferPointer(rebasing: bytes[start..<reader.at - 1])
            // In valid JSON, only a key is followed by a colon.
            guard reader.nextToken() == UInt8(ascii: ":") else { continue }
            reader.at += 1
            if let found = hasEscapes ? unescape(content).withUnsafeBytes(match) : match(content) {
                body(found, try reader.value(depth: 0))
            }
        }
    }
}

/// A stack that knows which of the open containers are objects and which are arrays. It has one bit for each, so that
/// neither recursion nor, up to a depth of 64, an allocation is needed.
struct NestingStack {
    private(set) var depth = 0
    private var bits: UInt64 = 0
    private var full: [UInt64] = []

    var innermostIsObject: Bool { bits & 1 == 1 }

    mutating func push(isObject: Bool) {
        if depth > 0, depth % 64 == 0 { full.append(bits) }
        bits = bits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    mutating func pop() {
        depth -= 1
        bits >>= 1
        if depth > 0, depth % 64 == 0, let below = full.popLast() { bits = below }
    }
}
