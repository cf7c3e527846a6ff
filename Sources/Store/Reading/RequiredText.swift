/// Finds texts that are in every match of a regular expression, so that events without them need not be searched.
///
/// It reads only what is certain: characters that stand for themselves, outside of groups. Anything else ends a text.
struct RequiredText {
    private let pattern: [UInt8]
    private let ignoresCase: Bool
    private var at = 0
    private var current: [UInt8] = []
    private var found: [[UInt8]] = []

    /// Shorter texts are in too many events.
    private static let shortest = 3
    /// Each is searched for in all events of a block.
    private static let most = 4

    private init(_ pattern: [UInt8], ignoresCase: Bool) { (self.pattern, self.ignoresCase) = (pattern, ignoresCase) }

    /// - Returns: the longest ones, none if nothing is certain.
    static func find(in pattern: String, ignoresCase: Bool) -> [Literal] {
        var reader = RequiredText(Array(pattern.utf8), ignoresCase: ignoresCase)
        guard reader.read() else { return [] }
        return reader.found.sorted { $0.count > $1.count }.prefix(most).map { Literal($0, ignoresCase: ignoresCase) }
    }

    /// - Returns: `false` if nothing is certain.
    private mutating func read() -> Bool {
        while at < pattern.count {
            let byte = pattern[at]
            switch byte {
            case UInt8(ascii: "|"): return false
            case UInt8(ascii: "("):
                end()
                guard skipGroup() else { return false }
            case UInt8(ascii: "["):
                end()
                guard skipClass() else { return false }
            case UInt8(ascii: "\\"):
                guard at + 1 < pattern.count else { return false }
                let escaped = pattern[at + 1]
                at += 2
                if "dDwWsSbBhHvVRAZzntrefa".utf8.contains(escaped) {
                    end()
                } else if isLetterOrDigit(escaped) || escaped >= 0x80 {
                    // It may have more characters, or change what follows.
                    return false
                } else {
                    current.append(escaped)
                }
            case UInt8(ascii: "?"), UInt8(ascii: "*"):
                endOptional()
                at += 1
            case UInt8(ascii: "{"):
                let inBraces = pattern[(at + 1)...].prefix { $0 != UInt8(ascii: "}") }
                if inBraces.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") || $0 == 0x20 }) {
                    endOptional()
                    at = inBraces.endIndex + 1
                } else {
                    // It is no repetition, and stands for itself.
                    current.append(byte)
                    at += 1
                }
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"):
                end()
                at += 1
            default:
                // The other case of a letter that is not ASCII may have other bytes.
                if byte >= 0x80 && ignoresCase { end() } else { current.append(byte) }
                at += 1
            }
        }
        end()
        return true
    }

    private mutating func end() {
        if current.count >= Self.shortest, !found.contains(current) { found.append(current) }
        current = []
    }

    /// The last character may be missing.
    private mutating func endOptional() {
        while let last = current.popLast(), last & 0xC0 == 0x80 {}
        end()
    }

    /// - Returns: `false` for a group that may change what stands outside of it, or that does not end.
    private mutating func skipGroup() -> Bool {
        var depth = 0
        while at < pattern.count {
            switch pattern[at] {
            case UInt8(ascii: "("):
                // Options (?i), verbs (*UTF) and comments (?#…) have other rules than groups.
                if pattern[(at + 1)...].first == UInt8(ascii: "*") { return false }
                if pattern[(at + 1)...].first == UInt8(ascii: "?"), pattern[(at + 2)...].first != UInt8(ascii: ":") {
                    return false
                }
                depth += 1
                at += 1
            case UInt8(ascii: ")"):
                depth -= 1
                at += 1
                if depth == 0 { return true }
            case UInt8(ascii: "["): guard skipClass() else { return false }
            case UInt8(ascii: "\\"):
                if pattern[(at + 1)...].first == UInt8(ascii: "Q") { return false }
                at += 2
            default: at += 1
            }
        }
        return false
    }

    private mutating func skipClass() -> Bool {
        at += 1
        if at < pattern.count, pattern[at] == UInt8(ascii: "^") { at += 1 }
        // A bracket that is the first one stands for itself.
        var isFirst = true
        while at < pattern.count {
            switch pattern[at] {
            case UInt8(ascii: "]") where !isFirst:
                at += 1
                return true
            // [:alpha:] and the like.
            case UInt8(ascii: "["): return false
            case UInt8(ascii: "\\"):
                if pattern[(at + 1)...].first == UInt8(ascii: "Q") { return false }
                at += 2
            default: at += 1
            }
            isFirst = false
        }
        return false
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
