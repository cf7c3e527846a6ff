/// Classes of bytes in ASCII.
extension UInt8 {
    var isSpace: Bool { self == UInt8(ascii: " ") }
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    /// Whether it is a letter of ASCII.
    var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    /// The small letter, if it is a letter.
    var lowercased: UInt8 { isLetter ? self | 0x20 : self }
    var isDigitOrPoint: Bool { isDigit || self == UInt8(ascii: ".") }
}
