/// The digits of times in UTC, `2026-11-21T01:00:00.123456`, written and read with integers, since hundreds of thousands of them
/// are written a second.
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

extension UTCText {
    private static let shape = Array("0000-01-01 00:00:00.000000".utf8)

    /// Reads a time with any offset, with `T`, `t` or a space before the time of day, and with any number of decimals, of which
    /// six are kept. 60 is a leap second, which is the first second of the next minute.
    /// - Parameter isPart: whether it may also be the beginning of a time, and have no zone, as in SQL. The earliest such time is
    ///   meant.
    /// - Returns: microseconds since 1970; `nil` for other texts, days that do not exist, and times before 1970.
    /// - Source: RFC 3339, section 5.6
    package static func microseconds(_ text: UnsafeRawBufferPointer, isPart: Bool = false) -> Int64? {
        let (length, offset) = zone(text)
        let hasForm =
            if isPart {
                // Half a number is no beginning: the first time after 2026-1 is in October.
                ([4, 5, 7, 8, 10, 11, 13, 14, 16, 17].contains(length) || (19...29).contains(length))
                    && (offset == nil || length == 16 || length >= 19)
            } else {
                offset != nil && (length == 19 || length > 20)
            }
        guard hasForm, text[min(length, count)..<length].allSatisfy(\.isDigit) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { whole -> Int64? in
            whole.copyBytes(from: shape)
            whole.copyBytes(from: text[..<min(length, count)])
            if whole[10] | 0x20 == UInt8(ascii: "t") { whole[10] = UInt8(ascii: " ") }
            for place in shape.indices {
                let isDigit = shape[place].isDigit
                guard isDigit ? whole[place].isDigit : whole[place] == shape[place] else { return nil }
            }
            func number(_ range: Range<Int>) -> Int {
                self.number(Slice(base: UnsafeRawBufferPointer(whole), bounds: range)) ?? 0
            }
            let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
            let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
            guard date.exists, hour < 24, minute < 60, second < 60 || second == 60 && !isPart else { return nil }
            let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - (offset ?? 0)
            return seconds < 0 ? nil : Int64(seconds) * 1_000_000 + Int64(number(20..<26))
        }
    }

    /// Returns where the zone begins in a text, and its offset in seconds; `nil` if the text has no zone.
    private static func zone(_ text: UnsafeRawBufferPointer) -> (start: Int, offset: Int?) {
        if let last = text.last, last | 0x20 == UInt8(ascii: "z") { return (text.count - 1, 0) }
        let start = text.count - 6
        guard start > 0, "+-".utf8.contains(text[start]), text[start + 3] == UInt8(ascii: ":"),
            let hours = number(text[(start + 1)...(start + 2)]), let minutes = number(text[(start + 4)...]), hours < 24,
            minutes < 60
        else { return (text.count, nil) }
        return (start, (hours * 60 + minutes) * (text[start] == UInt8(ascii: "-") ? -60 : 60))
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        digits.allSatisfy(\.isDigit) ? digits.reduce(0) { $0 * 10 + Int($1) - 0x30 } : nil
    }
}
