/// A time span: `5m`, `1h 30min`, `1.5 days`. A number alone means seconds.
/// - Source: systemd.time(7), "Parsing time spans"
package enum TimeSpan {
    package static let examples = "5m, 90s, 1h30m, 2d"

    /// - Returns: microseconds; `nil` if the text is not a time span, or is longer than 292,000 years.
    package static func microseconds(_ text: some StringProtocol) -> UInt64? {
        var text = String(text)
        return text.withUTF8 { microseconds(UnsafeRawBufferPointer($0)) }
    }

    /// Returns what to write for a time span whose last number has no unit, where one is required; `nil` if it has one, or is 0.
    /// - Parameter sign: what stands before it.
    package static func missingUnit(in text: String, sign: String = "") -> String? {
        guard text.last(where: { !$0.isWhitespace })?.isLetter == false, let length = microseconds(text), length > 0
        else { return nil }
        return "\(text) what? write \(sign)\(text)s, \(sign)\(text)m or \(sign)\(text)h"
    }

    /// - Parameter text: UTF-8.
    static func microseconds(_ text: UnsafeRawBufferPointer) -> UInt64? {
        var rest = text.drop(while: \.isSpace)
        guard !rest.isEmpty else { return nil }
        var total = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isDigitOrPoint)
            rest = rest.dropFirst(digits.count).drop(while: \.isSpace)
            let unit = rest.prefix { !$0.isDigit && !$0.isSpace }
            rest = rest.dropFirst(unit.count).drop(while: \.isSpace)
            guard let number = Double(decimal: UnsafeRawBufferPointer(rebasing: digits)),
                let length = UnitName(unit).flatMap({ lengths[$0] })
            else { return nil }
            total += number * length
        }
        return total < 9.2e18 ? UInt64(total.rounded()) : nil
    }

    /// The length of each unit, in microseconds.
    private static let lengths = UnitName.table([
        ("us usec µs μs", 1), ("ms msec", 1e3), (" s sec secs second seconds", 1e6),
        ("m min mins minute minutes", 60e6), ("h hr hour hours", 3_600e6), ("d day days", 86_400e6),
        ("w week weeks", 7 * 86_400e6), ("M month months", 30.44 * 86_400e6), ("y year years", 365.25 * 86_400e6),
    ])
}

/// The name of a unit, of at most seven bytes of UTF-8.
struct UnitName: Hashable {
    /// The bytes behind a 1, so that a name that begins with NUL is another one.
    private var bytes: UInt64 = 1

    init?(_ text: some Collection<UInt8>) {
        guard text.count < 8 else { return nil }
        for byte in text { bytes = bytes << 8 | UInt64(byte) }
    }

    /// Letters of ASCII become small ones.
    init?(lowercasing text: some Collection<UInt8>) { self.init(text.lazy.map(\.lowercased)) }

    /// - Parameter units: names with spaces between them, of which one may be empty, and what they stand for.
    static func table(_ units: [(names: String, value: Double)]) -> [UnitName: Double] {
        var table: [UnitName: Double] = [:]
        for (names, value) in units {
            for name in names.split(separator: " ", omittingEmptySubsequences: false) {
                table[UnitName(Array(name.utf8))!] = value
            }
        }
        return table
    }
}
