internal import Glibc

/// A value that need not be encoded immediately: its bytes, and its form in JSON.
package struct LargeValue: Sendable {
    package enum Form: Sendable {
        /// A string. Invalid UTF-8 is replaced by U+FFFD, as in `String(decoding:as:)`.
        case text
        /// A string with the bytes in base64.
        case base64
        /// JSON already; line breaks, which can only be between its tokens, become spaces.
        case oneLine
    }

    package let form: Form
    package let bytes: [UInt8]

    package init(_ form: Form, _ bytes: [UInt8]) {
        self.form = form
        self.bytes = bytes
    }

    /// Returns the end of a part that begins at `start` and has at most `count` bytes; `count` is 4 or more. No part
    /// ends within a character or a group of base64.
    func end(from start: Int, count: Int) -> Int {
        guard start + count < bytes.count else { return bytes.count }
        switch form {
        case .oneLine: return start + count
        case .base64: return start + count / 3 * 3
        case .text:
            // A character has at most three continuation bytes: longer runs are not characters.
            var end = start + count
            while end > start + count - 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            return bytes[end] & 0xC0 == 0x80 ? start + count : end
        }
    }
}

extension JSONWriter {
    /// Writes the value, or defers it for `JSONPieces`.
    package mutating func value(_ value: LargeValue) {
        separate()
        if let minimumDeferred, value.bytes.count >= minimumDeferred {
            deferred.append(Deferred(offset: bytes.count, value: value))
        } else {
            append(value, 0..<value.bytes.count)
        }
        needsComma = true
    }

    /// - Parameter part: a range that ends where `LargeValue.end` says.
    mutating func append(_ value: LargeValue, _ part: Range<Int>) {
        let isText = value.form != .oneLine
        if isText, part.lowerBound == 0 { bytes.append(UInt8(ascii: "\"")) }
        value.bytes.withUnsafeBytes { all in
            let some = UnsafeRawBufferPointer(rebasing: all[part])
            switch value.form {
            case .text: appendEscaped(some)
            case .base64: appendBase64(some)
            case .oneLine: appendOneLine(some)
            }
        }
        if isText, part.upperBound == value.bytes.count { bytes.append(UInt8(ascii: "\"")) }
    }

    private mutating func appendOneLine(_ some: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: some)
        guard some.hasLineBreaks else { return }
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.count - some.count..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D {
                bytes[index] = 0x20
            }
        }
    }

    private static let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// - Source: RFC 4648, section 4
    private mutating func appendBase64(_ some: UnsafeRawBufferPointer) {
        bytes.reserveCapacity(bytes.count + (some.count + 2) / 3 * 4)
        var start = 0
        while start < some.count {
            let left = some.count - start
            let (second, third) = (left > 1 ? some[start + 1] : 0, left > 2 ? some[start + 2] : 0)
            bytes.append(Self.base64Digits[Int(some[start] >> 2)])
            bytes.append(Self.base64Digits[Int((some[start] & 3) << 4 | second >> 4)])
            bytes.append(left > 1 ? Self.base64Digits[Int((second & 15) << 2 | third >> 6)] : UInt8(ascii: "="))
            bytes.append(left > 2 ? Self.base64Digits[Int(third & 63)] : UInt8(ascii: "="))
            start += 3
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var hasLineBreaks: Bool {
        guard let start = baseAddress else { return false }
        return memchr(start, 0x0A, count) != nil || memchr(start, 0x0D, count) != nil
    }
}
