/// The kind of a JSON value, as far as it follows from its text.
package enum JSONKind: Sendable, Hashable {
    case object, array
    case string(hasEscapes: Bool)
    /// A number. An integer has neither a fraction nor an exponent: `1.0` and `1e3` are not integers.
    case number(isInteger: Bool)
    case `true`, `false`, null
}

/// One member of an object. Ranges are offsets into the bytes that were scanned. They come first: a copy is faster then.
package struct JSONMember: Sendable, Hashable {
    /// The range of the key, without its quotes.
    package var key: Range<Int>
    /// The range of the whole value, a string with its quotes.
    package var value: Range<Int>
    package var keyHasEscapes: Bool
    package var kind: JSONKind

    /// The range of a string's content, without its quotes.
    @inlinable package var content: Range<Int> { value.lowerBound + 1..<value.upperBound - 1 }
}

/// An element of an array, or a value on its own. The range is offsets into the bytes that were scanned.
package struct JSONElement: Sendable, Hashable {
    /// The range of the whole value, a string with its quotes.
    package var value: Range<Int>
    package var kind: JSONKind

    @inlinable
    package init(value: Range<Int>, kind: JSONKind) {
        self.value = value
        self.kind = kind
    }

    /// The range of a string's content, without its quotes.
    @inlinable package var content: Range<Int> { value.lowerBound + 1..<value.upperBound - 1 }
}
