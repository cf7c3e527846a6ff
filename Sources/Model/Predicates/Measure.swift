/// A length of time or a size, as programs write them: `300ms`, `1h30m`, `10 KB`, `1.5GiB`.
package struct Measure: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case time, size }

    package var kind: Kind
    /// In seconds or bytes.
    package var amount: Double

    /// - Parameter kind: what it is about, if that is known: `10M` is a size among sizes, and nothing otherwise.
    package init?(_ text: String, of kind: Kind? = nil) {
        guard text.utf8.first.map(Self.isDigit) ?? false, let last = text.unicodeScalars.last,
            last.properties.isAlphabetic
        else { return nil }
        if kind != .size, !text.hasSuffix("M"), let span = TimeSpan.microseconds(text) {
            (self.kind, amount) = (.time, Double(span) / 1e6)
            return
        }
        let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        let unit = text[digits.endIndex...].drop { $0 == " " }
        let size = kind == .size ? Self.shortSizes[String(unit)] : nil
        guard kind != .time, let number = Double(digits), let size = size ?? Self.sizes[unit.lowercased()] else {
            return nil
        }
        (self.kind, amount) = (.size, number * size)
    }

    private static let sizes: [String: Double] = [
        "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 0x1p10, "mib": 0x1p20, "gib": 0x1p30,
        "tib": 0x1p40,
    ]
    /// As `ls -h` writes them.
    private static let shortSizes: [String: Double] = [
        "K": 0x1p10, "k": 0x1p10, "M": 0x1p20, "G": 0x1p30, "T": 0x1p40,
    ]

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns what is wrong with a value that seems to have a unit; `nil` if nothing is.
    package static func problem(with text: String) -> String? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = String(text.dropFirst(digits.count))
        guard !digits.isEmpty, !unit.isEmpty, unit.unicodeScalars.allSatisfy(\.properties.isAlphabetic),
            Measure(text) == nil
        else { return nil }
        switch unit {
        case "M": return "M may be minutes, months or megabytes: write m, MB or MiB"
        case "K", "k", "G", "T": return "write \(unit.uppercased())B or \(unit.uppercased())iB"
        default:
            return "unknown unit \(unit.prefix(20)): us, ms, s, m, h, d, w, B, KB, MB, GB, TB, KiB, MiB, GiB or TiB; "
                + "a text stands in quotes"
        }
    }
}
