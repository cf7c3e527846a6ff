/// Finds texts that are in every match of a regular expression, so that events without them need not be searched.
///
/// It reads only what is certain: characters that stand for themselves, in a row, in groups and alternatives. Anything else
/// ends a text, and what may change the rules, such as `(?i)`, ends the search for texts.
struct RequiredText {
    /// Texts of which every match has one.
    private typealias Choice = [[UInt8]]

    private let pattern: [UInt8]
    private let ignoresCase: Bool
    private var at = 0
    private var depth = 0

    private enum Uncertain: Error { case here }

    /// Shorter texts are in too many events.
    private static let shortest = 3
    /// Each text is searched for in all events of a block.
    private static let most = (choices: 4, texts: 8)
    private static let deepest = 50

    private init(_ pattern: [UInt8], ignoresCase: Bool) { (self.pattern, self.ignoresCase) = (pattern, ignoresCase) }

    /// - Returns: of each list, every match has one of the texts; the most selective ones, none if nothing is certain.
    static func find(in pattern: String, ignoresCase: Bool) -> [[Literal]] {
        var reader = RequiredText(Array(pattern.utf8), ignoresCase: ignoresCase)
        guard let choices = try? reader.alternatives(), reader.at == reader.pattern.count else { return [] }
        let best = choices.sorted { selectivity($0) > selectivity($1) }.prefix(most.choices)
        return best.map { $0.map { Literal($0, ignoresCase: ignoresCase) } }
    }

    private static func selectivity(_ choice: Choice) -> Int { (choice.map(\.count).min() ?? 0) * 8 - choice.count }

    /// Reads to the end of the pattern or group.
    private mutating func alternatives() throws(Uncertain) -> [Choice] {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw .here }
        var alternatives = [try row()]
        while next == UInt8(ascii: "|") {
            at += 1
            alternatives.append(try row())
        }
        if alternatives.count == 1 { return alternatives[0] }
        var choice: Choice = []
        for alternative in alternatives {
            guard let best = alternative.max(by: { Self.selectivity($0) < Self.selectivity($1) }) else { return [] }
            choice += best
        }
        return choice.count <= Self.most.texts ? [choice] : []
    }

    /// Reads to the next `|`, or to the end of the pattern or group.
    private mutating func row() throws(Uncertain) -> [Choice] {
        var (choices, current) = ([Choice](), [UInt8]())
        func end() {
            if current.count >= Self.shortest { choices.append([current]) }
            current = []
        }
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            if try isOptional() {
                // The character before may be missing.
                while let last = current.popLast(), last & 0xC0 == 0x80 {}
                end()
                continue
            }
            at += 1
            switch byte {
            case UInt8(ascii: "("):
                end()
                let inner = try group()
                if try !isOptional() { choices += inner }
            case UInt8(ascii: "["):
                end()
                try skipClass()
            case UInt8(ascii: "\\"):
                guard let escaped = next else { throw .here }
                at += 1
                if "dDwWsSbBhHvVRAZzntrefa".utf8.contains(escaped) {
                    end()
                } else if Self.isLetterOrDigit(escaped) || escaped >= 0x80 {
                    // It may have more characters, or change what follows.
                    throw .here
                } else {
                    current.append(escaped)
                }
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): end()
            // The other case of a letter that is not ASCII may have other bytes.
            case 0x80... where ignoresCase: end()
            default: current.append(byte)
            }
        }
        end()
        return choices
    }

    /// Reads a group behind its parenthesis.
    private mutating func group() throws(Uncertain) -> [Choice] {
        // Options (?i), verbs (*UTF) and comments (?#…) have other rules than groups.
        if next == UInt8(ascii: "*") { throw .here }
        if next == UInt8(ascii: "?") {
            guard pattern[(at + 1)...].first == UInt8(ascii: ":") else { throw .here }
            at += 2
        }
        let choices = try alternatives()
        guard next == UInt8(ascii: ")") else { throw .here }
        at += 1
        return choices
    }

    /// Skips a repetition that may be of nothing.
    private mutating func isOptional() throws(Uncertain) -> Bool {
        switch next {
        case UInt8(ascii: "?"), UInt8(ascii: "*"):
            at += 1
            return true
        case UInt8(ascii: "{"):
            let inBraces = pattern[(at + 1)...].prefix { $0 != UInt8(ascii: "}") }
            // Otherwise it is no repetition, and stands for itself.
            guard inBraces.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") || $0 == 0x20 }) else {
                return false
            }
            guard inBraces.endIndex < pattern.count else { throw .here }
            at = inBraces.endIndex + 1
            return true
        default: return false
        }
    }

    /// Skips a class behind its bracket.
    private mutating func skipClass() throws(Uncertain) {
        if next == UInt8(ascii: "^") { at += 1 }
        // A bracket that is the first one stands for itself.
        var isFirst = true
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "]") where !isFirst: return
            // [:alpha:] and the like.
            case UInt8(ascii: "["): throw .here
            case UInt8(ascii: "\\"):
                guard let escaped = next, !"QEc".utf8.contains(escaped) else { throw .here }
                at += 1
            default: break
            }
            isFirst = false
        }
        throw .here
    }

    private var next: UInt8? { at < pattern.count ? pattern[at] : nil }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
