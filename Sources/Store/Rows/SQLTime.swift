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

    /// Returns the earliest time whose text begins with a text, or is it; `nil` if no text of a time does. A text may have the
    /// forms of ISO 8601, too: `T` before the time of day, and `Z` or an offset behind it.
    ///
    /// A time whose text is not before this text is not before this time, and the other way round.
    package static func earliest(_ text: UnsafeRawBufferPointer) -> Int64? { UTCText.microseconds(text, isPart: true) }

    package static func earliest(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { earliest(UnsafeRawBufferPointer($0)) }
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
