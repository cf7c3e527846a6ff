import Model

/// Numbers with their units, for people.
enum Quantity {
    /// `12,345`
    static func count(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return result
    }

    /// `1 event`, `2,000 events`
    static func count(_ number: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// `812 B`, `1.4 MiB`. What would be rounded to 1024 has the next unit.
    static func bytes(_ number: some BinaryInteger) -> String {
        var value = Double(number)
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1023.95 {
            value /= 1024
            unit = next
        }
        return unit == "B" ? "\(number) B" : "\(oneDecimal(value)) \(unit)"
    }

    /// Returns the two largest units that are not zero: `3 d 4 h`, `12 min 5 s`, `0.4 s`.
    static func time(seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e12 else { return "unknown" }
        if seconds < 0 { return "-" + time(seconds: -seconds) }
        if seconds < 10 { return "\(oneDecimal(seconds)) s" }
        var left = Int(seconds.rounded())
        var parts: [String] = []
        for (length, unit) in [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")] {
            let number = left / length
            left %= length
            if number > 0 { parts.append("\(number) \(unit)") }
        }
        return parts.prefix(2).joined(separator: " ")
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : self.tenths(tenths)
    }

    /// `42.0` for 420
    static func tenths(_ number: Int) -> String { "\(number / 10).\(number % 10)" }

    /// How far something has come: `42.0 %`. It is rounded down, so that only what is done is at 100.
    static func progress(percent: Double) -> String {
        "\(tenths(percent.isFinite ? Int(max(0, min(percent, 100)) * 10) : 0)) %"
    }
}
