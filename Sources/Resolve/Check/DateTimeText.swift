import Model

/// The ISO 8601 forms that PostgreSQL accepts for dates and times.
///
/// - date: `2026-11-21`, `2026-1-8`, `20261121`; years from 1, of four to seven digits
/// - timestamp, timestamptz: a date, alone or with a time after `T`, `t` or one space: `01:02`, `01:02:03`,
///   `01:02:03.123456` (any number of digits), `0102`, `010203`; up to `24:00:00`, and second 60 without a fraction
/// - after the time `Z` or `z`, `+09`, `+09:00`, `+0900`, `-03:30:15` (up to 15:59:59), or ` UTC`; one space may come before.
///   PostgreSQL accepts a `timestamp` with an offset, which it ignores, and a `timestamptz` without one, for which it
///   uses the connection's time zone. So both are valid here.
///
/// PostgreSQL also accepts words (`now`, `infinity`), month names, `BC`, other time zones by name, white space around
/// the text, and a time in a `date`, which it silently drops. These are not valid here.
///
/// - Source: PostgreSQL documentation, 8.5.1 "Date/Time Input", and appendix B.1.
struct DateTimeText {
    enum Verdict { case valid, noSuchTime, otherForm }

    private let text: UnsafeRawBufferPointer
    private var at = 0
    /// Whether the day and time exist, as far as the text has been read.
    private var exists = true
    /// What has been read.
    private var time = Time()
    /// Whether a fraction may follow a comma, as in ISO 8601.
    private var allowsComma = false

    /// A time in parts.
    struct Time {
        var date = CivilDate(year: 1, month: 1, day: 1)
        var (hour, minute, second, microseconds) = (0, 0, 0, 0)
        /// East of UTC in seconds; `nil` if the text does not say it.
        var offset: Int?
    }

    /// Returns the time that a text says; `nil` if it is none.
    static func time(_ text: UnsafeRawBufferPointer) -> Time? {
        var reader = DateTimeText(text)
        reader.allowsComma = true
        return reader.timestamp() == .valid ? reader.time : nil
    }

    static func checkDate(_ text: UnsafeRawBufferPointer) -> Verdict {
        var reader = DateTimeText(text)
        guard reader.date(lastYear: 5_874_897), reader.isAtEnd else { return .otherForm }
        return reader.exists ? .valid : .noSuchTime
    }

    static func checkTimestamp(_ text: UnsafeRawBufferPointer) -> Verdict {
        var reader = DateTimeText(text)
        return reader.timestamp()
    }

    private init(_ text: UnsafeRawBufferPointer) {
        self.text = text
    }

    private mutating func timestamp() -> Verdict {
        guard date(lastYear: 294_276) else { return .otherForm }
        if !isAtEnd {
            guard skip("T") || skip("t") || skip(" "), clock(), offset(), isAtEnd else { return .otherForm }
        }
        return exists ? .valid : .noSuchTime
    }

    private var isAtEnd: Bool { at == text.count }

    private mutating func date(lastYear: Int) -> Bool {
        let digits = digitsAhead
        var year = 0
        var month = 0
        var day = 0
        if digits == 8 {
            guard number(4, &year), number(2, &month), number(2, &day) else { return false }
        } else {
            guard (4...7).contains(digits), number(digits, &year), skip("-"), shortNumber(&month), skip("-"),
                shortNumber(&day)
            else { return false }
        }
        time.date = CivilDate(year: year, month: month, day: day)
        require((1...lastYear).contains(year) && time.date.exists)
        return true
    }

    private mutating func clock() -> Bool {
        var hour = 0
        var minute = 0
        var second = 0
        var hasFraction = false
        let isCompact = digitsAhead > 2
        guard number(2, &hour), isCompact || skip(":"), number(2, &minute) else { return false }
        if isCompact ? digitsAhead > 0 : skip(":") {
            guard number(2, &second), fraction(&hasFraction) else { return false }
        }
        let isMidnight = hour == 24 && minute == 0 && second == 0 && !hasFraction
        let isLeapSecond = second == 60 && !hasFraction
        require((hour <= 23 || isMidnight) && minute <= 59 && (second <= 59 || isLeapSecond))
        (time.hour, time.minute, time.second) = (hour, minute, second)
        return true
    }

    /// - Parameter isPresent: on return, whether the fraction is more than 0.
    private mutating func fraction(_ isPresent: inout Bool) -> Bool {
        guard skip(".") || (allowsComma && skip(",")) else { return true }
        let digits = digitsAhead
        isPresent = text[at..<at + digits].contains { $0 != UInt8(ascii: "0") }
        for place in 0..<6 {
            let digit = place < digits ? Int(text[at + place] - UInt8(ascii: "0")) : 0
            time.microseconds = time.microseconds * 10 + digit
        }
        at += digits
        return digits > 0
    }

    private mutating func offset() -> Bool {
        if isAtEnd { return true }
        let isSpaced = skip(" ")
        time.offset = 0
        if skip("Z") || skip("z") { return true }
        if isSpaced, skip("U") { return skip("T") && skip("C") }
        let isWest = skip("-")
        guard isWest || skip("+") else { return false }
        var hour = 0
        var minute = 0
        var second = 0
        guard number(2, &hour) else { return false }
        if digitsAhead == 2 {
            guard number(2, &minute) else { return false }
        } else if skip(":") {
            guard number(2, &minute) else { return false }
            if skip(":") { guard number(2, &second) else { return false } }
        }
        require(hour <= 15 && minute <= 59 && second <= 59)
        time.offset = (hour * 3600 + minute * 60 + second) * (isWest ? -1 : 1)
        return true
    }

    private mutating func require(_ condition: Bool) {
        if !condition { exists = false }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard at < text.count, text[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private var digitsAhead: Int {
        var end = at
        while end < text.count, text[end] &- UInt8(ascii: "0") < 10 { end += 1 }
        return end - at
    }

    private mutating func shortNumber(_ value: inout Int) -> Bool { number(min(digitsAhead, 2), &value) }

    private mutating func number(_ digits: Int, _ value: inout Int) -> Bool {
        guard digits > 0, digitsAhead >= digits else { return false }
        for _ in 0..<digits {
            value = value * 10 + Int(text[at] - UInt8(ascii: "0"))
            at += 1
        }
        return true
    }
}

/// Compares an integer's text with a range: exactly, whatever its length.
enum IntegerText {
    enum Size { case fits, tooSmall, tooLarge }

    /// - Parameter text: a JSON number without fraction and exponent.
    @inline(__always)
    static func size(of text: UnsafeRawBufferPointer, in range: ClosedRange<Int64>) -> Size {
        let isNegative = text.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // JSON allows no leading zeros: every Int64 fits into 19 digits, and a longer number is larger.
        guard text.count - start <= 19 else { return isNegative ? .tooSmall : .tooLarge }
        var magnitude: UInt64 = 0
        for index in start..<text.count { magnitude = magnitude &* 10 &+ UInt64(text[index] &- UInt8(ascii: "0")) }
        if isNegative { return magnitude <= range.lowerBound.magnitude ? .fits : .tooSmall }
        return magnitude <= range.upperBound.magnitude ? .fits : .tooLarge
    }
}
