package import Model

/// The state of a sink: what to do next, and when. It is pure: the caller passes the time and the random numbers,
/// performs the `Action`, and reports the result.
///
/// A batch passes through the steps `fill`, `send`, `complete`. There is one batch at a time, and it is never given up.
/// So each backoff, even in a long outage, ends in exactly one attempt with one batch.
///
/// Times are readings of one monotonic clock, as the `Duration` since some start.
package struct DeliveryState: Sendable {
    package enum Step: Sendable, Hashable {
        /// Search for a batch that was frozen before the last stop.
        case recover
        /// Read events from the store and freeze them as a batch.
        case fill
        /// Make one attempt to send the frozen batch.
        case send
        /// Move the sink's position to the end of the batch, which the upstream has accepted.
        case complete
    }

    package enum Action: Sendable, Hashable {
        case perform(Step)
        /// Wait until then, or until `wake()` is called.
        case wait(until: Duration)
        /// Do nothing until `configure(_:)` is called.
        case rest
    }

    package enum Condition: Sendable, Hashable {
        case ok
        case retrying(until: Duration)
        case held(until: Duration)
    }

    package private(set) var step = Step.recover
    package private(set) var condition = Condition.ok
    /// The number of consecutive failures.
    package private(set) var failures = 0
    /// The time of the first of these failures; `nil` when there are none.
    package private(set) var failingSince: Duration?
    /// The upstream has asked not to be tried before this time (`Retry-After`).
    private var earliest: Duration?
    private var policy: DeliveryPolicy

    package init(_ policy: DeliveryPolicy) {
        self.policy = policy
    }

    /// The number of consecutive failures from which the upstream counts as down and its attempts as probes.
    package static let failuresUntilDown = 5

    package var isDisabled: Bool { !policy.isEnabled }

    package func next(at now: Duration) -> Action {
        // What the upstream has accepted is noted also if the sink has been disabled meanwhile.
        guard policy.isEnabled || step == .complete else { return .rest }
        switch condition {
        case .retrying(let until), .held(let until): return now < until ? .wait(until: until) : .perform(step)
        case .ok: return .perform(step)
        }
    }

    /// How long it waits before it acts again.
    package func wait(at now: Duration) -> Duration {
        switch condition {
        case .ok: .zero
        case .retrying(let until), .held(let until): until - now
        }
    }

    // MARK: what came of a step

    /// Records that nothing is wrong, and what to do next.
    package mutating func proceed(to step: Step) {
        self.step = step
        condition = .ok
        failures = 0
        failingSince = nil
        earliest = nil
    }

    /// - Parameter random: a number from 0 to 1, for the jitter.
    package mutating func attempted(_ verdict: Verdict, at now: Duration, random: Double) {
        switch verdict {
        case .done:
            proceed(to: .complete)
        case .retry(let atLeast):
            // The jitter applies in addition to `Retry-After`: an upstream that says 0 must not be flooded.
            retry(atLeast: atLeast ?? .zero, at: now, random: random)
        case .hold:
            hold(at: now)
        }
    }

    /// Records that it is not known which events to send: nothing is sent before that is repaired.
    package mutating func misunderstood(at now: Duration) { hold(at: now) }

    /// Records that the store failed in this step. The step is repeated later.
    package mutating func storeFailed(at now: Duration, random: Double) {
        retry(atLeast: .zero, at: now, random: random)
    }

    // MARK: from outside

    /// Ends a wait, because a person has repaired something or wants to know, but not before the time in `Retry-After`. Without a
    /// wait it changes nothing.
    package mutating func wake(at now: Duration) {
        switch condition {
        case .ok: break
        case .retrying: condition = .retrying(until: max(now, earliest ?? now))
        case .held: condition = .held(until: now)
        }
    }

    /// Forgets the time in `Retry-After`, because the sink is another one now.
    package mutating func forgetRetryAfter() { earliest = nil }

    package mutating func configure(_ policy: DeliveryPolicy) {
        self.policy = policy
    }

    private mutating func fail(at now: Duration) {
        failures += 1
        failingSince = failingSince ?? now
    }

    private mutating func hold(at now: Duration) {
        fail(at: now)
        condition = .held(until: now + policy.probeInterval)
        earliest = nil
    }

    private mutating func retry(atLeast: Duration, at now: Duration, random: Double) {
        fail(at: now)
        let delay = policy.backoff.delay(afterFailures: failures, random: random)
        condition = .retrying(until: now + max(delay, atLeast))
        earliest = now + atLeast
    }
}

/// The part of a sink's settings that determines when it sends.
package struct DeliveryPolicy: Sendable, Hashable {
    package var backoff: Backoff
    /// How long a held sink waits before it tries again on its own.
    package var probeInterval: Duration
    package var isEnabled: Bool
}

extension DeliveryPolicy {
    package init(_ options: SinkOptions) {
        self.init(
            backoff: Backoff(base: options.backoffBase, cap: options.backoffCap), probeInterval: options.probeInterval,
            isEnabled: options.isEnabled)
    }
}
