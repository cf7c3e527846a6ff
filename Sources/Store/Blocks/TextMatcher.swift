internal import Model

/// A compiled test of texts and of values in payloads.
struct TextMatcher {
    private enum Kind {
        case exists
        case among(Set<[UInt8]>)
        case ordered(ValueOrder)
        case number(Double)
        case contains([UInt8])
        case beginsWith([UInt8])
        case endsWith([UInt8])
        case like(Glob)
        case matches(RegularExpression)
    }

    private let kind: Kind
    private let folding: CaseFolding
    /// Of each list, every text that passes has one, as far as that is known.
    let literals: [[Literal]]
    /// What every text that passes has, as far as that is known.
    private(set) var runs: [ByteRun] = []

    private static let longestExpression = 4096
    /// With more values than this, to check every text is faster than to search for each value.
    private static let mostLiterals = 8

    /// - Throws: `.invalidPattern` with the reason.
    init(_ test: TextTest) throws(StoreError) {
        switch test {
        case .exists: (kind, folding, literals) = (.exists, .none, [])
        case .among(let texts, let ignoresCase):
            folding = CaseFolding(ignoresCase, for: texts.map(\.text))
            let values = texts.map { [folding] in folding.folded(Array($0.utf8)) }
            kind = .among(Set(values))
            let isSearchable = values.count <= Self.mostLiterals && !values.contains([])
            literals = isSearchable ? [values.map { [folding] in folding.literal($0) }] : []
        case .ordered(let order, let text):
            (kind, folding, literals) = (.ordered(ValueOrder(order, text.text)), .none, [])
        case .number(let number): (kind, folding, literals) = (.number(number), .none, [])
        case .matches(.matches, let pattern, let ignoresCase):
            folding = .none
            let expression = try Self.expression(pattern.text, ignoresCase: ignoresCase)
            let required = RequiredText(of: pattern.text, ignoresCase: ignoresCase)
            (kind, literals, runs) = (.matches(expression), required.literals, required.runs)
        case .matches(let match, let text, let ignoresCase):
            folding = CaseFolding(ignoresCase, for: [text.text])
            let bytes = folding.folded(Array(text.utf8))
            var required = bytes
            switch match {
            case .contains: kind = .contains(bytes)
            case .beginsWith: kind = .beginsWith(bytes)
            case .endsWith: kind = .endsWith(bytes)
            case .like, .matches:
                kind = .like(Glob(String(decoding: bytes, as: UTF8.self)))
                let wild = [UInt8(ascii: "*"), UInt8(ascii: "?")]
                required = Array(bytes.split { wild.contains($0) }.max { $0.count < $1.count } ?? [])
            }
            literals = required.isEmpty ? [] : [[folding.literal(required)]]
        }
    }

    private static func expression(_ pattern: String, ignoresCase: Bool) throws(StoreError) -> RegularExpression {
        guard pattern.utf8.count <= longestExpression else {
            throw StoreError(
                kind: .invalidPattern, description: "a regular expression of more than \(longestExpression) bytes")
        }
        do throws(RegularExpression.Failure) {
            return try RegularExpression(pattern, ignoresCase: ignoresCase)
        } catch {
            throw StoreError(kind: .invalidPattern, description: "\(pattern) is not a regular expression: \(error)")
        }
    }

    /// Whether a text that has one of the literals passes.
    var isLiteral: Bool {
        if case .contains(let part) = kind { folding != .full && part.count <= Literal.longest } else { false }
    }

    var isExists: Bool {
        if case .exists = kind { true } else { false }
    }

    /// The texts of which one is looked for, exactly.
    var exactTexts: Set<[UInt8]>? {
        if case .among(let texts) = kind, folding == .none { texts } else { nil }
    }

    /// Whether an object may be what is looked for.
    var mayBeObject: Bool {
        if case .among(let texts) = kind { texts.contains { $0.first == UInt8(ascii: "{") } } else { false }
    }

    /// A test of integers.
    enum IntegerTest {
        /// One number, which is usual, is compared faster than it is looked up.
        case equal(Int64)
        case passes((Int64) -> Bool)
    }

    /// Returns the test of integers, if it can be made without their digits.
    func verdictOnIntegers(isString: Bool) -> IntegerTest? {
        switch kind {
        case .exists: return .passes { _ in true }
        case .among(let texts):
            let numbers = Set(texts.compactMap { $0.withUnsafeBytes { Int64(exactText: $0) } })
            if numbers.count == 1, let number = numbers.first { return .equal(number) }
            return .passes { numbers.contains($0) }
        case .ordered(let order): return order.verdictOnIntegers(isString: isString).map { .passes($0) }
        case .number(let number):
            // Near larger ones, there are other integers.
            if abs(number) < 1e13, let integer = Int64(exactly: number) { return .equal(integer) }
            return .passes { Self.isNear(Double($0), number) }
        case .contains, .beginsWith, .endsWith, .like, .matches: return nil
        }
    }

