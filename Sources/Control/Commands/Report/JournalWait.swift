import API
import Model

/// Waits until the store has everything that the journal had when the command began. Before that, an empty report means
/// nothing.
struct JournalWait {
    /// The longest time that an entry takes from its sender into the journal. journald takes milliseconds.
    static let settlingMicroseconds: UInt64 = 300_000
    private static let pollInterval = Duration.milliseconds(100)

    let client: ControlClient
    let limit: Duration
    /// Whether stored events have to be resolved by the definitions in force, too. What has been counted stays as it was.
    var untilReprocessed = false
    /// Whether the daemon has answered before, so that it may be waited for.
    var hasAnswered = false

    /// - Returns: why the store does not have everything when the time is over; `nil` if it has.
    /// - Throws: why the daemon cannot be reached, from the beginning or when the time is over.
    func unread(on console: Console) async throws -> String? {
        var state = State(
            beganMicroseconds: console.now(), limit: limit, untilReprocessed: untilReprocessed,
            hasAnswered: hasAnswered)
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            switch try await next(&state, clock, since: start) {
            case .done: return nil
            case .again(let note): if let note { console.complain(note) }
            case .giveUp(let reason): return reason
            }
            try await Task.pause(for: Self.pollInterval)
        }
    }

    /// Asks once more, no longer than there is time.
    private func next(
        _ state: inout State, _ clock: ContinuousClock, since start: ContinuousClock.Instant
    ) async throws -> State.Action {
        let timeout = ControlClient.timeout(within: limit - (clock.now - start))
        do {
            return state.next(try await client.status(timeout: timeout), after: clock.now - start)
        } catch let error as ControlError where error.mayPass {
            return try state.next(error, after: clock.now - start)
        }
    }

    /// Decides what to do after each reply, without clock and socket.
    struct State {
        enum Action: Equatable {
            case done
            /// Ask again soon, after printing the message if there is one.
            case again(note: String?)
            case giveUp(String)
        }

        /// A message is printed after a second, and then from time to time.
        private static let noteInterval = Duration.seconds(10)

        let beganMicroseconds: UInt64
        let limit: Duration
        let untilReprocessed: Bool
        private var hasAnswered: Bool
        private var nextNote = Duration.seconds(1)

        init(beganMicroseconds: UInt64, limit: Duration, untilReprocessed: Bool, hasAnswered: Bool = false) {
            self.beganMicroseconds = beganMicroseconds
            self.limit = limit
            self.untilReprocessed = untilReprocessed
            self.hasAnswered = hasAnswered
        }

        mutating func next(_ status: StatusReply, after elapsed: Duration) -> Action {
            hasAnswered = true
            guard let reason = reasonToWait(status) else { return .done }
            return wait(because: reason, after: elapsed)
        }

        /// - Throws: the error, if the daemon has not answered before, since what is wrong from the beginning stays so, or if the
        ///   time is over. Meanwhile it may be restarted.
        mutating func next(_ error: ControlError, after elapsed: Duration) throws(ControlError) -> Action {
            // It had no longer than this command has.
            if elapsed >= limit, case .silent = error { return wait(because: "glossd does not answer", after: elapsed) }
            guard hasAnswered, elapsed < limit else { throw error }
            return wait(because: error.firstLine, after: elapsed)
        }

        private mutating func wait(because reason: String, after elapsed: Duration) -> Action {
            if elapsed >= limit {
                return .giveUp("not yet, after \(Quantity.time(seconds: elapsed / .seconds(1))): \(reason)")
            }
            guard elapsed >= nextNote else { return .again(note: nil) }
            nextNote = elapsed + Self.noteInterval
            return .again(note: "waiting: \(reason)")
        }

        private func reasonToWait(_ status: StatusReply) -> String? {
            let journal = status.journal
            // Unreadable files may have events that the report must not have.
            if let file = journal.unreadableFiles.first {
                return SafeText.neutralised("\(file.path) is not read: \(file.reason)")
            }
            let wanted = beganMicroseconds + JournalWait.settlingMicroseconds
            if let until = journal.completeUntil, until.microseconds >= wanted {
                guard untilReprocessed else { return nil }
                return status.reprocessing.map { "\($0.text): see glossctl status" }
            }
            if status.state == .paused {
                return SafeText.neutralisedLine(status.problems.first?.what ?? "reading is paused")
            }
            if let catchUp = journal.catchUp {
                let left = catchUp.secondsLeft.map { ", \(Quantity.time(seconds: $0)) left" } ?? ""
                return "glossd is catching up with the journal, \(Int(min(max(catchUp.percent, 0), 100))) % done\(left)"
            }
            let lag = journal.lagSeconds.flatMap { $0 > 0 ? ", \(Quantity.time(seconds: $0)) behind" : nil } ?? ""
            return "glossd has not read the journal to its end\(lag): see glossctl status"
        }
    }
}

extension StatusReply.ReprocessingProgress {
    /// What it means for those who ask about stored events.
    var text: String {
        // Also after a start, until it is known whether definitions have changed.
        guard total > 0 else { return "stored events may have to be reprocessed by changed definitions" }
        let done = "\(Quantity.count(done)) of \(Quantity.count(total)) done"
        return "stored events are being reprocessed by changed definitions, \(done)"
    }
}
