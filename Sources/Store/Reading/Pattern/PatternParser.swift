internal import Model

/// The reason why a text is not a regular expression.
struct PatternError: Error, CustomStringConvertible {
    /// The number of characters from the start of the pattern.
    var offset: Int
    var reason: String
    var description: String { "character \(offset + 1): \(reason)" }
}

/// Parses the usual syntax of regular expressions: `. [] [^] () (?:) | * + ? {n,m} ^ $ \b \d \w \s` and their
/// opposites, escapes, and `(?i)` at the start. Back-references and lookaround are errors, since they would require
/// reading a character more than once.
struct PatternParser {
    private static let deepest = 64
    private static let mostTimes = 1000

    private let text: [Unicode.Scalar]
    private var at = 0
    private var depth = 0
    private var ignoresCase = false

    private init(_ text: String) { self.text = Array(text.unicodeScalars) }

    static func parse(_ text: String) throws(PatternError) -> PatternNode {
        var parser = PatternParser(text)
        if parser.take("(?i)") { parser.ignoresCase = true }
        let node = try parser.choice()
        guard parser.at == parser.text.count else { throw parser.error("a ) without a (") }
        return node
    }

    private mutating func choice() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let next = peek, next != "|", next != ")" {
            nodes.append(try repetition(of: try atom()))
        }
        return .sequence(nodes)
    }

    // MARK: repetition

    private mutating func repetition(of node: PatternNode) throws(PatternError) -> PatternNode {
        var node = node
        while let (least, most) = try quantifier() {
            // A trailing `?` requests the shortest match. It does not affect whether there is one.
            _ = take("?")
            guard most.map({ $0 >= least }) ?? true else { throw error("a repetition that ends before it begins") }
            if case .assertion = node { throw error("nothing to repeat") }
            if case .repeated = node { throw error("a repetition of a repetition") }
            node = .repeated(node, least: least, most: most)
        }
        return node
    }

    private mutating func quantifier() throws(PatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard peek == "{" else { return nil }
        // JSON is full of braces, so one that does not begin a valid count is literal.
        let start = at
        at += 1
        if let least = number() {
            if take("}") { return try checked((least, least)) }
            if take(",") {
                let most = number()
                if take("}") { return try checked((least, most)) }
            }
        }
        at = start
        return nil
    }

    private func checked(_ counts: (least: Int, most: Int?)) throws(PatternError) -> (least: Int, most: Int?) {
        guard max(counts.least, counts.most ?? 0) <= Self.mostTimes else {
            throw error("a repetition of more than \(Self.mostTimes) times")
        }
        return counts
    }

    /// Parses a number of any size. One that exceeds all limits becomes the largest integer.
    private mutating func number() -> Int? {
        var digits = ""
        while let next = peek, ("0"..."9").contains(next) {
            digits.unicodeScalars.append(next)
            at += 1
        }
        return digits.isEmpty ? nil : Int(digits) ?? Int.max
    }

    // MARK: single parts

    private mutating func atom() throws(PatternError) -> PatternNode {
        guard let scalar = next() else { throw error("the pattern ends too early") }
        switch scalar {
        case "(": return try group()
        case "[": return .scalar(cased(try scalarClass()))
        case ".": return .scalar(.any)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "*", "+", "?": throw error("nothing to repeat")
        case "\\": return try escape()
        default: return .scalar(cased(ScalarSet([scalar.value...scalar.value])))
        }
    }

    private mutating func group() throws(PatternError) -> PatternNode {
        if peek == "?", !take("?:") { throw error("of the groups that begin with (?, only (?: is supported") }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw error("nested deeper than \(Self.deepest)") }
        let node = try choice()
        guard take(")") else { throw error("a ( without a )") }
        // The group is wrapped, so that repeating it is not mistaken for repeating a repetition.
        return .sequence([node])
    }

    private mutating func escape() throws(PatternError) -> PatternNode {
        switch peek {
        case "b":
            at += 1
            return .assertion(.wordBoundary)
        case "B":
            at += 1
            return .assertion(.noWordBoundary)
        default: return .scalar(cased(try escapedSet()))
        }
    }

    /// Parses what follows a backslash, also within a class.
    private mutating func escapedSet() throws(PatternError) -> ScalarSet {
        guard let scalar = next() else { throw error("a backslash at the end") }
        switch scalar {
        case "d": return .digit
        case "D": return ScalarSet.digit.inverted
        case "w": return .word
        case "W": return ScalarSet.word.inverted
        case "s": return .space
        case "S": return ScalarSet.space.inverted
        case "t": return ScalarSet([9...9])
        case "n": return ScalarSet([10...10])
        case "r": return ScalarSet([13...13])
        case "f": return ScalarSet([12...12])
        case "0"..."9", "a"..."z", "A"..."Z": throw error("no such escape: \\\(scalar)")
        default: return ScalarSet([scalar.value...scalar.value])
        }
    }

    private mutating func scalarClass() throws(PatternError) -> ScalarSet {
        let isInverted = take("^")
        var set = ScalarSet([])
        var isFirst = true
        while true {
            guard let scalar = next() else { throw error("a [ without a ]") }
            if scalar == "]", !isFirst { break }
            isFirst = false
            let low = scalar == "\\" ? try escapedSet() : ScalarSet([scalar.value...scalar.value])
            guard peek == "-", at + 1 < text.count, text[at + 1] != "]" else {
                set = set.union(low)
                continue
            }
            at += 1
            guard let end = next() else { throw error("a [ without a ]") }
            let high = end == "\\" ? try escapedSet() : ScalarSet([end.value...end.value])
            guard let first = low.only, let last = high.only, first <= last else { throw error("an invalid range") }
            set = set.union(ScalarSet([first...last]))
        }
        return isInverted ? cased(set).inverted : set
    }

    private func cased(_ set: ScalarSet) -> ScalarSet { ignoresCase ? set.ignoringCase : set }

    // MARK: characters

    private var peek: Unicode.Scalar? { at < text.count ? text[at] : nil }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        at += 1
        return scalar
    }

    private mutating func take(_ wanted: String) -> Bool {
        let scalars = Array(wanted.unicodeScalars)
        guard text[at...].starts(with: scalars) else { return false }
        at += scalars.count
        return true
    }

    private func error(_ reason: String) -> PatternError { PatternError(offset: max(at - 1, 0), reason: reason) }
}

extension ScalarSet {
    /// The scalar, if the set consists of a single one.
    fileprivate var only: UInt32? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1, contains(range.lowerBound) else {
            return nil
        }
        return range.lowerBound
    }
}
