/// Finds where the values of a JSON text end. It expects valid JSON, and validates only that it reads no byte outside
/// of the text. For invalid JSON, the ends may be anywhere within the text.
struct PayloadScan {
    let bytes: UnsafeRawBufferPointer

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// - Parameter place: the position of the first byte after the opening quote.
    /// - Returns: the position of the closing quote.
    @inline(__always)
    func endOfString(from place: Int) -> Int? {
        var at = place
        while true {
            while at + 8 <= bytes.count {
                let skipped = Self.plainBytes(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                at += skipped
                if skipped < 8 { break }
            }
            guard at < bytes.count else { return nil }
            switch bytes[at] {
            case UInt8(ascii: "\""): return at
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
    }

    /// Returns how many of eight bytes come before the first quote or backslash.
    @inline(__always)
    private static func plainBytes(_ word: UInt64) -> Int {
        let word = UInt64(littleEndian: word)
        let quotes = word ^ ones &* 0x22
        let escapes = word ^ ones &* 0x5C
        let found = ((quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes) & topBits
        return found.trailingZeroBitCount / 8
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    /// - Parameter place: the position of the first byte of a number, `true`, `false` or `null`.
    @inline(__always)
    func endOfScalar(from place: Int) -> Int {
        var at = place
        while at < bytes.count {
            let byte = bytes[at]
            if byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                break
            }
            at += 1
        }
        return at
    }

    /// - Parameter place: the position of the opening bracket or brace.
    /// - Returns: the position after the closing one.
    func endOfContainer(from place: Int) -> Int? {
        var (at, depth) = (place, 0)
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return at + 1 }
            case UInt8(ascii: "\""):
                guard let end = endOfString(from: at + 1) else { return nil }
                at = end
            default: break
            }
            at += 1
        }
        return nil
    }

    /// The next element of an object.
    enum Step {
        /// The position after the closing brace.
        case end(Int)
        /// - Parameters:
        ///   - key: the range of the key between its quotes, as it is written.
        ///   - value: the position of the value's first byte.
        case member(key: Range<Int>, value: Int)
    }

    /// - Parameter place: the position after the opening brace, or after one of the object's values.
    /// - Returns: `nil` when the bytes are not JSON.
    @inline(__always)
    func step(from place: Int) -> Step? {
        guard var at = token(from: place) else { return nil }
        if bytes[at] == UInt8(ascii: ",") {
            guard let next = token(from: at + 1) else { return nil }
            at = next
        }
        if bytes[at] == UInt8(ascii: "}") { return .end(at + 1) }
        guard bytes[at] == UInt8(ascii: "\""), let keyEnd = endOfString(from: at + 1),
            let colon = token(from: keyEnd + 1), bytes[colon] == UInt8(ascii: ":"), let value = token(from: colon + 1)
        else { return nil }
        return .member(key: at + 1..<keyEnd, value: value)
    }

    /// Returns the range of a value that is not an object.
    /// - Parameter place: the position of its first byte.
    /// - Returns: its range, for a string without the quotes, and the position after it; `nil` when the bytes are not
    ///   JSON.
    @inline(__always)
    func value(from place: Int) -> (content: Range<Int>, kind: PayloadTemplate.Kind, end: Int)? {
        switch bytes[place] {
        case UInt8(ascii: "\""):
            guard let end = endOfString(from: place + 1) else { return nil }
            return (place + 1..<end, .string, end + 1)
        case UInt8(ascii: "["):
            guard let end = endOfContainer(from: place) else { return nil }
            return (place..<end, .array, end)
        default:
            let end = endOfScalar(from: place)
            return end > place ? (place..<end, .scalar, end) : nil
        }
    }

    /// Returns the position of the next byte that is not white space.
    @inline(__always)
    func token(from place: Int) -> Int? {
        var at = place
        while at < bytes.count {
            if bytes[at] > 0x20 { return at }
            at += 1
        }
        return nil
    }
}
