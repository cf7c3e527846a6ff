/// Checks JSON texts and says where their parts are, without making values of them: numbers and strings stay the bytes
/// that were written.
///
/// All of RFC 8259, strictly: bytes after the end, a leading byte order mark, `NaN`, control characters and invalid
/// UTF-8 within strings are errors. Any white space that the RFC allows may surround the text. Numbers of any length
/// and escapes of single surrogates are valid. Keys may repeat: each occurrence is a member.
///
/// All offsets, those of errors too, count from the first byte of what was handed in, also where only a part of it
/// (`in:`) is scanned.
package enum JSONScanner {
    /// Scans a text that is one object.
    ///
    /// - Parameter members: becomes the members in their order; what it held before is removed, its memory is reused.
    ///   Of use only when the text is valid.
    /// - Returns: `nil` when the text is valid.
    package static func scanObject(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits(), into members: inout [JSONMember]
    ) -> JSONError? {
        members.removeAll(keepingCapacity: true)
        return scan(bytes, in: 0..<bytes.count, limits: limits) { reader throws(JSONError) in
            try reader.object(into: &members)
        }
    }

    /// The members of the object that the bytes in `range` are; their ranges are offsets into `bytes`, so that members
    /// of members are found by asking again with a member's `value`.
    package static func members(
        of bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        let error = bytes.withUnsafeBytes { buffer in
            scan(buffer, in: range ?? 0..<buffer.count, limits: limits) { reader throws(JSONError) in
                try reader.object(into: &members)
            }
        }
        if let error { throw error }
        return members
    }

    /// The elements of the array that the bytes in `range` are; their ranges are offsets into `bytes`.
    package static func elements(
        of bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> [JSONElement] {
        var elements: [JSONElement] = []
        let error = bytes.withUnsafeBytes { buffer in
            scan(buffer, in: range ?? 0..<buffer.count, limits: limits) { reader throws(JSONError) in
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
        guard range.count <= limits.maximumBytes else {
            return JSONError(offset: range.lowerBound, problem: .tooLarge(limit: limits.maximumBytes))
        }
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

/// Eight bytes of a string at a time: finds the first that does not simply stand for itself.
enum StringWord {
    /// How many of the eight bytes at `bytes` come before the first quote, backslash, control character or byte that is
    /// not ASCII.
    @inline(__always)
    static func plainBytes(_ bytes: UnsafePointer<UInt8>) -> Int {
        let word = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
        // Each term sets the top bit of a byte that fits. The borrow of a subtraction may set more of them, but only
        // above a byte that fits, and the lowest is what counts.
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
