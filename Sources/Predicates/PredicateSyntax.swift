package import Model

/// A predicate as it is written, before it is known what its keys mean.
package indirect enum PredicateSyntax: Sendable, Hashable {
    case all([PredicateSyntax])
    case any([PredicateSyntax])
    case not(PredicateSyntax)
    case comparison(Comparison)
    /// `@name`: a predicate that someone has given a name.
    case named(Word)

    /// A key and what is asked about it: `level >= error`, `exists user`, `event in {a/b, c/d}`.
    package struct Comparison: Sendable, Hashable {
        package var key: Word
        /// The way from there through arrays: `[0].price`.
        package var inner: [Predicate.ParameterPath.Step] = []
        package var operation: Operation
        /// Whether case makes no difference: `[c]`.
        package var ignoresCase = false
        /// The values, of which one is enough; none for `exists`.
        package var values: [Word] = []

        /// How many conditions it is: each value of a word is a test of its own.
        var conditions: Int { if case .match = operation { values.count } else { 1 } }
    }

    package enum Operation: Sendable, Hashable {
        case equal, notEqual, exists
        case ordered(TextTest.Order)
        case match(TextTest.Match)
    }

    /// A key or a value, and where it stands.
    package struct Word: Sendable, Hashable {
        @Exact package var text: String
        package var isQuoted: Bool
        /// Bytes of the predicate.
        package var range: Range<Int>

        package init(_ text: String, isQuoted: Bool = false, range: Range<Int> = 0..<0) {
            (self.isQuoted, self.range) = (isQuoted, range)
            self.text = text
        }
    }
}

/// What is wrong with a predicate, and where.
package struct PredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A phrase, such as `expected a value`.
    package var reason: String
    /// The predicate.
    package var text: String
    /// Bytes of the predicate.
    package var range: Range<Int>

    package init(_ reason: String, in text: String, at range: Range<Int>) {
        (self.reason, self.text, self.range) = (reason, text, range)
    }

    /// The reason, and below it the place.
    package var description: String { text.isEmpty ? reason : "\(reason)\n\(excerpt)" }

    /// The part of the predicate around the place, and a line with carets below the place.
    package var excerpt: String {
        let bytes = Array(text.utf8).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        let all = range.clamped(to: 0..<bytes.count)
        let place = all.lowerBound..<Self.characterStart(min(all.upperBound, all.lowerBound + Self.context), in: bytes)
        let start = Self.characterStart(max(0, place.lowerBound - Self.context), in: bytes)
        let end = Self.characterStart(
            min(bytes.count, max(place.lowerBound + 1, place.upperBound) + Self.context), in: bytes)
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let (head, tail) = (start > 0 ? "…" : "", end < bytes.count ? "…" : "")
        let before = DisplayWidth.columns(head + part(start..<place.lowerBound))
        let carets = max(1, DisplayWidth.columns(part(place)))
        return """
              \(head)\(part(start..<end))\(tail)
              \(String(repeating: " ", count: before))\(String(repeating: "^", count: carets))
            """
    }

    /// The most bytes that are shown on each side of the place.
    private static let context = 60

    private static func characterStart(_ place: Int, in bytes: [UInt8]) -> Int {
        var place = place
        while place > 0, place < bytes.count, bytes[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }
}

extension PredicateSyntax {
    /// Returns a text as it is written as a value.
    package static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
