func median(_ values: [Double]) -> Double { percentile(50, of: values) }

func percentile(_ percent: Int, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count * percent / 100, sorted.count - 1)]
}

/// One decimal, and two of what is less than one.
func rounded(_ value: Double) -> String {
    let digits: Double = abs(value) < 1 ? 100 : 10
    return "\((value * digits).rounded() / digits)"
}

func thousands(_ number: Double) -> String {
    number >= 10_000 ? "\(Int((number / 1000).rounded())) k" : "\(Int(number.rounded()))"
}

func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 1e5).rounded() / 10) MB" }
