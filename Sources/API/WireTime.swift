/// A time as the API writes it: RFC 3339 in UTC with microseconds, such as `2026-11-21T01:00:00.123456Z`.
///
/// It is computed with integers: an event line is written hundreds of thousands of times a second.
package struct WireTime: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// Since 1970.
    package var microseconds: UInt64

    /// 9999-12-31T23:59:59.999999Z: RFC 3339 has four digits for the year.
    package static let latest = WireTime(microseconds: 253_402_300_799_999_999)

    /// How many characters the text has.
    static let textCount = 27

    package init(microseconds: UInt64) {
        self.microseconds = microseconds
    }

    /// The inverse of `description`; takes any offset, `T`, `t` or a space before the time, and any number of decimals,
    /// of which those after the sixth are dropped.
    /// - Returns: `nil` for what is not RFC 3339, days that do not exist, and times before 1970.
    package init?(_ text: String) {
        var parser = WireTimeParser(text)
        guard let microseconds = parser.parse() else { return nil }
        self.microseconds = microseconds
    }

    package var description: String {
        withUnsafeTemporaryAllocation(byteCount: Self.textCount, alignment: 1) { buffer in
            var text = ASCIIText(buffer: buffer)
            text.put(self)
            return String(decoding: buffer, as: UTF8.self)
        }
    }

    package static func < (one: WireTime, other: WireTime) -> Bool { one.microseconds < other.microseconds }
}

extension ASCIIText {
    /// `WireTime.textCount` characters. Times after `latest`, which only a damaged entry has, are written as `latest`.
    mutating func put(_ time: WireTime) {
        let microseconds = min(time.microseconds, WireTime.latest.microseconds)
        let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: Int(days))
        put(decimal: UInt64(date.year), digits: 4)
        put("-")
        put(decimal: UInt64(date.month), digits: 2)
        put("-")
        put(decimal: UInt64(date.day), digits: 2)
        put("T")
        put(decimal: second / 3600, digits: 2)
        put(":")
        put(decimal: second / 60 % 60, digits: 2)
        put(":")
        put(decimal: second % 60, digits: 2)
        put(".")
        put(decimal: fraction, digits: 6)
        put("Z")
    }
}

extension WireTime: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = WireTime(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time: \(text)")
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
