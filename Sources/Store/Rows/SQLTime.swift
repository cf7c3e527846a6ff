internal import Model

/// The form of times in SQL: `2026-11-21 10:00:00.123456` in UTC, as `datetime('now')` begins, so that texts are in the order of
/// time.
package enum SQLTime {
    static let textCount = 26
    /// The last microsecond of the year 9999. Damaged entries may have later times, which are shown as this one.
    private static let latest: Int64 = 253_402_300_799_999_999

    /// Writes the text of a time.
    /// - Parameters:
    ///   - microseconds: since 1970.
    ///   - text: has room for `textCount` bytes.
    static func write(_ microseconds: Int64, _ text: UnsafeMutableRawBufferPointer) {
        let shown = min(max(0, microseconds), latest)
        let (days, second) = Int(shown / 1_000_000).quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: days)
        put(date.year, 0, 4, "-", text)
        put(date.month, 5, 2, "-", text)
        put(date.day, 8, 2, " ", text)
        put(second / 3600, 11, 2, ":", text)
        put(second / 60 % 60, 14, 2, ":", text)
        put(second % 60, 17, 2, ".", text)
        writeFraction(shown, text)
    }

    /// Writes the part of the text that differs within a second.
    static func writeFraction(_ microseconds: Int64, _ text: UnsafeMutableRawBufferPointer) {
        put(Int(microseconds % 1_000_000), 20, 6, nil, text)
    }

    private static func put(
        _ number: Int, _ place: Int, _ digits: Int, _ mark: Unicode.Scalar?, _ text: UnsafeMutableRawBufferPointer
    ) {
        var rest = number
        for index in (place..<place + digits).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        if let mark { text[place + digits] = UInt8(ascii: mark) }
    }

    package static func text(_ microseconds: Int64) -> String {
        withUnsafeTemporaryAllocation(byteCount: textCount, alignment: 1) { text in
            write(microseconds, text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Returns the earliest time whose text begins with a text, or is it; `nil` if no text of a time does.
    ///
    /// A time whose text is not before this text is not before this time, and the other way round.
    package static func earliest(_ text: String) -> Int64? {
        let (shape, bytes) = (Array("0000-01-01 00:00:00.000000".utf8), Array(text.utf8))
        // Half a number is no beginning: the first time after 2026-1 is in October.
        guard [4, 5, 7, 8, 10, 11, 13, 14, 16, 17].contains(bytes.count) || (19...shape.count).contains(bytes.count)
        else { return nil }
        let whole = bytes + shape[bytes.count...]
        for (byte, mark) in zip(whole, shape) {
            let isDigit = (0x30...0x39).contains(mark)
            guard isDigit ? (0x30...0x39).contains(byte) : byte == mark else { return nil }
        }
        func number(_ range: Range<Int>) -> Int { whole[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard date.exists, date.year >= 1970, hour < 24, minute < 60, second < 60 else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        return Int64(seconds) * 1_000_000 + Int64(number(20..<26))
    }

    /// The times that are shown as `latest`, and those that are shown as 1970, are no bounds.
    package static let exact = Int64(1)..<latest
}
