/// The digits of times in UTC, `2026-11-21T01:00:00.123456`, written with integers, since hundreds of thousands of them are
/// written a second.
package enum UTCText {
    /// The number of characters.
    package static let count = 26
    /// 9999-12-31T23:59:59.999999, the last time with four digits for the year, in microseconds since 1970. Only damaged
    /// entries have later ones.
    package static let latest: UInt64 = 253_402_300_799_999_999

    /// - Parameters:
    ///   - microseconds: since 1970, at most `latest`.
    ///   - mark: the character between the date and the time of day.
    ///   - text: has room for `count` characters.
    package static func write(_ microseconds: UInt64, mark: UInt8, to text: UnsafeMutableRawBufferPointer) {
        let (days, second) = Int(microseconds / 1_000_000).quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: days)
        put(date.year, 0, 4, to: text)
        text[4] = UInt8(ascii: "-")
        put(date.month, 5, 2, to: text)
        text[7] = UInt8(ascii: "-")
        put(date.day, 8, 2, to: text)
        text[10] = mark
        put(second / 3600, 11, 2, to: text)
        text[13] = UInt8(ascii: ":")
        put(second / 60 % 60, 14, 2, to: text)
        text[16] = UInt8(ascii: ":")
        put(second % 60, 17, 2, to: text)
        text[19] = UInt8(ascii: ".")
        writeFraction(microseconds, to: text)
    }

    /// Writes the part that differs within a second.
    package static func writeFraction(_ microseconds: UInt64, to text: UnsafeMutableRawBufferPointer) {
        put(Int(microseconds % 1_000_000), 20, 6, to: text)
    }

    private static func put(_ number: Int, _ place: Int, _ digits: Int, to text: UnsafeMutableRawBufferPointer) {
        var rest = number
        for index in (place..<place + digits).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
