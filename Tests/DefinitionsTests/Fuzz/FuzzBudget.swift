import Foundation

/// How long fuzz tests go on: a moment, or as many seconds each as GLOSS_FUZZ_SECONDS says, with seeds that no run had
/// before. GLOSS_FUZZ_SEED runs a single seed again.
enum FuzzBudget {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["GLOSS_FUZZ_SECONDS"].flatMap(Double.init)
    private static let onlySeed = environment["GLOSS_FUZZ_SEED"].flatMap(UInt64.init)

    /// Calls `body` with one seed after another.
    /// - Parameter count: how many, where nobody asks for more.
    static func forEachSeed(_ count: UInt64, _ body: (UInt64) throws -> Void) rethrows {
        if let onlySeed { return try body(onlySeed) }
        guard let seconds else { return try (1...count).forEach(body) }
        var seed = UInt64.random(in: 0...UInt64.max / 2)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            try body(seed)
            seed += 1
        }
    }
}
