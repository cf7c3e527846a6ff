import Model

/// A time in the form of the API: RFC 3339 in UTC with microseconds, such as `2026-11-21T01:00:00.123456Z`.
///
/// The text is computed with integers, since hundreds of thousands of event lines are written a second.
package struct WireTime: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The time since 1970.
    package var microseconds: UInt64

    /// 9999-12-31T23:59:59.999999Z: RFC 3339 has four digits for the year.
    package static let latest = WireTime(microseconds: UTCText.latest)

    /// The number of characters of the text.
    static let textCount = UTCText.count + 1

    package init(microseconds: UInt64) {
        self.microseconds = microseconds
    }

    /// Reads an RFC 3339 time with any offset, with `T`, `t` or a space before the time of day, and with any number of
    /// decimals, of which six are kept.
    /// - Returns: `nil` for other texts, days that do not exist, and times before 1970.
    package init?(_ text: String) {
        self.init(Array(text.utf8)[...])
    }

    init?(_ text: ArraySlice<UInt8>) {
        guard let microseconds = text.withUnsafeBytes({ UTCText.microseconds($0) }) else { return nil }
        self.microseconds = UInt64(microseconds)
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
    /// Appends `WireTime.textCount` characters. Times after `latest`, which only damaged entries have, are written as
    /// `latest`.
    mutating func put(_ time: WireTime) {
        let microseconds = min(time.microseconds, WireTime.latest.microseconds)
        put(count: UTCText.count) { UTCText.write(microseconds, mark: UInt8(ascii: "T"), to: $0) }
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
