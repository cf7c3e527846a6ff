package import Model

/// The form of times in SQL: `2026-11-21 10:00:00.123456` in UTC, as `datetime('now')` begins, so that texts are in the order of
/// time.
package enum SQLTime {
    /// Returns the time that is shown for one, which may be that of a damaged entry.
    /// - Parameter microseconds: since 1970.
    static func shown(_ microseconds: Int64) -> UInt64 { min(UInt64(max(0, microseconds)), UTCText.latest) }

    /// Returns where a time comes in the order of SQLite: by its text, which two times may share, and before all texts if it has
    /// none.
    static func place(of microseconds: Int64) -> Int64 {
        microseconds == -1 ? -1 : Int64(shown(microseconds))
    }

    /// Returns a range that has the places of all times of a range.
    static func places(of times: ClosedRange<Int64>) -> ClosedRange<Int64> {
        let first = times.lowerBound < 0 ? -1 : place(of: times.lowerBound)
        return first...max(0, place(of: times.upperBound))
    }

    /// - Parameter text: has room for `UTCText.count` characters.
    static func write(_ shown: UInt64, to text: UnsafeMutableRawBufferPointer) {
        UTCText.write(shown, mark: UInt8(ascii: " "), to: text)
    }

    package static func text(_ microseconds: Int64) -> String {
        withUnsafeTemporaryAllocation(byteCount: UTCText.count, alignment: 1) { text in
            write(shown(microseconds), to: text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static let shape = Array("0000-01-01 00:00:00.000000".utf8)

    /// Returns the earliest time whose text begins with a text, or is it; `nil` if no text of a time does. A text may have the
    /// forms of ISO 8601, too: `T` before the time of day, and `Z` or an offset behind it.
    ///
    /// A time whose text is not before this text is not before this time, and the other way round.
    package static func earliest(_ text: UnsafeRawBufferPointer) -> Int64? {
        let (length, offset) = zone(text)
        // Half a number is no beginning: the first time after 2026-1 is in October.
        guard [4, 5, 7, 8, 10, 11, 13, 14, 16, 17].contains(length) || (19...29).contains(length),
            offset == nil || length == 16 || length >= 19, text[min(length, shape.count)..<length].allSatisfy(\.isDigit)
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: shape.count, alignment: 1) { whole -> Int64? in
            whole.copyBytes(from: shape)
            // Digits behind those of microseconds are left out.
            whole.copyBytes(from: text[..<min(length, shape.count)])
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
            guard date.exists, date.year >= 1970, hour < 24, minute < 60, second < 60 else { return nil }
            let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - (offset ?? 0)
            return seconds < 0 ? nil : Int64(seconds) * 1_000_000 + Int64(number(20..<26))
        }
    }

    package static func earliest(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { earliest(UnsafeRawBufferPointer($0)) }
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

    /// The first and the last time that may be shown also stand for all times before and after them, so they are no bounds.
    package static let exact = Int64(1)..<Int64(UTCText.latest)
}

extension TimeUnit {
    /// The length of its texts in SQL, which are the beginning of the time at which it begins, as statistics show it:
    /// `2026-11-21 10:00`, `2026-11-21`.
    package var textCount: Int {
        switch self {
        case .minute, .hour: 16
        case .day, .week: 10
        case .month: 7
        }
    }
}
