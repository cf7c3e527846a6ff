/// Times in milliseconds. What is measured is done once before, which is not counted.
enum Timing {
    /// How often something is measured.
    static let goes = 9

    /// What some goes give: at least three, and up to nine within `limit`.
    static func several<Result>(within limit: Duration, _ body: () throws -> Result) rethrows -> [Result] {
        let start = ContinuousClock.now
        var results: [Result] = []
        while results.count < 3 || results.count < goes && ContinuousClock.now - start < limit {
            results.append(try body())
        }
        return results
    }

    /// The median; of fewer goes when they take longer than `limit` together.
    static func median(within limit: Duration = .seconds(30), _ body: () throws -> Void) throws -> Double {
        try medians(within: limit, ours: body, theirs: {}).ours
    }

    /// Of ours and of what it is compared with, in turn, as the machine is not equally fast all the time.
    static func medians(
        within limit: Duration = .seconds(60), ours: () throws -> Void, theirs: () throws -> Void
    ) throws -> (ours: Double, theirs: Double) {
        try ours()
        try theirs()
        let start = ContinuousClock.now
        var times = (ours: [Double](), theirs: [Double]())
        repeat {
            times.ours.append(try once(ours))
            times.theirs.append(try once(theirs))
        } while times.ours.count < goes && ContinuousClock.now - start < limit
        return (gloss_bench.median(times.ours), gloss_bench.median(times.theirs))
    }

    static func once(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(body) / .milliseconds(1)
    }
}
