import JSON
import Model

extension JSONWriter {
    /// A string of exactly `count` ASCII characters that need no escaping, made without a `String` on the way.
    mutating func ascii(count: Int, _ fill: (inout ASCIIText) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: count + 2, alignment: 1) { buffer in
            var text = ASCIIText(buffer: buffer)
            text.put("\"")
            fill(&text)
            text.put("\"")
            raw(UnsafeRawBufferPointer(rebasing: buffer[..<text.count]))
        }
    }

    mutating func time(_ microseconds: UInt64) {
        ascii(count: WireTime.textCount) { $0.put(WireTime(microseconds: microseconds)) }
    }

    /// The same text as `JournalCursor.description`.
    mutating func cursor(_ cursor: JournalCursor) {
        // Two ids of 32 digits, four numbers of at most 16, six names with "=", five ";".
        ascii(count: 2 * 32 + 4 * 16 + 6 * 2 + 5) { text in
            text.put("s=")
            text.put(cursor.seqnumID)
            text.put(";i=")
            text.put(hexadecimal: cursor.seqnum)
            text.put(";b=")
            text.put(cursor.bootID)
            text.put(";m=")
            text.put(hexadecimal: cursor.monotonicMicroseconds)
            text.put(";t=")
            text.put(hexadecimal: cursor.realtimeMicroseconds)
            text.put(";x=")
            text.put(hexadecimal: cursor.xorHash)
        }
    }
}

/// Short ASCII text written into memory that the caller made large enough.
struct ASCIIText: ~Copyable {
    let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    mutating func put(_ text: StaticString) {
        for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) { put(byte) }
    }

    mutating func put(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    /// 32 digits.
    mutating func put(_ id: ID128) {
        put(hexadecimal: id.high, digits: 16)
        put(hexadecimal: id.low, digits: 16)
    }

    /// As many digits as the number needs.
    mutating func put(hexadecimal number: UInt64) {
        put(hexadecimal: number, digits: max(1, (64 - number.leadingZeroBitCount + 3) / 4))
    }

    private mutating func put(hexadecimal number: UInt64, digits: Int) {
        var rest = number
        for place in (count..<count + digits).reversed() {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        }
        count += digits
    }

    /// Padded with zeros.
    mutating func put(decimal number: UInt64, digits: Int) {
        var rest = number
        for place in (count..<count + digits).reversed() {
            buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }
}
