/// A length of time or a size, as programs write them: `300ms`, `1h30m`, `10 KB`, `1.5GiB`, `-5s`.
package struct Measure: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case time, size }

    package var kind: Kind
    /// In seconds or bytes.
    package var amount: Double

    /// - Parameter kind: what it is about, if that is known: `10M` is a size among sizes, and nothing otherwise.
    package init?(_ text: String, of kind: Kind? = nil) {
        var text = text
        guard let measure = text.withUTF8({ Measure(UnsafeRawBufferPointer($0), of: kind) }) else { return nil }
        self = measure
    }

    /// - Parameters:
    ///   - text: UTF-8.
    ///   - kind: as above.
    package init?(_ text: UnsafeRawBufferPointer, of kind: Kind? = nil) {
        if text.first == UInt8(ascii: "-") {
            guard text.count > 1, text[1] != text[0], let size = Measure(.init(rebasing: text.dropFirst()), of: kind)
            else { return nil }
            (self.kind, amount) = (size.kind, -size.amount)
            return
        }
        guard let first = text.first, first.isDigit, let last = text.last, last.isLetter else {
            return nil
        }
        if kind != .size, last != UInt8(ascii: "M"), let span = TimeSpan.microseconds(text) {
            (self.kind, amount) = (.time, Double(span) / 1e6)
            return
        }
        guard kind != .time else { return nil }
        let digits = text.prefix(while: \.isDigitOrPoint)
        let unit = text[digits.endIndex...].drop(while: \.isSpace)
        let short = kind == .size ? UnitName(unit).flatMap { Self.shortSizes[$0] } : nil
        guard let number = Double(decimal: UnsafeRawBufferPointer(rebasing: digits)),
            let size = short ?? UnitName(lowercasing: unit).flatMap({ Self.sizes[$0] })
        else { return nil }
        (self.kind, amount) = (.size, number * size)
    }

    private static let sizes = UnitName.table([
        ("b", 1), ("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("tb", 1e12), ("kib", 0x1p10), ("mib", 0x1p20),
        ("gib", 0x1p30), ("tib", 0x1p40),
    ])
    /// As `ls -h` writes them.
    private static let shortSizes = UnitName.table([("K k", 0x1p10), ("M", 0x1p20), ("G", 0x1p30), ("T", 0x1p40)])

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
