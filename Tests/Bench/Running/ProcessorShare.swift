/// How much of one core a process takes.
enum ProcessorShare {
    /// While `body` runs.
    static func percent(of usage: ProcessUsage, while body: () async throws -> Void) async throws -> Double {
        let (start, before) = (ContinuousClock.now, usage.processorTime)
        try await body()
        guard let before, let after = usage.processorTime else { throw BenchError("glossd does not run any more") }
        return (after - before) / (ContinuousClock.now - start) * 100
    }
}
