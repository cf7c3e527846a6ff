import Foundation
import Synchronization

/// How long fuzz tests go on: a moment, or as many seconds each as GLOSS_FUZZ_SECONDS says, with seeds that no run had
/// before. GLOSS_FUZZ_SEED runs a single seed again.
package enum FuzzBudget {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["GLOSS_FUZZ_SECONDS"].flatMap(Double.init)
    private static let onlySeed = environment["GLOSS_FUZZ_SEED"].flatMap(UInt64.init)
    /// A folder of damaged journal files from elsewhere.
    package static let corpus = environment["GLOSS_JOURNAL_CORPUS"]

    private static let latest = Mutex<UInt64?>(nil)

    /// The seed that was taken last.
    package static var seed: UInt64? { latest.withLock(\.self) }

    /// One seed after another.
    /// - Parameter count: how many, where nobody asks for more.
    package static func seeds(_ count: UInt64) -> AnySequence<UInt64> {
        AnySequence(
            numbers(count).lazy.map { seed in
                latest.withLock { $0 = seed }
                return seed
            })
    }

    private static func numbers(_ count: UInt64) -> AnySequence<UInt64> {
        if let onlySeed { return AnySequence([onlySeed]) }
        guard let seconds else { return AnySequence(1...count) }
        let first = UInt64.random(in: 0...UInt64.max / 2)
        let end = ContinuousClock.now + .seconds(seconds)
        return AnySequence(sequence(first: first) { ContinuousClock.now < end ? $0 + 1 : nil })
    }
}
