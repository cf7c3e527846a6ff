internal import Model

/// The numbers that a condition wants: ranges of them, ascending, none of which touches another.
struct WantedNumbers {
    private let ranges: [ClosedRange<Int64>]
    /// From the least to the largest.
    private let hull: ClosedRange<Int64>

    init(_ range: ClosedRange<Int64>) { (ranges, hull) = ([range], range) }

    /// Those that are in any of them.
    /// - Precondition: `all` is not empty.
    init(_ all: [WantedNumbers]) {
        var merged: [ClosedRange<Int64>] = []
        for range in all.flatMap(\.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
        hull = merged[0].lowerBound...merged[merged.count - 1].upperBound
    }

    @inline(__always)
    func contains(_ number: Int64) -> Bool {
        hull.contains(number) && (ranges.count == 1 || ranges[place(of: number)].contains(number))
    }

    func contains(all numbers: ClosedRange<Int64>) -> Bool {
        contains(numbers.lowerBound) && ranges[place(of: numbers.lowerBound)].upperBound >= numbers.upperBound
    }

    func overlaps(_ numbers: ClosedRange<Int64>) -> Bool {
        guard hull.overlaps(numbers) else { return false }
        return ranges[place(of: numbers.upperBound)].upperBound >= numbers.lowerBound
    }

    /// Returns the place of the last range that begins at the number or below it.
    /// - Precondition: the first one does.
    private func place(of number: Int64) -> Int {
        ranges.endOfThose { $0.lowerBound <= number } - 1
    }
}
