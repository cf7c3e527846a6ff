import Model

@testable import Forward
import Testing

@Suite struct DeliveryStateTests {
    private let policy = DeliveryPolicy(
        backoff: Backoff(base: .seconds(1), cap: .seconds(30)), probeInterval: .seconds(300), isEnabled: true)

    /// A state with a batch to send.
    private func sending() -> DeliveryState {
        var state = DeliveryState(policy)
        state.proceed(to: .send)
        return state
    }

    @Test func `a batch goes through fill, send and complete, and then there is the next one`() {
        var state = DeliveryState(policy)
        #expect(state.next(at: .zero) == .perform(.recover))
        state.proceed(to: .fill)
        #expect(state.next(at: .zero) == .perform(.fill))
        state.proceed(to: .send)
        #expect(state.next(at: .zero) == .perform(.send))
        state.attempted(.done, at: .zero, random: 0.5)
        #expect(state.next(at: .zero) == .perform(.complete))
        state.proceed(to: .fill)
        #expect(state.next(at: .zero) == .perform(.fill))
    }

    @Test func `what was accepted is completed although the sink has been disabled meanwhile`() {
        var state = sending()
        state.attempted(.done, at: .zero, random: 0.5)
        var disabled = policy
        disabled.isEnabled = false
        state.configure(disabled)
        #expect(state.next(at: .zero) == .perform(.complete))
        state.proceed(to: .fill)
        #expect(state.next(at: .zero) == .rest)
    }

    @Test func `a batch from before the last stop is sent first`() {
        #expect(sending().next(at: .zero) == .perform(.send))
    }

    @Test func `503, 503, 429 with Retry-After, then 200 waits as the rules say`() {
        var state = sending()
        state.attempted(Verdict(.status(503)), at: .seconds(10), random: 0.5)
        #expect(state.next(at: .seconds(10)) == .wait(until: .milliseconds(10_500)))
        #expect(state.next(at: .milliseconds(10_499)) == .wait(until: .milliseconds(10_500)))
        #expect(state.next(at: .milliseconds(10_500)) == .perform(.send))
        state.attempted(Verdict(.status(503)), at: .seconds(11), random: 0.5)
        #expect(state.next(at: .seconds(11)) == .wait(until: .seconds(12)))
        state.attempted(Verdict(.status(429, retryAfter: .seconds(7))), at: .seconds(12), random: 0.5)
        #expect(state.next(at: .seconds(12)) == .wait(until: .seconds(19)))
        #expect(state.failures == 3)
        state.attempted(Verdict(.status(200)), at: .seconds(19), random: 0.5)
        #expect(state.next(at: .seconds(19)) == .perform(.complete))
        #expect(state.failures == 0)
    }

    @Test func `a Retry-After of zero does not lead to a storm`() {
        var state = sending()
        for _ in 1...6 { state.attempted(.retry(atLeast: .zero), at: .zero, random: 1) }
        #expect(state.next(at: .zero) == .wait(until: .seconds(30)))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 507, 599])
    func `an answer that may pass by itself is retried`(status: Int) {
        #expect(Verdict(.status(status)) == .retry(atLeast: nil))
    }

    @Test(arguments: [200, 201, 202, 204, 299]) func `2xx is done`(status: Int) {
        #expect(Verdict(.status(status)) == .done)
    }

    @Test(
        arguments: [
            0, 100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 410, 413, 415, 422, 431,
            451, 501,
            600, 999,
        ])
    func `every other answer holds`(status: Int) {
        #expect(Verdict(.status(status)) == .hold)
    }

    @Test func `no answer is retried, and what could not be sent holds`() {
        #expect(Verdict(.unanswered(reason: "refused")) == .retry(atLeast: nil))
        #expect(Verdict(.notSent(reason: "no token")) == .hold)
    }

    @Test func `a held sink probes at its interval, with the same batch`() {
        var state = sending()
        state.attempted(.hold, at: .seconds(10), random: 0)
        #expect(state.condition == .held(until: .seconds(310)))
        #expect(state.next(at: .seconds(309)) == .wait(until: .seconds(310)))
        #expect(state.next(at: .seconds(310)) == .perform(.send))
        state.attempted(.hold, at: .seconds(311), random: 0)
        #expect(state.next(at: .seconds(311)) == .wait(until: .seconds(611)))
    }

    @Test func `waking ends a hold at once, and one more refusal holds again`() {
        var state = sending()
        state.attempted(.hold, at: .seconds(10), random: 0)
        state.wake(at: .seconds(20))
        #expect(state.next(at: .seconds(20)) == .perform(.send))
        state.attempted(.hold, at: .seconds(21), random: 0)
        #expect(state.next(at: .seconds(21)) == .wait(until: .seconds(321)))
    }

    @Test func `waking ends a wait, but not before the time in Retry-After`() {
        var state = sending()
        state.attempted(.retry(atLeast: nil), at: .seconds(10), random: 1)
        state.wake(at: .milliseconds(10_200))
        #expect(state.next(at: .milliseconds(10_200)) == .perform(.send))

        state.attempted(.retry(atLeast: .seconds(60)), at: .seconds(11), random: 1)
        state.wake(at: .seconds(20))
        #expect(state.next(at: .seconds(20)) == .wait(until: .seconds(71)))
        state.wake(at: .seconds(80))
        #expect(state.next(at: .seconds(80)) == .perform(.send))

        state.attempted(.retry(atLeast: .seconds(60)), at: .seconds(81), random: 1)
        state.forgetRetryAfter()
        #expect(state.next(at: .seconds(82)) == .wait(until: .seconds(141)))
        state.wake(at: .seconds(82))
        #expect(state.next(at: .seconds(82)) == .perform(.send))
    }

    @Test func `a store that fails has the same step tried again later`() {
        var state = DeliveryState(policy)
        state.proceed(to: .fill)
        state.storeFailed(at: .zero, random: 1)
        #expect(state.next(at: .zero) == .wait(until: .seconds(1)))
        #expect(state.next(at: .seconds(1)) == .perform(.fill))
    }

    @Test func `a batch that was taken is not sent again when completing fails`() {
        var state = sending()
        state.attempted(.done, at: .zero, random: 0)
        state.storeFailed(at: .zero, random: 1)
        #expect(state.next(at: .seconds(1)) == .perform(.complete))
    }

    @Test func `a disabled sink rests, whatever it was about to do, and continues there`() {
        var state = sending()
        state.attempted(.hold, at: .zero, random: 0)
        var disabled = policy
        disabled.isEnabled = false
        state.configure(disabled)
        #expect(state.next(at: .seconds(1000)) == .rest)
        #expect(state.isDisabled)
        state.configure(policy)
        #expect(state.next(at: .seconds(1000)) == .perform(.send))
    }
}
