internal import Model

/// A version: numbers separated by dots, and perhaps what makes it a pre-release: `25.4`, `v1.2.3-beta.2`, `25.4rc1`. What follows
/// a `+` or stands in parentheses is the number of a build, which makes no difference.
/// - Source: semver.org 2.0.0, items 9 to 11; PEP 440, "Pre-releases"
struct VersionOrder: Comparable {
    private var parts: [UInt64] = []
    private var suffix: [Part] = []

    private enum Part: Comparable {
        case number(UInt64)
        case text(String)
    }

    private static let mostParts = 8
    private static let preReleases: Set<String> = ["a", "b", "c", "rc", "alpha", "beta", "pre", "preview", "dev"]

    init?(_ text: String) {
        var rest = text.first == "v" ? text.dropFirst() : text[...]
        while true {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            guard let part = UInt64(digits), parts.count < Self.mostParts else { return nil }
            parts.append(part)
            rest = rest.dropFirst(digits.count)
            guard rest.first == "." else { break }
            rest = rest.dropFirst()
        }
        // 2026-11-21 is a day.
        guard parts.count > 1 || rest.isEmpty else { return nil }
        while parts.count > 1, parts.last == 0 { parts.removeLast() }
        let named = rest.prefix(while: \.isLetter).lowercased()
        guard rest.first.map({ "-+_ ".contains($0) }) ?? true || Self.preReleases.contains(named) else { return nil }
        // 12.5 ms and 12.5 % are amounts.
        if rest.first == " " {
            guard rest.dropFirst().first.map({ $0.isLetter || $0.isNumber || $0 == "(" }) ?? true, Measure(text) == nil
            else { return nil }
        }
        suffix = Self.parts(of: rest.prefix { $0 != "+" && $0 != "(" })
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
            parts.append(UInt64(run).map(Part.number) ?? .text(run.lowercased()))
        }
        return parts
    }

    static func < (one: Self, other: Self) -> Bool {
        if one.parts != other.parts { return one.parts.lexicographicallyPrecedes(other.parts) }
        if one.suffix.isEmpty || other.suffix.isEmpty { return !one.suffix.isEmpty && other.suffix.isEmpty }
        return one.suffix.lexicographicallyPrecedes(other.suffix)
    }
}
