/// Classes of bytes in ASCII.
extension UInt8 {
    var isSpace: Bool { self == UInt8(ascii: " ") }
    /// Whether it is white space: a space, a tab, or a line break of any kind.
    @inlinable package var isWhiteSpace: Bool { self == UInt8(ascii: " ") || self &- 0x09 < 5 }
    @inlinable package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    @inlinable package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    @inlinable package var isCapital: Bool { self &- UInt8(ascii: "A") < 26 }
    /// Whether it is a letter, a digit or `_`.
    @inlinable package var isWordByte: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
    /// Whether it is a letter, a digit, `_` or `-`.
    @inlinable package var isNameByte: Bool { isWordByte || self == UInt8(ascii: "-") }
    /// Whether tokens of HTTP, such as names of headers, may have it.
    /// - Source: RFC 9110, section 5.6.2
    package var isTokenByte: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
    /// The small letter, if it is a letter.
    @inlinable package var lowercased: UInt8 { isLetter ? self | 0x20 : self }
    var isDigitOrPoint: Bool { isDigit || self == UInt8(ascii: ".") }
}
