import Synchronization

/// Counts how long something took, in buckets. It takes the same little memory however much it has counted, and recording
/// allocates nothing.
package final class Histogram: Sendable {
    /// What was counted at one moment.
    package struct Counts: Sendable, Hashable {
        /// How many durations were in each bucket and in none before it. The last bucket has those above all bounds.
        package var buckets = [UInt64](repeating: 0, count: Histogram.bounds.count + 1)
        /// All durations together, in seconds.
        package var sum = 0.0

        package init() {}

        package var total: UInt64 { buckets.reduce(0, &+) }

        fileprivate mutating func add(_ seconds: Double) {
            // One that is not a number would make the sum useless forever.
            guard seconds.isFinite else { return }
            var place = 0
            while place < Histogram.bounds.count && seconds > Histogram.bounds[place] { place += 1 }
            buckets[place] &+= 1
            sum += seconds
        }
    }

    /// The upper bounds of the buckets but the last, which are part of their bucket. Seconds.
    package static let bounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    private let state = Mutex(Counts())

    package init() {}

    package var counts: Counts { state.withLock { $0 } }

    package func record(_ duration: Duration) {
        let seconds = max(duration / .seconds(1), 0)
        state.withLock { $0.add(seconds) }
    }

    /// Records many at once.
    /// - Parameter seconds: not negative.
    package func record(_ seconds: some Sequence<Double>) {
        state.withLock { counts in
            for seconds in seconds { counts.add(seconds) }
        }
    }
}

/// A histogram for each of a few keys.
package struct Histograms<Key: Hashable & Sendable>: Sendable {
    private let byKey: [Key: Histogram]

    /// - Parameter keys: all keys that there can be, so that nothing grows later.
    package init(_ keys: some Sequence<Key>) {
        byKey = Dictionary(keys.map { ($0, Histogram()) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(key: Key) -> Histogram? { byKey[key] }

    package var counts: [Key: Histogram.Counts] { byKey.mapValues(\.counts) }
}
