internal import Model

/// Numbers whose differences hardly change: few runs, each with a constant step. A number is found without computing those
/// before it.
struct IntegerRuns: Sendable {
    private struct Run: Sendable {
        /// The place of its first number.
        var start: Int
        var first: Int64
        var step: Int64

        @inline(__always)
        func number(at place: Int) -> Int64 { first &+ step &* Int64(place &- start) }
    }

    let count: Int
    private let runs: [Run]

    static let none = IntegerRuns(count: 0, runs: [])

    private init(count: Int, runs: [Run]) { (self.count, self.runs) = (count, runs) }

    /// There is at most a run for each so many numbers, and as many more, such as short ones at the beginning.
    private static let leastLength = 16

    /// Reads the differences between numbers.
    /// - Parameter count: is more than 0.
    /// - Returns: `nil` if there are many runs. Then nothing is read.
    static func read(_ count: Int, from first: Int64, _ input: inout ByteReader) throws(BlockDamage) -> IntegerRuns? {
        var (reader, runs, start, number) = (input, [Run](), 0, first)
        while start < count {
            guard runs.count <= start / leastLength + leastLength else { return nil }
            let step = start + 1 < count ? try reader.signed() : 0
            runs.append(Run(start: start, first: number, step: step))
            let length = min(2, count - start)
            let end = start + length + (try reader.skip(signed: step, atMost: count - start - length))
            number &+= step &* Int64(end - 1 - start)
            if end < count { number &+= try reader.signed() }
            start = end
        }
        input = reader
        return IntegerRuns(count: count, runs: runs)
    }

    /// The approximate number of bytes in memory.
    var memory: Int { runs.count * MemoryLayout<Run>.stride }

    @inline(__always)
    private func end(_ run: Int) -> Int { run + 1 < runs.count ? runs[run + 1].start : count }

    private func run(at place: Int) -> Int { runs.endOfThose { $0.start <= place } - 1 }

    subscript(place: Int) -> Int64 { runs[run(at: place)].number(at: place) }

    var unpacked: [Int64] {
        [Int64](unsafeUninitializedCapacity: count) { numbers, filled in
            for (index, run) in runs.enumerated() {
                var number = run.first
                for place in run.start..<end(index) {
                    numbers[place] = number
                    number &+= run.step
                }
            }
            filled = count
        }
    }

    /// - Returns: `false` also where a step passes the end of all numbers.
    func isWithin(_ range: Range<Int64>) -> Bool {
        runs.indices.allSatisfy { index in
            let run = runs[index]
            let (way, overflow) = run.step.multipliedReportingOverflow(by: Int64(end(index) - 1 - run.start))
            let (last, wrapped) = run.first.addingReportingOverflow(way)
            return !overflow && !wrapped && range.contains(run.first) && range.contains(last)
        }
    }

    /// Returns the place of the first of the numbers from `start` on that is not `number`.
    func endOfRun(of number: Int64, from start: Int) -> Int {
        var place = start
        for index in run(at: start)..<runs.count {
            let run = runs[index]
            guard run.number(at: place) == number else { return place }
            let end = end(index)
            guard run.step == 0 || place + 1 == end else { return place + 1 }
            place = end
        }
        return place
    }

    /// Calls `body` with the places of the numbers that are `number`, ascending.
    func forEachPlace(of number: Int64, _ body: (Int) -> Void) {
        for (index, run) in runs.enumerated() {
            let (way, places) = (number &- run.first, run.start..<end(index))
            let (last, overflow) = run.step.multipliedReportingOverflow(by: Int64(places.count - 1))
            if overflow {
                for place in places where run.number(at: place) == number { body(place) }
            } else if (min(last, 0)...max(last, 0)).contains(way) {
                if run.step == 0 {
                    for place in places { body(place) }
                } else if way % run.step == 0 {
                    body(run.start + Int(way / run.step))
                }
            }
        }
    }
}
