import Model

/// Reads an RFC 3339 `date-time`.
/// - Source: RFC 3339, section 5.6
struct WireTimeParser {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) {
        rest = text
    }

    /// Returns microseconds since 1970, or `nil`.
    mutating func parse() -> UInt64? {
        guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
            skip("T") || skip("t") || skip(" "),
            let hour = digits(2), skip(":"), let minute = digits(2), skip(":"), let second = digits(2),
            // 60 is a leap second, which is treated as the first second of the next minute.
            hour < 24, minute < 60, second <= 60,
            let fraction = fraction(), let offset = offsetInSeconds(), rest.isEmpty
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        guard seconds >= 0 else { return nil }
        return UInt64(seconds) * 1_000_000 + UInt64(fraction)
    }

    /// Returns microseconds; 0 if there is no `.`.
    private mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        var value = 0
        var count = 0
        while let digit = digit() {
            if count < 6 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    private mutating func offsetInSeconds() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func digits(_ count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func digit() -> Int? {
        guard let byte = rest.first, byte.isDigit else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
