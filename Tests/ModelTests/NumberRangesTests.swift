import Model
import TestSupport
import Testing

@Suite struct NumberRangesTests {
    @Test func `a range is in it whole or not`() {
        let ranges = NumberRanges([1...10, 20...30])
        #expect(ranges.contains(all: 1...10) && ranges.contains(all: 25...25) && ranges.last == 30)
        #expect(!ranges.contains(all: 10...11) && !ranges.contains(all: 9...20) && !ranges.contains(all: 31...40))
        #expect(NumberRanges().last == nil && !NumberRanges().contains(all: 0...0))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `whatever is inserted in whatever order, it is as with a set`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var (ranges, set) = (NumberRanges(), Set<UInt64>())
        for _ in 0..<400 {
            let start = UInt64.random(in: 1...1000, using: &generator)
            let range = start...(start + UInt64.random(in: 0...4, using: &generator))
            if Bool.random(using: &generator) { ranges.insert(range) } else { range.forEach { ranges.insert($0) } }
            set.formUnion(range)
        }
        let all = (set.min() ?? 0)...(set.max() ?? 0)
        #expect((0...1100 as ClosedRange<UInt64>).filter { ranges.contains($0) } == set.sorted())
        #expect(ranges.holes.flatMap { Array($0) } == all.filter { !set.contains($0) })
        #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $1.lowerBound - $0.upperBound > 1 })
        for _ in 0..<100 {
            let start = UInt64.random(in: 0...1050, using: &generator)
            let range = start...(start + UInt64.random(in: 0...60, using: &generator))
            #expect(ranges.missing(in: range).flatMap { Array($0) } == range.filter { !set.contains($0) })
        }
    }

    @Test func `numbers at both ends of what there is have their place`() {
        var ranges = NumberRanges([0...0, UInt64.max...UInt64.max])
        #expect(ranges.holes == [1...(UInt64.max - 1)])
        ranges.insert(0...UInt64.max)
        #expect(ranges.holes.isEmpty && ranges.missing(in: 0...UInt64.max).isEmpty)
    }

    @Test func `two chains that take turns need few ranges, and a deleted file still shows`() {
        var ranges = NumberRanges()
        for number in stride(from: 1 as UInt64, to: 100_000, by: 2) where !(40_000...45_000).contains(number) {
            ranges.insert(number)
        }
        #expect(ranges.ranges.count <= NumberRanges.maximumCount && !ranges.isExact)
        #expect(ranges.holes.contains(40_000...45_000))
        // That it is not exact stays, however few ranges there are.
        ranges.insert(1...99_000)
        #expect(ranges.ranges.count < 512 && !ranges.isExact)
    }
}

@Suite struct RepeatCountTests {
    @Test func `equal entries of one time are counted, adjacent or not`() {
        var count = RepeatCount()
        let entries: [(time: UInt64, hash: UInt64, ordinal: UInt32)] = [
            (5, 1, 0), (5, 1, 1), (5, 2, 0), (5, 1, 2), (6, 1, 0), (7, 2, 0), (7, 2, 1),
        ]
        for (index, entry) in entries.enumerated() {
            let ordinal = count.ordinal(
                seqnum: UInt64(index), monotonicMicroseconds: entry.time, realtimeMicroseconds: 0, xorHash: entry.hash)
            #expect(ordinal == entry.ordinal && count.seqnum == UInt64(index))
        }
    }

    @Test func `a count that was kept continues`() {
        var count = RepeatCount()
        for _ in 0..<3 { _ = count.ordinal(seqnum: 1, monotonicMicroseconds: 9, realtimeMicroseconds: 0, xorHash: 4) }
        var again = RepeatCount(
            seqnum: count.seqnum, monotonicMicroseconds: count.monotonicMicroseconds, counts: count.counts)
        #expect(again.ordinal(seqnum: 2, monotonicMicroseconds: 9, realtimeMicroseconds: 0, xorHash: 4) == 3)
    }

    @Test func `a count of a damaged store may be as large as it can be`() {
        var count = RepeatCount(monotonicMicroseconds: 9, counts: [4: .max, 5: .max])
        for hash in [4, 5] as [UInt64] {
            let ordinal = count.ordinal(
                seqnum: hash, monotonicMicroseconds: 9, realtimeMicroseconds: 0, xorHash: hash)
            #expect(ordinal == .max)
        }
        #expect(count.counts == [4: .max, 5: .max])
    }

    @Test func `memory is bounded`() {
        var count = RepeatCount()
        for hash in 0..<200_000 as Range<UInt64> {
            _ = count.ordinal(seqnum: hash, monotonicMicroseconds: 1, realtimeMicroseconds: 0, xorHash: hash)
        }
        #expect(count.counts.count <= RepeatCount.maximumHashes)
    }
}
