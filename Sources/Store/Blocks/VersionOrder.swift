internal import Model

/// A version: numbers separated by dots, and perhaps what makes it a pre-release: `25.4`, `v1.2.3-beta.2`, `25.4rc1`. What follows
/// a `+` or stands in parentheses is the number of a build, which makes no difference.
/// - Source: semver.org 2.0.0, items 9 to 11; PEP 440, "Pre-releases"
struct VersionOrder: Comparable {
    /// 25.4 and 25.4.0 are the same.
    private var parts = SIMD8<UInt64>.zero
    private var suffix: [Part] = []

    private enum Part: Comparable {
        case number(UInt64)
        case text(ExactString)
    }

    private static let preReleases: Set<String> = ["a", "b", "c", "rc", "alpha", "beta", "pre", "preview", "dev"]

    init?(_ text: UnsafeRawBufferPointer) {
        var place = text.first == UInt8(ascii: "v") ? 1 : 0
        var count = 0
        while true {
            guard count < parts.scalarCount, let part = Self.number(in: text, &place) else { return nil }
            parts[count] = part
            count += 1
            guard place < text.count, text[place] == UInt8(ascii: ".") else { break }
            place += 1
        }
        guard place < text.count else { return }
        // 2026-11-21 is a day.
        guard count > 1, let suffix = Self.suffix(UnsafeRawBufferPointer(rebasing: text[place...]), of: text) else {
            return nil
        }
        self.suffix = suffix
    }

    /// Reads digits.
    /// - Returns: `nil` if there are none, or the number is too large.
    private static func number(in text: UnsafeRawBufferPointer, _ place: inout Int) -> UInt64? {
        let start = place
        var number: UInt64 = 0
        while place < text.count, text[place] &- UInt8(ascii: "0") < 10 {
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(text[place] &- UInt8(ascii: "0")))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
            place += 1
        }
        return place > start ? number : nil
    }

    /// - Parameter rest: what follows the numbers, not empty.
    /// - Returns: `nil` if that makes the text no version.
    private static func suffix(_ rest: UnsafeRawBufferPointer, of text: UnsafeRawBufferPointer) -> [Part]? {
        let first = rest[0]
        guard "-+_ ".utf8.contains(first) || (first | 0x20) &- UInt8(ascii: "a") < 26 else { return nil }
        let rest = String(decoding: rest, as: UTF8.self)
        let named = rest.prefix(while: \.isLetter).lowercased()
        guard rest.first.map({ "-+_ ".contains($0) }) ?? true || preReleases.contains(named) else { return nil }
        // 12.5 ms and 12.5 % are amounts.
        if rest.first == " " {
            guard rest.dropFirst().first.map({ $0.isLetter || $0.isNumber || $0 == "(" }) ?? true,
                Measure(text) == nil
            else { return nil }
        }
        return parts(of: rest.prefix { $0 != "+" && $0 != "(" })
    }

    /// The runs of digits and of letters, which are compared one by one.
    private static func parts(of suffix: Substring) -> [Part] {
        var (parts, rest) = ([Part](), suffix)
        while let first = rest.first {
            let run =
                ("0"..."9").contains(first)
                ? rest.prefix { ("0"..."9").contains($0) } : rest.prefix { $0.isLetter }
            rest = rest.dropFirst(max(1, run.count))
            guard !run.isEmpty else { continue }
            parts.append(UInt64(run).map(Part.number) ?? .text(ExactString(run.lowercased())))
        }
        return parts
    }

    static func < (one: Self, other: Self) -> Bool {
        for place in one.parts.indices where one.parts[place] != other.parts[place] {
            return one.parts[place] < other.parts[place]
        }
        if one.suffix.isEmpty || other.suffix.isEmpty { return !one.suffix.isEmpty && other.suffix.isEmpty }
        return one.suffix.lexicographicallyPrecedes(other.suffix)
    }
}
