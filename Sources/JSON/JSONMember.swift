/// What a JSON value is, as far as its text tells.
package enum JSONKind: Sendable, Hashable {
    case object, array
    case string(hasEscapes: Bool)
    /// An integer here has neither a fraction nor an exponent: `1.0` and `1e3` are none.
    case number(isInteger: Bool)
    case `true`, `false`, null
}

/// One member of an object. Ranges are offsets into the bytes that were scanned.
package struct JSONMember: Sendable, Hashable {
    /// Between the quotes.
    package var key: Range<Int>
    package var keyHasEscapes: Bool
    /// The whole value as it is written, a string with its quotes.
    package var value: Range<Int>
    package var kind: JSONKind

    package init(key: Range<Int>, keyHasEscapes: Bool, value: Range<Int>, kind: JSONKind) {
        self.key = key
        self.keyHasEscapes = keyHasEscapes
        self.value = value
        self.kind = kind
    }

    /// Of a string: what is between the quotes.
    package var content: Range<Int> { value.lowerBound + 1..<value.upperBound - 1 }
}

/// One element of an array, or a value that stands alone. The range is offsets into the bytes that were scanned.
package struct JSONElement: Sendable, Hashable {
    /// The whole value as it is written, a string with its quotes.
    package var value: Range<Int>
    package var kind: JSONKind

    package init(value: Range<Int>, kind: JSONKind) {
        self.value = value
        self.kind = kind
    }

    /// Of a string: what is between the quotes.
    package var content: Range<Int> { value.lowerBound + 1..<value.upperBound - 1 }
}
