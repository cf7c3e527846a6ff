internal import Glibc
import Model

/// The time that a program gives.
///
/// - a number: seconds, milliseconds, microseconds or nanoseconds since 1970, by its size; also as text, and with a fraction or
///   an exponent. Digits alone are always one, also `20261121`, which `DateTimeText` would take for a date
/// - ISO 8601, in the forms of `DateTimeText`, also with a comma before the fraction. Without an offset it is the local time of
///   the machine, which is what programs write without one.
enum ProgramTime {
    /// - Returns: microseconds since 1970; `nil` if the text is no time, or none from 1970 to 9999.
    static func microseconds(of text: String) -> UInt64? {
        var text = text
        let time = text.withUTF8 { bytes -> Int? in
            let bytes = UnsafeRawBufferPointer(bytes)
            return number(bytes) ?? DateTimeText.time(bytes).flatMap(microseconds)
        }
        guard let time, (0..<253_402_300_800_000_000).contains(time) else { return nil }
        return UInt64(time)
    }

    private static func microseconds(of time: DateTimeText.Time) -> Int? {
        // Dates may have years that have no microseconds in 64 bits.
        guard time.date.year <= 9999 else { return nil }
        if let offset = time.offset {
            let seconds = time.hour * 3600 + time.minute * 60 + time.second
            return (time.date.daysSince1970 * 86_400 + seconds - offset) * 1_000_000 + time.microseconds
        }
        var parts = tm()
        parts.tm_year = Int32(time.date.year - 1900)
        parts.tm_mon = Int32(time.date.month - 1)
        parts.tm_mday = Int32(time.date.day)
        // Not seconds of the day: days on which clocks change have others.
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time.hour), Int32(time.minute), Int32(time.second))
        parts.tm_isdst = -1
        let local = mktime(&parts)
        return local < 0 ? nil : local * 1_000_000 + time.microseconds
    }

    /// The digits from which a number counts milliseconds, microseconds, nanoseconds. Seconds have ten until 2286.
    private static let milliseconds = 12
    private static let microseconds = 15
    private static let nanoseconds = 18

    /// Reads a decimal number: digits, and perhaps a fraction and an exponent.
    private static func number(_ text: UnsafeRawBufferPointer) -> Int? {
        let written = text.prefix(while: \.isDigit)
        var rest = text[written.endIndex...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst() }
        let fraction = rest.prefix(while: \.isDigit)
        rest = rest[fraction.endIndex...]
        guard !written.isEmpty else { return nil }
        // The size of the number does not depend on zeros before it.
        let whole = written.drop { $0 == UInt8(ascii: "0") }
        guard let mark = rest.first else { return time(whole, fraction) }
        guard mark | 0x20 == UInt8(ascii: "e"), let exponent = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
            (-400...400).contains(exponent)
        else { return nil }
        let digits = (Array(whole) + Array(fraction)).drop { $0 == UInt8(ascii: "0") }
        guard !digits.isEmpty else { return 0 }
        let point = digits.count - fraction.count + exponent
        let zeros = repeatElement(UInt8(ascii: "0"), count: max(0, -point))
        return point > 0
            ? time(padded(digits, to: point), digits.dropFirst(point)) : time([UInt8(ascii: "0")], zeros + digits)
    }

    /// - Parameters:
    ///   - whole: the digits before the point.
    ///   - fraction: the digits behind it.
    private static func time(_ whole: some Collection<UInt8>, _ fraction: some Collection<UInt8>) -> Int? {
        guard whole.count <= 20 else { return nil }
        let places =
            switch whole.count {
            case nanoseconds...: -3
            case microseconds...: 0
            case milliseconds...: 3
            default: 6
            }
        // The digits of the microseconds.
        let digits = places < 0 ? whole.dropLast(-places) + [] : whole + padded(fraction, to: places)
        // They are 17 at most.
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func padded(_ digits: some Collection<UInt8>, to count: Int) -> [UInt8] {
        let digits = Array(digits.prefix(count))
        return digits + repeatElement(UInt8(ascii: "0"), count: count - digits.count)
    }
}
