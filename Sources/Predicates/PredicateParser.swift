import Model

/// Reads predicates: docs/predicates.md has the grammar.
package struct PredicateParser {
    /// The longest predicate, in bytes: a URL may have as much.
    package static let longest = 16 << 10
    /// How deep parentheses and `not` may be nested, with those of named predicates.
    package static let deepest = 64
    /// Each condition is a test of all events.
    package static let mostConditions = 500
    /// The most values of all comparisons together.
    package static let mostValues = 5000

    private let source: String
    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0
    private var conditions = 0
    private var valueCount = 0

    private init(_ text: String) {
        source = text
        bytes = Array(text.utf8)
    }

    /// - Throws: `PredicateError`
    package static func parse(_ text: String) throws(PredicateError) -> PredicateSyntax {
        var parser = PredicateParser(text)
        guard parser.bytes.count <= longest else {
            throw PredicateError("the predicate is longer than \(longest) bytes", in: "", at: 0..<0)
        }
        let syntax = try parser.alternatives()
        parser.skipSpace()
        guard parser.at == parser.bytes.count else {
            let isClosed = parser.bytes[parser.at] == UInt8(ascii: ")")
            throw parser.error(
                isClosed
                    ? "nothing is open here to be closed"
                    : "expected and, or, or the end; a value with spaces stands in quotes")
        }
        return syntax
    }

    /// Reads a key alone, such as `event` or `payload.items[0].price`.
    /// - Throws: `PredicateError`
    package static func parseKey(_ text: String) throws(PredicateError) -> PredicateSyntax.Comparison {
        var parser = PredicateParser(text)
        guard parser.bytes.count <= longest else {
            throw PredicateError("the key is longer than \(longest) bytes", in: "", at: 0..<0)
        }
        let (key, inner) = try parser.key("a key, such as event or payload.user_id")
        parser.skipSpace()
        guard parser.at == parser.bytes.count else { throw parser.error("expected the end of the key") }
        return PredicateSyntax.Comparison(key: key, inner: inner, operation: .exists)
    }

    // MARK: structure

    private mutating func alternatives() throws(PredicateError) -> PredicateSyntax {
        var parts = [try row()]
        while takeWord("or") || take("||") { parts.append(try row()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func row() throws(PredicateError) -> PredicateSyntax {
        var parts = [try part()]
        while takeWord("and") || take("&&") { parts.append(try part()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func part() throws(PredicateError) -> PredicateSyntax {
        skipSpace()
        let start = at
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest + 1 else { throw error("nested deeper than \(Self.deepest) times") }
        if takeWord("not") || take("!") { return .not(try part()) }
        if take("(") {
            let inner = try alternatives()
            guard take(")") else { throw error("expected ) for this parenthesis", at: start..<start + 1) }
            return inner
        }
        if take("@") {
            conditions += 1
            let (name, _) = try keyText { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "/") && Self.isInKey($0) }
            guard at > start + 1 else { throw error("expected the name of a predicate to follow @") }
            return .named(PredicateSyntax.Word(String(decoding: name, as: UTF8.self), range: start..<at))
        }
        return try comparison()
    }

    // MARK: comparisons

    private mutating func comparison() throws(PredicateError) -> PredicateSyntax {
        skipSpace()
        let start = at
        conditions += 1
        guard conditions <= Self.mostConditions else { throw error("more than \(Self.mostConditions) conditions") }
        let isExists = takeWord("exists")
        let isInParentheses = isExists && take("(")
        let (key, inner) = try key(
            isExists ? "a key to follow exists" : "a key, such as level, subsystem or payload.user_id")
        if isInParentheses, !take(")") { throw error("expected ) behind the key") }
        if isExists || takeWord("exists") { return .comparison(.init(key: key, inner: inner, operation: .exists)) }
        skipSpace()
        let operatorStart = at
        let isNegated = takeWord("not")
        if isNegated, takeWord("exists") {
            throw error("not stands in front: not exists \(key.text.prefix(60))", at: operatorStart..<at)
        }
        guard let (operation, isList) = operation() else {
            throw error("expected an operator: \(Self.operators)", at: at == bytes.count ? start..<at : at..<at + 1)
        }
        var comparison = PredicateSyntax.Comparison(key: key, inner: inner, operation: operation)
        comparison.ignoresCase = try takeCase()
        let valueStart = at
        comparison.values = isList ? try list() : try values()
        valueCount += comparison.values.count
        conditions += comparison.conditions - 1
        guard valueCount <= Self.mostValues, conditions <= Self.mostConditions else {
            let limit = valueCount > Self.mostValues ? "\(Self.mostValues) values" : "\(Self.mostConditions) conditions"
            throw error("more than \(limit)", at: valueStart..<at)
        }
        if isNegated {
            guard isList || isMatch(operation) else {
                throw error("not goes with in and with words", at: operatorStart..<at)
            }
            return .not(.comparison(comparison))
        }
        return .comparison(comparison)
    }

    /// Takes `[c]` directly behind an operator.
    private mutating func takeCase() throws(PredicateError) -> Bool {
        if isAt("[c]") || isAt("[C]") {
            at += 3
            return true
        }
        // As in macOS: [cd] is about accents, too.
        let letters = bytes[at...].dropFirst().prefix(while: \.isLetter)
        guard isAt("["), (1...3).contains(letters.count), letters.endIndex < bytes.count,
            bytes[letters.endIndex] == UInt8(ascii: "]")
        else { return false }
        throw error(
            "only [c] is known, which makes no difference between upper and lower case; a value has a space before its [",
            at: at..<letters.endIndex + 1)
    }

    private func isMatch(_ operation: PredicateSyntax.Operation) -> Bool {
        if case .match = operation { true } else { false }
    }

    private static let operators = "== != < <= > >= in contains beginswith endswith like matches exists"

    private mutating func operation() -> (PredicateSyntax.Operation, isList: Bool)? {
        for (sign, operation) in Self.signs where take(sign) { return (operation, false) }
        if takeWord("in") { return (.equal, true) }
        for match in TextTest.Match.allCases where takeWord(match.rawValue) { return (.match(match), false) }
        return nil
    }

    /// The longer ones first.
    private static let signs: [(String, PredicateSyntax.Operation)] = [
        ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<=", .ordered(.atMost)), (">=", .ordered(.atLeast)),
        ("=", .equal), ("<", .ordered(.less)), (">", .ordered(.greater)), (":", .match(.contains)),
    ]

    private mutating func list() throws(PredicateError) -> [PredicateSyntax.Word] {
        skipSpace()
        let start = at
        guard let end = take("{") ? "}" : take("(") ? ")" : nil else { throw error("expected {a, b} to follow in") }
        var values: [PredicateSyntax.Word] = []
        repeat { values.append(try value()) } while take(",")
        guard take(end) else { throw error("expected , or \(end) for this list", at: start..<start + 1) }
        return values
    }

    private mutating func values() throws(PredicateError) -> [PredicateSyntax.Word] {
        var values = [try value()]
        skipSpace()
        while !isAt("||"), take("|") {
            values.append(try value())
            skipSpace()
        }
        return values
    }

    /// Reads a key: letters, digits and `_ - . /`, other characters in quotes, and the way through arrays, as in
    /// `payload.a[0]."x y"`.
    private mutating func key(
        _ expected: String
    ) throws(PredicateError) -> (PredicateSyntax.Word, inner: [Predicate.ParameterPath.Step]) {
        skipSpace()
        let start = at
        let (text, isQuoted) = try keyText { Self.isInKey($0) }
        guard at > start else { throw error("expected \(expected)") }
        let word = String(decoding: text, as: UTF8.self)
        guard isQuoted || !Self.words.contains(word.lowercased()) else {
            at = start
            throw error("expected \(expected)", at: start..<start + word.utf8.count)
        }
        let inner = try inner()
        return (PredicateSyntax.Word(word, isQuoted: isQuoted, range: start..<at), inner)
    }

    /// Reads characters that are allowed, and others in quotes.
    private mutating func keyText(
        _ isAllowed: (UInt8) -> Bool
    ) throws(PredicateError) -> (text: [UInt8], isQuoted: Bool) {
        var (text, isQuoted) = ([UInt8](), false)
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") {
                text += try quoted()
                isQuoted = true
            } else if isAllowed(bytes[at]) {
                text.append(bytes[at])
                at += 1
            } else {
                break
            }
        }
        return (text, isQuoted)
    }

    /// Reads `[0][1].name`.
    private mutating func inner() throws(PredicateError) -> [Predicate.ParameterPath.Step] {
        var steps: [Predicate.ParameterPath.Step] = []
        while at < bytes.count {
            let start = at
            if bytes[at] == UInt8(ascii: "[") {
                guard let end = elementEnd(), let number = Int(String(decoding: bytes[at + 1..<end - 1], as: UTF8.self))
                else { throw error("expected the number of an element, such as [0]") }
                steps.append(.index(number))
                at = end
            } else if !steps.isEmpty, bytes[at] == UInt8(ascii: ".") {
                at += 1
                // A dot in quotes is a part of the name.
                let (name, _) = try keyText { Self.isInKey($0) && $0 != UInt8(ascii: ".") }
                guard at > start + 1 else { throw error("expected the name of a member", at: start..<at) }
                steps.append(.member(ExactString(String(decoding: name, as: UTF8.self))))
            } else if !steps.isEmpty, Self.isInKey(bytes[at]) || bytes[at] == UInt8(ascii: "\"") {
                throw error("expected a dot between an element and its member")
            } else {
                break
            }
        }
        return steps
    }

    /// Returns the end of `[0]`.
    private func elementEnd() -> Int? {
        let digits = bytes[(at + 1)...].prefix(while: \.isDigit)
        guard !digits.isEmpty, digits.endIndex < bytes.count, bytes[digits.endIndex] == UInt8(ascii: "]") else {
            return nil
        }
        return digits.endIndex + 1
    }

    private static let words: [String] = ["and", "or", "not", "in", "exists"]

    private static func isInKey(_ byte: UInt8) -> Bool {
        FilterParameter.isNameByte(byte) || byte == UInt8(ascii: "/")
    }

    /// Reads a value: a text in quotes, or one without white space, parentheses, braces, commas and `|`.
    private mutating func value() throws(PredicateError) -> PredicateSyntax.Word {
        skipSpace()
        let start = at
        if at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") {
            let text = try quoted()
            return PredicateSyntax.Word(String(decoding: text, as: UTF8.self), isQuoted: true, range: start..<at)
        }
        while at < bytes.count, !Self.isBehindValue(bytes[at]) { at += 1 }
        guard at > start else { throw error("expected a value; texts with spaces stand in quotes") }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        try check(text, at: start)
        return PredicateSyntax.Word(text, range: start..<at)
    }

    /// Refuses what was not meant as a value: the end of another language's operator, or quotes and spaces of other keyboards.
    private func check(_ value: String, at start: Int) throws(PredicateError) {
        if let sign = value.utf8.first, "=<>!~".utf8.contains(sign) {
            let signs = bytes[..<(start + 1)].reversed().prefix { "=<>!~".utf8.contains($0) }.count
            throw error(
                "there is no such operator (\(Self.operators)); a value that begins so stands in quotes",
                at: start + 1 - signs..<start + 1)
        }
        var offset = start
        for scalar in value.unicodeScalars {
            let isQuote = offset == start && "“”„‘’«»「」『』".unicodeScalars.contains(scalar)
            if isQuote || scalar.properties.isWhitespace {
                throw error(
                    #"a value with such quotes or spaces stands in "…" or '…'"#,
                    at: offset..<offset + UTF8.width(scalar))
            }
            offset += UTF8.width(scalar)
        }
    }

    private static func isBehindValue(_ byte: UInt8) -> Bool { byte <= 0x20 || "(){},|\"'&".utf8.contains(byte) }

    /// Reads a text in quotes, in which `\` stands before a quote or another `\`.
    private mutating func quoted() throws(PredicateError) -> [UInt8] {
        let (start, quote) = (at, bytes[at])
        var text: [UInt8] = []
        at += 1
        while at < bytes.count, bytes[at] != quote {
            if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count {
                let next = bytes[at + 1]
                // Other characters keep it: regular expressions are full of them.
                if next == quote || next == UInt8(ascii: "\\") { at += 1 }
            }
            text.append(bytes[at])
            at += 1
        }
        guard at < bytes.count else { throw error("this quote is not closed", at: start..<start + 1) }
        at += 1
        return text
    }

    // MARK: bytes

    private mutating func skipSpace() { while at < bytes.count, bytes[at] <= 0x20 { at += 1 } }

    private func isAt(_ sign: String) -> Bool { bytes[at...].starts(with: sign.utf8) }

    private mutating func take(_ sign: String) -> Bool {
        skipSpace()
        guard isAt(sign) else { return false }
        at += sign.utf8.count
        return true
    }

    /// Takes a word of the language, in any case. A key or value of the same letters goes on.
    private mutating func takeWord(_ word: String) -> Bool {
        skipSpace()
        let end = at + word.utf8.count
        guard end <= bytes.count, bytes[at..<end].elementsEqual(word.utf8, by: { $0 | 0x20 == $1 }),
            end == bytes.count || !Self.isInKey(bytes[end])
        else { return false }
        at = end
        return true
    }

    private func error(_ reason: String, at range: Range<Int>? = nil) -> PredicateError {
        PredicateError(reason, in: source, at: range ?? at..<min(at + 1, bytes.count))
    }
}
