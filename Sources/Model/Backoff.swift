/// The wait after consecutive failures, with full jitter, so that many senders that lost the same upstream do not
/// return at the same moment.
///
/// With a base of 1 s and a cap of 30 s the wait is a random part of 1, 2, 4, 8, 16, 30, 30, … seconds.
/// - Source: "Exponential Backoff and Jitter", AWS Architecture Blog, 2015
package struct Backoff: Sendable, Hashable {
    package var base: Duration
    package var cap: Duration

    package init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// Returns `random(0, min(cap, base * 2^n))`, where n is the number of consecutive failures before this one.
    /// - Parameters:
    ///   - failures: the number of consecutive failures including this one: 1 or more.
    ///   - random: a number from 0 to 1.
    package func delay(afterFailures failures: Int, random: Double) -> Duration {
        ceiling(afterFailures: failures) * min(max(random, 0), 1)
    }

    /// Returns the longest possible wait: `min(cap, base * 2^n)`.
    package func ceiling(afterFailures failures: Int) -> Duration {
        var ceiling = max(base, .zero)
        // Doubling stops at the cap, so that it cannot overflow.
        for _ in 0..<min(max(failures - 1, 0), 64) where ceiling < cap { ceiling *= 2 }
        return min(ceiling, max(cap, .zero))
    }
}
