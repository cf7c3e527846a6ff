import API
import Model
import Synchronization
import Testing

@testable import Control

@Suite struct JournalWaitTests {
    private static let began: UInt64 = 1_795_186_810_000_000

    private func state(limit: Duration = .seconds(60), untilReprocessed: Bool = true) -> JournalWait.State {
        JournalWait.State(beganMicroseconds: Self.began, limit: limit, untilReprocessed: untilReprocessed)
    }

    /// - Parameter milliseconds: how long after the beginning the journal had what is in the store.
    private func status(_ milliseconds: Int64?, _ change: (inout StatusReply) -> Void = { _ in }) throws -> StatusReply
    {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.journal.lagSeconds = nil
        status.journal.completeUntil = milliseconds.map {
            WireTime(microseconds: UInt64(Int64(Self.began) + $0 * 1000))
        }
        change(&status)
        return status
    }

    @Test func `what was sent just before the beginning has time to get into the journal`() throws {
        var state = state()
        for milliseconds in [nil, -5000, 0, 299] as [Int64?] {
            #expect(state.next(try status(milliseconds), after: .milliseconds(100)) == .again(note: nil))
        }
        #expect(state.next(try status(300), after: .milliseconds(400)) == .done)
        #expect(state.next(try status(300), after: .seconds(3600)) == .done)
    }

    @Test func `a long wait is explained from time to time`() throws {
        var state = state(limit: .seconds(3600))
        let catchingUp = try status(nil) {
            $0.journal.catchUp = .init(percent: 42.7, entriesPerSecond: 1, secondsLeft: 12)
        }
        var notes: [Int: String] = [:]
        for second in 0..<30 {
            if case .again(let note?) = state.next(catchingUp, after: .seconds(second)) { notes[second] = note }
        }
        #expect(notes.keys.sorted() == [1, 11, 21])
        // After a pause, as of a machine that slept, once is enough.
        let noted = [1200, 1201, 1209, 1210].filter { second in
            state.next(catchingUp, after: .seconds(second)) != .again(note: nil)
        }
        #expect(noted == [1200, 1210])
        #expect(notes[1] == "waiting: glossd is catching up with the journal, 42 % done, 12 s left")
    }

    @Test func `what does not come within the time is not yet`() throws {
        var state = state(limit: .seconds(5))
        let behind = try status(-9000) { $0.journal.lagSeconds = 9 }
        #expect(
            state.next(behind, after: .seconds(5))
                == .giveUp(
                    "not yet, after 5 s: glossd has not read the journal to its end, 9 s behind: "
                        + "see glossctl status"))
        let paused = try status(-9000) {
            $0.state = .paused
            $0.problems = [.init(.storeFull, what: "Reading is paused: the store is full\u{1B}")]
        }
        #expect(
            state.next(paused, after: .seconds(5))
                == .giveUp(#"not yet, after 5 s: Reading is paused: the store is full\u001b"#))
    }

    @Test func `a journal that cannot be read in full passes nothing`() throws {
        var state = state(limit: .zero)
        let unreadable = try status(5000) {
            $0.journal.unreadableFiles = [.init(path: "/j/system.journal", reason: "Permission denied")]
        }
        #expect(
            state.next(unreadable, after: .zero)
                == .giveUp("not yet, after 0 s: /j/system.journal is not read: Permission denied"))
    }

    @Test func `results of earlier definitions pass nothing`() throws {
        var state = state(limit: .seconds(5))
        let searching = try status(300) { $0.reprocessing = .init(done: 0, total: 0) }
        #expect(
            state.next(searching, after: .seconds(1))
                == .again(
                    note: "waiting: stored events may have to be reprocessed by changed definitions: "
                        + "see glossctl status"))
        let half = try status(300) { $0.reprocessing = .init(done: 1200, total: 5000) }
        #expect(
            state.next(half, after: .seconds(5))
                == .giveUp(
                    "not yet, after 5 s: stored events are being reprocessed by changed definitions, 1,200 of 5,000 "
                        + "done: see glossctl status"))
        var counted = self.state(untilReprocessed: false)
        #expect(counted.next(half, after: .seconds(1)) == .done)
        #expect(counted.next(try status(299), after: .milliseconds(500)) == .again(note: nil))
    }

    @Test func `a daemon that is gone is waited for if it has answered, but not for good`() throws {
        let gone = ControlError.unreachable(socket: "/s", why: "nobody answers there", hint: "?", isAbsent: true)
        let (silent, left) = (ControlError.silent(socket: "/s", seconds: 5), ControlError.left(socket: "/s"))
        var state = state(limit: .seconds(5))
        for error in [gone, silent, left] {
            #expect(throws: ControlError.self) { try state.next(error, after: .zero) }
        }
        #expect(state.next(try status(-1), after: .zero) == .again(note: nil))
        #expect(try state.next(gone, after: .milliseconds(500)) == .again(note: nil))
        let note = "waiting: cannot reach glossd at /s: nobody answers there"
        #expect(try state.next(gone, after: .seconds(1)) == .again(note: note))
        for error in [gone, left] {
            let thrown = #expect(throws: ControlError.self) { try state.next(error, after: .seconds(5)) }
            #expect(thrown?.status == .unreachable)
        }
        let notYet = "not yet, after 5 s: glossd does not answer"
        #expect(try state.next(silent, after: .seconds(5)) == .giveUp(notYet))
    }

    @Test func `a gate waits before it asks for reports, and closes when that takes too long`() async throws {
        let late = try status(-1).json()
        let (run, requests) = try await ask("report", "undefined", "--fail-on", "undefined", "--timeout", "2s") {
            _ in .document(late)
        }
        #expect(run.status == .no)
        #expect(run.errors.contains("glossctl: --fail-on: not yet, after "), "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(requests.count > 1 && requests.allSatisfy { $0.target == "/v1/status" })
    }

    @Test func `a time-out is for a gate only, and a length of time`() async throws {
        for words in [["--timeout", "5s"], ["--timeout", "soon", "--fail-on", "unseen"]] {
            let run = await Run.glossctl(["report"] + words)
            #expect(run.status == .wrongUsage)
            #expect(run.errors.contains("--timeout"))
        }
    }

    @Test func `a daemon that has answered is waited for while it does not`() async throws {
        let replies = try [nil, 3_600_000].map { FakeDaemon.Reply.document(try status($0).json()) }
        let gone = FakeDaemon.Reply.problem(503, "stopping")
        for (answers, isWaitedFor) in [([replies[0], gone, gone, replies[1]], true), ([gone, replies[1]], false)] {
            let asked = Mutex(0)
            let daemon = try FakeDaemon { _ in
                asked.withLock { number in
                    defer { number += 1 }
                    return answers[min(number, answers.count - 1)]
                }
            }
            defer { daemon.stop() }
            let wait = JournalWait(client: ControlClient(socket: daemon.socket), limit: .seconds(30))
            _ = try await Run.collecting { console in
                guard isWaitedFor else {
                    await #expect(throws: ControlError.self) { try await wait.unread(on: console) }
                    return
                }
                let reason = try await wait.unread(on: console)
                #expect(reason == nil)
            }
            #expect(daemon.requests.count == (isWaitedFor ? 4 : 1))
        }
    }
}

extension StatusReply {
    fileprivate func json() throws -> [UInt8] { Array(try APICoding.encode(self)) }
}
