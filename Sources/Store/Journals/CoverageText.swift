internal import Model

/// What is known of a chain as its columns hold it, to be read by people too. Of each value there is one text: what
/// differs from it is not read.
enum CoverageText {
    /// About the most that one range takes, and one count.
    static let rangeBytes = 42
    static let countBytes = 28

    /// `1-100,105,107-110`
    static func text(_ numbers: NumberRanges) -> String {
        numbers.ranges.map { range in
            range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ",")
    }

    static func ranges(_ text: String) -> NumberRanges? {
        var ranges: [ClosedRange<UInt64>] = []
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let ends = part.split(separator: UInt8(ascii: "-"))
            guard let first = ends.first.flatMap(number), let last = ends.last.flatMap(number), first <= last,
                ends.count <= 2, ranges.count < NumberRanges.maximumCount
            else { return nil }
            ranges.append(first...last)
        }
        let numbers = NumberRanges(ranges)
        return self.text(numbers) == text ? numbers : nil
    }

    /// `17=1,c0ffee=2`, by hash.
    static func text(_ counts: [UInt64: UInt32]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\(hexadecimalText($0.key))=\($0.value)" }.joined(separator: ",")
    }

    static func counts(_ text: String) -> [UInt64: UInt32]? {
        var counts: [UInt64: UInt32] = [:]
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let pair = part.split(separator: UInt8(ascii: "="))
            guard pair.count == 2, let hash = UInt64(Substring(pair[0]), radix: 16),
                let count = UInt32(Substring(pair[1]))
            else { return nil }
            counts[hash] = count
        }
        return self.text(counts) == text ? counts : nil
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? { UInt64(Substring(digits)) }
}