    /// - Parameter turn: the result is `false` once it is cancelled.
    /// - Throws: `.invalidPattern` if the search takes too long, or fails.
    func accepts(_ text: UnsafeRawBufferPointer, until turn: ReadTurn? = nil) throws -> Bool {
        if folding == .none { return try accepts(unfolded: text, until: turn) }
        let folded = folding.folded(Array(text))
        return try folded.withUnsafeBytes { try accepts(unfolded: $0, until: turn) }
    }

    private func accepts(unfolded text: UnsafeRawBufferPointer, until turn: ReadTurn?) throws -> Bool {
        switch kind {
        case .exists: return true
        case .among(let texts):
            return texts.count <= Self.mostLiterals
                ? texts.contains { $0.withUnsafeBytes { $0.hasSameBytes(as: text) } } : texts.contains(Array(text))
        case .ordered(let order): return order.accepts(text, isString: true)
        case .number(let number): return Self.isNear(Self.number(text, isString: true), number)
        case .contains(let part): return text.has(Literal(part))
        case .beginsWith(let part): return text.starts(with: part)
        case .endsWith(let part): return text.suffix(part.count).elementsEqual(part)
        case .like(let glob): return turn?.isCancelled != true && glob.matches(text)
        case .matches(let expression):
            do throws(RegularExpression.Failure) {
                return try expression.finds(in: text, until: turn)
            } catch {
                throw StoreError(
                    kind: .invalidPattern,
                    description: "\(expression.pattern) cannot be looked for in a text of \(text.count) bytes: \(error)"
                )
            }
        }
    }

    /// Whether a number may be the same as another that has fifteen digits, as those have that SQLite makes texts of.
    private static func isNear(_ one: Double?, _ other: Double) -> Bool {
        guard let one else { return false }
        return one == other || other.isFinite && abs(one - other) <= abs(other) * 1e-14
    }

    /// Returns the number that a value is, or that SQLite would take its text for.
    private static func number(_ value: UnsafeRawBufferPointer, isString: Bool) -> Double? {
        if !isString, value.elementsEqual("true".utf8) { return 1 }
        if !isString, value.elementsEqual("false".utf8) { return 0 }
        return Double(sqlNumber: value)
    }

    /// - Parameters:
    ///   - value: the unescaped text of a string, or the JSON text of another value.
    ///   - isString: whether it is a string.
    func accepts(value: UnsafeRawBufferPointer, isString: Bool, until turn: ReadTurn? = nil) throws -> Bool {
        switch kind {
        case .exists: return isString || PayloadValue.exists(value)
        case .ordered(let order): return order.accepts(value, isString: isString)
        case .number(let number): return Self.isNear(Self.number(value, isString: isString), number)
        case .among, .contains, .beginsWith, .endsWith, .like, .matches: break
        }
        guard !isString, let first = value.first else { return try accepts(value, until: turn) }
        if case .contains(let part) = kind, first == UInt8(ascii: "[") {
            return PayloadValue.hasElement(of: value) { folding.folded(Array($0)) == part }
        }
        // Of an object, nothing but its whole text is compared.
        if case .among = kind { return try accepts(value, until: turn) }
        return first == UInt8(ascii: "{") ? false : try accepts(value, until: turn)
    }
}

/// What makes texts equal that differ in case.
enum CaseFolding {
    case none
    /// The letters of ASCII.
    case ascii
    /// All letters.
    case full

    init(_ ignoresCase: Bool, for texts: [String]) {
        let isASCII = texts.allSatisfy {
            $0.unicodeScalars.allSatisfy { $0.isASCII || !$0.properties.changesWhenCaseMapped }
        }
        self = ignoresCase ? (isASCII ? .ascii : .full) : .none
    }

    func folded(_ text: [UInt8]) -> [UInt8] {
        switch self {
        case .none: text
        case .ascii: text.map(Literal.lowercased)
        case .full: Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
        }
    }

    /// Returns what every text that contains the folded one has, of a long one the beginning.
    func literal(_ text: [UInt8]) -> Literal {
        // Letters of ASCII in a row; the other case of others may have other bytes.
        let sure = self == .full ? text.split(whereSeparator: Self.mayBeOther).max { $0.count < $1.count } : text[...]
        return Literal(Array((sure ?? []).prefix(Literal.longest)), ignoresCase: self != .none)
    }

    /// Whether a byte of a folded text may be of a letter that is not of ASCII: the lower case of İ begins with i, and that of the
    /// Kelvin sign is k.
    private static func mayBeOther(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "i") || byte == UInt8(ascii: "k")
    }
}
