import JSON
import Model

extension JSONWriter {
    /// Appends a string of ASCII characters that need no escaping, without making a `String`.
    /// - Parameter count: the most bytes that `fill` writes, including those that it overwrites again.
    mutating func ascii(count: Int, _ fill: (inout ASCIIText) -> Void) {
        rawASCII(count: count + 2) { text in
            text.put("\"")
            fill(&text)
            text.put("\"")
        }
    }

    /// Appends JSON that is ASCII.
    mutating func rawASCII(count: Int, _ fill: (inout ASCIIText) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            var text = ASCIIText(buffer: buffer)
            fill(&text)
            raw(UnsafeRawBufferPointer(rebasing: buffer[..<text.count]))
        }
    }
}

/// Short ASCII text, written into memory that the caller has allocated.
struct ASCIIText: ~Copyable {
    let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    mutating func put(_ text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func put(_ text: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + text.count]).copyMemory(from: text)
        count += text.count
    }

    /// Appends so many bytes, which `fill` writes.
    mutating func put(count length: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        fill(UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + length]))
        count += length
    }

    mutating func put(_ level: Level) {
        var name = level.name
        name.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Appends 32 hexadecimal digits.
    mutating func put(_ id: ID128) {
        put(hexadecimal: id.high, digits: 16)
        put(hexadecimal: id.low, digits: 16)
    }

    /// Appends as many digits as the number needs; needs memory for 16.
    mutating func put(hexadecimal number: UInt64) {
        let digits = max(1, (64 - number.leadingZeroBitCount + 3) / 4)
        put(hexadecimal: number << UInt64(64 - 4 * digits), digits: digits)
    }

    /// - Parameter digits: how many of the 16 digits are appended, from the highest.
    private mutating func put(hexadecimal number: UInt64, digits: Int) {
        store(Self.hexadecimal(UInt32(truncatingIfNeeded: number >> 32)), at: count)
        store(Self.hexadecimal(UInt32(truncatingIfNeeded: number)), at: count + 8)
        count += digits
    }

    private func store(_ word: UInt64, at place: Int) {
        buffer.storeBytes(of: word.bigEndian, toByteOffset: place, as: UInt64.self)
    }

    /// Returns eight digits, the first one in the highest byte.
    private static func hexadecimal(_ number: UInt32) -> UInt64 {
        var digits = UInt64(number)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding six to a digit of ten or more carries into the next bits.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    }

    /// Appends the text of `JournalCursor.description`, never with the hash.
    mutating func put(_ cursor: JournalCursor) {
        put("s=")
        put(cursor.seqnumID)
        put(";i=")
        put(hexadecimal: cursor.seqnum)
        put(";b=")
        put(cursor.bootID)
        put(";m=")
        put(hexadecimal: cursor.monotonicMicroseconds)
        put(";t=")
        put(hexadecimal: cursor.realtimeMicroseconds)
    }

    /// Appends a number in as many digits as it needs.
    mutating func put(decimal number: Int64) {
        if number < 0 { put("-") }
        var (rest, digits) = (number.magnitude, 1)
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        put(decimal: number.magnitude, digits: digits)
    }

    /// Appends a number, padded with zeros.
    mutating func put(decimal number: UInt64, digits: Int) {
        var rest = number
        for place in (count..<count + digits).reversed() {
            buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }
}

extension JournalCursor {
    /// Two ids of 32 digits, four numbers of at most 16, six names with "=", five ";", and the memory that the last
    /// number needs while it is written.
    static let textCapacity = 2 * 32 + 4 * 16 + 6 * 2 + 5 + 16
}
