extension JSONScanner {
    /// Returns the text of a JSON string in UTF-8.
    ///
    /// Escapes of single surrogates, which no text can contain, become U+FFFD.
    ///
    /// - Parameter content: the bytes between the quotes of a string that was scanned. For other bytes the result is
    ///   unspecified, but memory-safe.
    package static func unescape(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(content.count)
        walk(content) { run in
            unescaped.append(contentsOf: run)
        } scalar: { scalar in
            UTF8.encode(scalar)?.forEach { unescaped.append($0) }
        }
        return unescaped
    }

    /// Returns the text of the string content in `range` of `bytes`.
    package static func text(of bytes: [UInt8], in range: Range<Int>) -> String {
        bytes.withUnsafeBytes { text(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Returns the text of a JSON string as a `String`.
    package static func text(of content: UnsafeRawBufferPointer) -> String {
        content.contains(UInt8(ascii: "\\"))
            ? String(decoding: unescape(content), as: UTF8.self) : String(decoding: content, as: UTF8.self)
    }

    /// Returns the number of bytes that `unescape` would return, without allocating them.
    package static func unescapedCount(_ content: UnsafeRawBufferPointer) -> Int {
        var count = 0
        walk(content) { run in
            count += run.count
        } scalar: { scalar in
            count += UTF8.width(scalar)
        }
        return count
    }

    @inline(__always)
    private static func walk(
        _ content: UnsafeRawBufferPointer, run: (Slice<UnsafeRawBufferPointer>) -> Void,
        scalar: (Unicode.Scalar) -> Void
    ) {
        var start = 0
        while start < content.count {
            var end = start
            while end < content.count, content[end] != UInt8(ascii: "\\") { end += 1 }
            if end > start { run(content[start..<end]) }
            guard end < content.count else { return }
            let (value, length) = escape(content, at: end)
            scalar(value)
            start = end + length
        }
    }

    /// Returns the scalar of the escape whose backslash is at `start`, and the number of bytes that the escape takes.
    private static func escape(_ content: UnsafeRawBufferPointer, at start: Int) -> (Unicode.Scalar, Int) {
        guard start + 1 < content.count else { return (replacement, 1) }
        switch content[start + 1] {
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{c}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"): break
        case let itself: return (Unicode.Scalar(itself), 2)
        }
        guard let unit = codeUnit(content, at: start) else { return (replacement, 2) }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        if UTF16.isLeadSurrogate(UInt16(unit)), let next = codeUnit(content, at: start + 6),
            UTF16.isTrailSurrogate(UInt16(next)),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (next - 0xDC00))
        {
            return (scalar, 12)
        }
        return (replacement, 6)
    }

    /// Returns the number in `\u` and four hexadecimal digits, if that is at `start`.
    private static func codeUnit(_ content: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
        guard start + 6 <= content.count, content[start] == UInt8(ascii: "\\"),
            content[start + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = HexDigit.value(of: content[index]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static var replacement: Unicode.Scalar { "\u{FFFD}" }
}

enum HexDigit {
    static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Returns the digit in lower case.
    static func character(of value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// Well-formed UTF-8: shortest form, no surrogates, nothing above U+10FFFF.
///
/// - Source: The Unicode Standard, table 3-7.
enum UTF8Sequence {
    /// Returns the length of the sequence that begins at `start` with a non-ASCII byte, if it is well-formed; otherwise
    /// the negative length of the part that one U+FFFD replaces (1 to 3 bytes).
    @inline(__always)
    static func length(_ bytes: UnsafePointer<UInt8>, from start: Int, end: Int) -> Int {
        let first = bytes[start]
        let wanted: Int
        switch first {
        case 0xC2...0xDF: wanted = 2
        case 0xE0...0xEF: wanted = 3
        case 0xF0...0xF4: wanted = 4
        default: return -1
        }
        guard start + 1 < end, secondBytes(after: first).contains(bytes[start + 1]) else { return -1 }
        var length = 2
        while length < wanted {
            guard start + length < end, bytes[start + length] & 0xC0 == 0x80 else { return -length }
            length += 1
        }
        return wanted
    }

    @inline(__always)
    private static func secondBytes(after first: UInt8) -> ClosedRange<UInt8> {
        switch first {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
