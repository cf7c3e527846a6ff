import Model
import Testing

@Suite struct BackoffTests {
    private let backoff = Backoff(base: .seconds(1), cap: .seconds(30))

    @Test func `the ceiling doubles with each failure up to the cap`() {
        let ceilings = (1...8).map { backoff.ceiling(afterFailures: $0) }
        #expect(ceilings == [1, 2, 4, 8, 16, 30, 30, 30].map { Duration.seconds($0) })
    }

    @Test func `the delay is a random part of the ceiling, from nothing to all of it`() {
        #expect(backoff.delay(afterFailures: 3, random: 0) == .zero)
        #expect(backoff.delay(afterFailures: 3, random: 0.25) == .seconds(1))
        #expect(backoff.delay(afterFailures: 3, random: 1) == .seconds(4))
    }

    @Test(arguments: [0, -1, 100, 1_000_000, Int.max]) func `no number of failures overflows`(failures: Int) {
        let delay = backoff.delay(afterFailures: failures, random: 1)
        #expect(delay >= .seconds(1) && delay <= .seconds(30))
    }

    @Test func `a base beyond the cap is cut to it, and zero stays zero`() {
        #expect(Backoff(base: .seconds(60), cap: .seconds(30)).ceiling(afterFailures: 1) == .seconds(30))
        #expect(Backoff(base: .zero, cap: .seconds(30)).ceiling(afterFailures: 1000) == .zero)
    }
}
