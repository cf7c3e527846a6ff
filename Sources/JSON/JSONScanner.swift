/// Validates JSON texts and returns the ranges of their parts. It does not convert values: numbers and strings stay the
/// bytes that were written.
///
/// It implements all of RFC 8259, strictly: bytes after the end, a leading byte order mark, `NaN`, control characters
/// and invalid UTF-8 within strings are errors. Any white space that the RFC allows may surround the text. Numbers of
/// any length and escapes of single surrogates are valid. Keys may repeat: each occurrence is a member.
///
/// All offsets, including those of errors, count from the first byte of the input, even if only a part of it (`in:`) is
/// scanned.
package enum JSONScanner {
    /// Scans a text that must be one object.
    ///
    /// - Parameters:
    ///   - range: the part of `bytes` that is the text; `nil` for all.
    ///   - members: receives the members in order. Its previous content is removed and its memory reused. It is meaningful
    ///     only when the text is valid.
    /// - Returns: the error, or `nil` when the text is valid.
    package static func scanObject(
        _ bytes: UnsafeRawBufferPointer, in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits(),
        into members: inout [JSONMember]
    ) -> JSONError? {
        members.removeAll(keepingCapacity: true)
        return scan(bytes, in: range ?? 0..<bytes.count, limits: limits) { reader throws(JSONError) in
            try reader.object(into: &members)
        }
    }

    /// Returns the members of the object in `range`. Their ranges are offsets into `bytes`: to get members of members,
    /// call this again with a member's `value`.
    package static func members(
        of bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        let range = range ?? 0..<bytes.count
        // Most objects have no more members, and most members are longer.
        members.reserveCapacity(min(32, range.count / 12))
        let error = bytes.withUnsafeBytes { buffer in
            scan(buffer, in: range, limits: limits) { reader throws(JSONError) in
                try reader.object(into: &members)
            }
        }
        if let error { throw error }
        return members
    }

    /// Returns the kind of a text that is one JSON value, without white space around it; `nil` if it is none.
    package static func kind(of text: UnsafeRawBufferPointer) -> JSONKind? {
        var element: JSONElement?
        let error = scan(text, in: 0..<text.count, limits: .payload) { reader throws(JSONError) in
            element = try reader.value(depth: 0)
        }
        return error == nil && element?.value == 0..<text.count ? element?.kind : nil
    }

    /// Returns the elements of the array in `range`; their ranges are offsets into `bytes`.
    package static func elements(of bytes: [UInt8], in range: Range<Int>? = nil) throws(JSONError) -> [JSONElement] {
        var elements: [JSONElement] = []
        let error = bytes.withUnsafeBytes { buffer in
            scan(buffer, in: range ?? 0..<buffer.count, limits: JSONLimits()) { reader throws(JSONError) in
                try reader.array(into: &elements)
            }
        }
        if let error { throw error }
        return elements
    }

    @inline(__always)
    private static func scan(
        _ bytes: UnsafeRawBufferPointer, in range: Range<Int>, limits: JSONLimits,
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) -> JSONError? {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range is within the bytes")
        guard let base = bytes.baseAddress, !range.isEmpty else {
            return JSONError(offset: range.lowerBound, problem: .unexpectedEnd)
        }
        var reader = JSONReader(
            bytes: base.assumingMemoryBound(to: UInt8.self), in: range, limits: limits)
        do throws(JSONError) {
            guard !reader.beginsWithByteOrderMark else { throw reader.error(.byteOrderMark) }
            try body(&reader)
            try reader.finish()
            return nil
        } catch {
            return error
        }
    }
}

extension JSONReader {
    fileprivate var beginsWithByteOrderMark: Bool {
        end - at >= 3 && bytes[at] == 0xEF && bytes[at + 1] == 0xBB && bytes[at + 2] == 0xBF
    }
}

/// Searches eight bytes of a string at a time for the first byte that needs special treatment.
enum StringWord {
    /// Returns how many of the eight bytes at `bytes` come before the first quote, backslash, control character or
    /// non-ASCII byte.
    @inline(__always)
    static func plainBytes(_ bytes: UnsafePointer<UInt8>) -> Int {
        let word = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
        // Each term sets the top bit of each matching byte. The borrow of a subtraction may set more bits, but only
        // above a matching byte, and only the lowest counts.
        let special =
            zeroBytes(word ^ (ones &* 0x22)) | zeroBytes(word ^ (ones &* 0x5C))
            | ((word &- ones &* 0x20) & ~word & topBits) | (word & topBits)
        return special.trailingZeroBitCount / 8
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & topBits }
}
