import Model

/// How long to wait after failures in a row: full jitter, so that many senders that lost the same upstream do not come
/// back at the same moment.
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

    /// `random(0, min(cap, base * 2^n))`, n being the failures in a row before this one.
    /// - Parameters:
    ///   - failures: How often in a row it has failed, this time included: 1 or more.
    ///   - random: 0 to 1.
    package func delay(afterFailures failures: Int, random: Double) -> Duration {
        ceiling(afterFailures: failures) * min(max(random, 0), 1)
    }

    /// The longest that the wait may be: `min(cap, base * 2^n)`.
    package func ceiling(afterFailures failures: Int) -> Duration {
        var ceiling = max(base, .zero)
        // Doubling stops at the cap, so that it cannot overflow.
        for _ in 0..<min(max(failures - 1, 0), 64) where ceiling < cap { ceiling *= 2 }
        return min(ceiling, max(cap, .zero))
    }
}
