import Model

/// What is in every match of a regular expression, so that events without it need not be searched.
struct RequiredText {
    /// Of each list, every match has one of the texts; the most selective ones, none if nothing is certain.
    private(set) var literals: [[Literal]] = []
    /// Every match has each of them; the longest ones.
    private(set) var runs: [ByteRun] = []

    private static let mostRuns = 2

    init(of pattern: String, ignoresCase: Bool) {
        var reader = PatternReader(Array(pattern.utf8), ignoresCase: ignoresCase)
        guard let required = try? reader.read() else { return }
        literals = required.choices.map {
            $0.map { Literal(Array($0.prefix(Literal.longest)), ignoresCase: ignoresCase) }
        }
        runs = Array(required.runs.sorted { $0.count > $1.count }.prefix(Self.mostRuns))
    }
}

/// Reads what is certain of a regular expression: characters that stand for themselves, in a row, in groups and alternatives,
/// and classes that are repeated. Anything else ends a text, and what may change the rules, such as `(?i)`, ends the search.
private struct PatternReader {
    /// Texts of which every match has one.
    typealias Choice = [[UInt8]]

    struct Required {
        var choices: [Choice] = []
        var runs: [ByteRun] = []
    }

    private let pattern: [UInt8]
    private let ignoresCase: Bool
    private var at = 0
    private var depth = 0

    enum Uncertain: Error { case here }

    /// Shorter runs are in too many events.
    private static let shortestRun = 4

    /// Shorter texts are in too many events.
    private static let shortest = 3
    /// Each text is searched for in all events of a block.
    private static let most = (choices: 4, texts: 8)
    private static let deepest = 50

    init(_ pattern: [UInt8], ignoresCase: Bool) { (self.pattern, self.ignoresCase) = (pattern, ignoresCase) }

    /// Reads all of the pattern.
    mutating func read() throws(Uncertain) -> Required {
        var required = try alternatives()
        guard at == pattern.count else { throw .here }
        let best = required.choices.sorted { Self.selectivity($0) > Self.selectivity($1) }
        required.choices = Array(best.prefix(Self.most.choices))
        return required
    }

    private static func selectivity(_ choice: Choice) -> Int { (choice.map(\.count).min() ?? 0) * 8 - choice.count }

