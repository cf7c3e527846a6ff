/// The sequence numbers that were seen, as ranges.
///
/// Chains of files that share one counter have every few numbers each, which would be as many ranges as entries. Beyond
/// a limit, the half of the ranges that are nearest to each other are joined, as if the numbers between them had been
/// seen: far more numbers are missing when a file was deleted.
package struct NumberRanges: Sendable, Hashable {
    package static let maximumCount = 512

    /// Ascending; between two of them at least one number is missing.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    /// Whether each of the numbers was seen: ranges were never joined.
    package private(set) var isExact = true

    package init() {}

    /// - Parameter isExact: `false` if ranges were joined before.
    package init(_ ranges: some Sequence<ClosedRange<UInt64>>, isExact: Bool = true) {
        self.isExact = isExact
        for range in ranges { insert(range) }
    }

    /// All numbers of these ranges, however many ranges that makes. Numbers are not inserted into it later.
    package init(all ranges: [ClosedRange<UInt64>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last,
                range.lowerBound <= last.upperBound || range.lowerBound - last.upperBound == 1
            {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    @inline(__always)
    package mutating func insert(_ number: UInt64) {
        // Nearly always the number after the last.
        if let last = ranges.last, number > last.upperBound, number - last.upperBound == 1 {
            ranges[ranges.count - 1] = last.lowerBound...number
        } else {
            insert(number...number)
        }
    }

    package mutating func insert(_ new: ClosedRange<UInt64>) {
        // Nearly always a continuation of the last.
        if let last = ranges.last, new.lowerBound >= last.lowerBound,
            new.lowerBound <= last.upperBound || new.lowerBound - last.upperBound == 1
        {
            ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, new.upperBound)
            return
        }
        // The ranges that overlap it or are next to it are merged with it.
        let first = ranges.endOfThose { $0.upperBound < new.lowerBound && new.lowerBound - $0.upperBound > 1 }
        let end = ranges.endOfThose { $0.lowerBound <= new.upperBound || $0.lowerBound - new.upperBound == 1 }
        guard first < end else {
            ranges.insert(new, at: first)
            if ranges.count > Self.maximumCount { joinNearest() }
            return
        }
        let joined = min(ranges[first].lowerBound, new.lowerBound)...max(ranges[end - 1].upperBound, new.upperBound)
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(joined))
    }

    package func contains(_ number: UInt64) -> Bool {
        let index = ranges.endOfThose { $0.upperBound < number }
        return index < ranges.count && ranges[index].contains(number)
    }

    package func contains(all range: ClosedRange<UInt64>) -> Bool {
        let index = ranges.endOfThose { $0.upperBound < range.upperBound }
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    package func overlaps(_ range: ClosedRange<UInt64>) -> Bool {
        let index = ranges.endOfThose { $0.upperBound < range.lowerBound }
        return index < ranges.count && ranges[index].lowerBound <= range.upperBound
    }

    /// The lowest number.
    package var first: UInt64? { ranges.first?.lowerBound }

    /// The highest number.
    package var last: UInt64? { ranges.last?.upperBound }

    /// The missing numbers between the first and the last number.
    package var holes: [ClosedRange<UInt64>] {
        zip(ranges, ranges.dropFirst()).map { ($0.upperBound + 1)...($1.lowerBound - 1) }
    }

    /// Returns the numbers of a range that were not seen.
    package func missing(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        var missing: [ClosedRange<UInt64>] = []
        var next = range.lowerBound
        for seen in ranges[ranges.endOfThose { $0.upperBound < range.lowerBound }...] {
            guard seen.lowerBound <= range.upperBound else { break }
            if seen.lowerBound > next { missing.append(next...(seen.lowerBound - 1)) }
            guard seen.upperBound < range.upperBound else { return missing }
            next = seen.upperBound + 1
        }
        missing.append(next...range.upperBound)
        return missing
    }

    /// Joins at least half of the ranges, those that are nearest to the previous one.
    private mutating func joinNearest() {
        let distances = zip(ranges, ranges.dropFirst()).map { $1.lowerBound - $0.upperBound }
        let small = distances.sorted()[distances.count / 2]
        var joined = [ranges[0]]
        for (range, distance) in zip(ranges.dropFirst(), distances) {
            if distance <= small {
                joined[joined.count - 1] = joined[joined.count - 1].lowerBound...range.upperBound
            } else {
                joined.append(range)
            }
        }
        ranges = joined
        isExact = false
    }
}