    /// Reads to the end of the pattern or group.
    private mutating func alternatives() throws(Uncertain) -> Required {
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
            guard let best = alternative.choices.max(by: { Self.selectivity($0) < Self.selectivity($1) }) else {
                return Required()
            }
            choice += best
        }
        return choice.count <= Self.most.texts ? Required(choices: [choice]) : Required()
    }

    /// Reads to the next `|`, or to the end of the pattern or group.
    private mutating func row() throws(Uncertain) -> Required {
        var (required, current) = (Required(), [UInt8]())
        func end() {
            if current.count >= Self.shortest { required.choices.append([current]) }
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
                if try !isOptional() {
                    required.choices += inner.choices
                    required.runs += inner.runs
                }
            case UInt8(ascii: "["):
                end()
                let members = try readClass()
                required.runs += try run(of: members).map { [$0] } ?? []
            case UInt8(ascii: "\\"):
                guard let escaped = next else { throw .here }
                at += 1
                if "dDwWsSbBhHvVRAZzntrefa".utf8.contains(escaped) {
                    end()
                    required.runs += try run(of: Self.members(ofEscape: escaped)).map { [$0] } ?? []
                } else if Self.isLetterOrDigit(escaped) || escaped >= 0x80 {
                    // It may have more characters, or change what follows.
                    throw .here
                } else {
                    current.append(escaped)
                }
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): end()
            // The other case of a letter that is not ASCII may have other bytes.
            case 0x80... where ignoresCase: end()
            // That of k may be the sign of kelvins, that of s the long s.
            case let letter where ignoresCase && "ks".utf8.contains(letter | 0x20): end()
            default: current.append(byte)
            }
        }
        end()
        return required
    }

    /// Reads the repetition of one of some bytes.
    /// - Parameter members: `nil` if characters are not known by their bytes.
    private mutating func run(of members: Set<UInt8>?) throws(Uncertain) -> ByteRun? {
        let start = at
        guard next == UInt8(ascii: "{"), try isOptional() else { return nil }
        // What follows may change what the braces mean.
        if let next, "?*+{".utf8.contains(next) { return nil }
        // {4}, {4,} or {4,8}: what looks similar stands for itself, in some versions of PCRE2.
        let parts = pattern[(start + 1)..<(at - 1)].split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let members, !members.isEmpty, parts.count <= 2, let digits = parts.first,
            parts.allSatisfy({ $0.allSatisfy(\.isDigit) }),
            let count = Int(String(decoding: digits, as: UTF8.self)), (Self.shortestRun...1000).contains(count)
        else { return nil }
        return ByteRun(of: members, count: count)
    }

    /// Returns the characters that an escape stands for, if they are ASCII.
    private static func members(ofEscape escaped: UInt8) -> Set<UInt8>? {
        let digits = Set(UInt8(ascii: "0")...UInt8(ascii: "9"))
        switch escaped {
        case UInt8(ascii: "d"): return digits
        case UInt8(ascii: "w"): return digits.union((0x41...0x5A)).union(0x61...0x7A).union([UInt8(ascii: "_")])
        default: return nil
        }
    }

    /// Reads a group behind its parenthesis.
    private mutating func group() throws(Uncertain) -> Required {
        // Options (?i), verbs (*UTF) and comments (?#…) have other rules than groups.
        if next == UInt8(ascii: "*") { throw .here }
        if next == UInt8(ascii: "?") {
            guard pattern[(at + 1)...].first == UInt8(ascii: ":") else { throw .here }
            at += 2
        }
        let required = try alternatives()
        guard next == UInt8(ascii: ")") else { throw .here }
        at += 1
        return required
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
            guard
                inBraces.allSatisfy({
                    $0.isDigit || $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09
                })
            else {
                return false
            }
            guard inBraces.endIndex < pattern.count else { throw .here }
            at = inBraces.endIndex + 1
            return true
        default: return false
        }
    }

    /// Reads a class behind its bracket.
    /// - Returns: its characters; `nil` if they are not all ASCII, or not known.
    private mutating func readClass() throws(Uncertain) -> Set<UInt8>? {
        var members: Set<UInt8>? = []
        if next == UInt8(ascii: "^") {
            at += 1
            members = nil
        }
        // A bracket that is the first one stands for itself, and so does a hyphen.
        let first = at
        // The character before, with which a range may begin.
        var low: UInt8?
        while let byte = next {
            at += 1
            let isFirst = at == first + 1
            switch byte {
            case UInt8(ascii: "]") where !isFirst: return inAnyCase(members)
            // [:alpha:] and the like.
            case UInt8(ascii: "["): throw .here
            case UInt8(ascii: "\\"):
                guard let escaped = next, !"QEc".utf8.contains(escaped) else { throw .here }
                at += 1
                let own = Self.isLetterOrDigit(escaped) ? Self.members(ofEscape: escaped) : [escaped]
                members = own.flatMap { members?.union($0) }
                low = nil
            case 0x80...: members = nil
            case UInt8(ascii: "-") where !isFirst && next != UInt8(ascii: "]"):
                if let first = low, let last = next, last < 0x80, last != UInt8(ascii: "\\"),
                    last != UInt8(ascii: "["), first <= last
                {
                    at += 1
                    members?.formUnion(first...last)
                } else {
                    // Whether it stands for itself depends on what is before.
                    members = nil
                }
                low = nil
            default:
                members?.insert(byte)
                low = byte
            }
        }
        throw .here
    }

    /// Adds the other case of letters, if it does not matter.
    /// - Returns: `nil` if there is one that is not ASCII: of k the sign of kelvins, of s the long s.
    private func inAnyCase(_ members: Set<UInt8>?) -> Set<UInt8>? {
        guard let members, ignoresCase else { return members }
        let letters = members.filter { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
        guard letters.allSatisfy({ !"ks".utf8.contains($0 | 0x20) }) else { return nil }
        return members.union(letters.map { $0 ^ 0x20 })
    }

    private var next: UInt8? { at < pattern.count ? pattern[at] : nil }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLetter
    }
}
