import Dictionaries
import Journal
import Linux
import Model
import Resolve
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Store

/// A journal and a store that do what a test says.
@Suite(.timeLimit(.minutes(1)))
struct IntakeTests {
    /// Gives batches one after the other, and then empty ones.
    private final class Source: EntrySource {
        private struct State {
            var batches: [EntryBatch]
            var given = 0
            var looks = 0
            var isWoken = false
        }

        private let state: Mutex<State>

        let newStart: UInt64?

        init(_ batches: [EntryBatch], newStart: UInt64? = nil) {
            state = Mutex(State(batches: batches))
            self.newStart = newStart
        }

        let condition = JournalCondition(newestMicroseconds: 9_000)
        /// How many batches were read, empty ones too.
        var given: Int { state.withLock { $0.given } }
        /// How often the files were checked while nothing was read.
        var looks: Int { state.withLock { $0.looks } }

        func add(_ batch: EntryBatch) { state.withLock { $0.batches.append(batch) } }

        func nextBatch(limit: BatchLimit, wait: Duration) async -> EntryBatch {
            let end = ContinuousClock.now + wait
            while true {
                let batch: EntryBatch? = state.withLock { state in
                    guard state.batches.isEmpty else { return state.batches.removeFirst() }
                    defer { state.isWoken = false }
                    return state.isWoken || .now >= end ? EntryBatch(reachedEnd: true) : nil
                }
                if let batch {
                    state.withLock { $0.given += 1 }
                    return batch
                }
                await Task.yield()
            }
        }

        func look() async { state.withLock { $0.looks += 1 } }
        func wake() { state.withLock { $0.isWoken = true } }
    }

    /// Keeps what it is asked to save, unless it is set to refuse it.
    private final class Ledger: BatchStore {
        private struct State {
            var saved: [ResolvedBatch] = []
            var refusal: (text: String, error: StoreError)?
            var attempts = 0
            var savesHalf = false
            var isHeld = false
        }

        private let state = Mutex(State())

        let maximumBatch = (events: 100, payloadBytes: 1 << 20)
        var saved: [ResolvedBatch] { state.withLock { $0.saved } }
        var attempts: Int { state.withLock { $0.attempts } }
        /// The payloads of all saved events.
        var texts: [String] { saved.flatMap(Self.texts(of:)) }

        private static func texts(of batch: ResolvedBatch) -> [String] {
            batch.events.map { String(decoding: batch.bytes[$0.entry.payload], as: UTF8.self) }
        }

        /// Saving what has an event with this payload fails, until `accept`.
        func refuse(_ text: String, _ error: StoreError) { state.withLock { $0.refusal = (text, error) } }
        func accept() { state.withLock { $0.refusal = nil } }
        /// Of each batch only the first event is saved at once.
        func saveInParts() { state.withLock { $0.savesHalf = true } }
        /// Whether saving waits.
        func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

        func save(_ counted: CountedBatch, journal: String) async throws(StoreError) -> SavedBatch {
            while state.withLock({ $0.isHeld }) { await Task.yield() }
            let refusal = state.withLock { state in
                state.attempts += 1
                return state.refusal
            }
            if let refusal, Self.texts(of: counted.batch).contains(refusal.text) { throw refusal.error }
            return state.withLock { state in
                var batch = counted.batch
                guard state.savesHalf, batch.events.count > 1 else {
                    state.saved.append(batch)
                    return SavedBatch(seen: [.plain: Int64(batch.events.count)])
                }
                var rest = batch
                rest.events = Array(batch.events.dropFirst())
                batch.events = [batch.events[0]]
                state.saved.append(batch)
                return SavedBatch(seen: [.plain: 1], rest: rest)
            }
        }
    }

    private struct Setup {
        let source: Source
        let ledger = Ledger()
        let log = LogRecord()
        let progress: IntakeProgress
        let intake: Intake

        init(
            _ batches: [EntryBatch], knownUntil: UInt64? = nil, newStart: UInt64? = nil,
            date: @escaping @Sendable () -> UInt64 = wallClock
        ) {
            source = Source(batches, newStart: newStart)
            progress = IntakeProgress(nil, date: date)
            intake = Intake(
                reader: source, resolver: Resolver(dictionaries: [], protection: Protection(mode: .protect, key: [1])),
                store: ledger, journal: "machine", knownUntil: knownUntil, progress: progress, logger: log.logger,
                patience: .milliseconds(5), savingInterval: .seconds(3600))
        }

        /// Runs the intake until `body` ends, and stops it gracefully.
        func run(_ body: () async throws -> Void) async throws {
            let group = ServiceGroup(services: [intake], logger: log.logger)
            let running = Task { try await group.run() }
            do {
                try await body()
            } catch {
                running.cancel()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }

    private static func batch(_ texts: String..., from seqnum: UInt64 = 1) -> EntryBatch {
        var batch = EntryBatch(entriesRead: texts.count)
        for (offset, text) in texts.enumerated() {
            let start = batch.bytes.count
            batch.bytes += text.utf8
            let number = seqnum + UInt64(offset)
            batch.entries.append(
                Entry(
                    origin: .sample(), level: .info, pid: 1, seqnum: number, monotonicMicroseconds: number,
                    realtimeMicroseconds: 1_000 * number, entryHash: number, payload: start..<batch.bytes.count))
        }
        batch.lastRealtimeMicroseconds = batch.entries.last?.realtimeMicroseconds
        batch.readUntilMicroseconds = batch.lastRealtimeMicroseconds
        return batch
    }

    private static let full = StoreError(kind: .full, description: "the store is full", hint: "Make room.")

    private func until(_ condition: () async -> Bool) async throws {
        while await !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `batches are saved in the order in which they were read`() async throws {
        let setup = Setup([Self.batch("a", "b"), Self.batch("c", from: 3), Self.batch("d", from: 4)])
        try await setup.run { try await until { setup.ledger.saved.count == 3 } }
        #expect(setup.ledger.texts == ["a", "b", "c", "d"])
        #expect(setup.progress.snapshot.completeUntilMicroseconds == 4_000)
        #expect(setup.progress.snapshot.entriesRead == 4)
        #expect(setup.log.lines.filter { $0.hasPrefix("error") }.isEmpty)
    }

    @Test func `the next batch is read while one is being saved, and no third`() async throws {
        let setup = Setup([Self.batch("a"), Self.batch("b", from: 2), Self.batch("c", from: 3)])
        setup.ledger.hold(true)
        try await setup.run {
            try await until { setup.source.given == 2 }
            try await Task.sleep(for: .milliseconds(20))
            #expect(setup.source.given == 2)
            #expect(setup.ledger.saved.isEmpty)
            setup.ledger.hold(false)
            try await until { setup.ledger.saved.count == 3 }
        }
        #expect(setup.ledger.texts == ["a", "b", "c"])
    }

    @Test func `a full store pauses reading, and nothing is lost by it`() async throws {
        let setup = Setup([Self.batch("a"), Self.batch("b", from: 2), Self.batch("c", from: 3)])
        setup.ledger.refuse("a", Self.full)
        try await setup.run {
            // It has tried again.
            try await until { setup.ledger.attempts >= 2 && setup.source.given == 2 }
            // One is waiting to be saved, and the one behind it is read; the third stays in the journal.
            #expect(setup.progress.snapshot.paused != nil)
            #expect(setup.ledger.saved.isEmpty && setup.source.given == 2)
            setup.ledger.accept()
            try await until { setup.ledger.saved.count == 3 }
        }
        #expect(setup.ledger.texts == ["a", "b", "c"])
        let refused = setup.ledger.attempts - setup.ledger.saved.count
        #expect(setup.source.looks == refused, "the journal's state stays known while nothing is read")
        #expect(setup.progress.snapshot.paused == nil)
        #expect(
            setup.log.lines.filter { !$0.hasPrefix("debug") } == [
                "error: Reading is paused: the store is full",
                "notice: The store takes events again. Reading continues.",
            ])
    }

    @Test func `what cannot be saved when the daemon stops is not saved later either`() async throws {
        let setup = Setup([Self.batch("a"), Self.batch("b", from: 2)])
        setup.ledger.refuse("a", Self.full)
        try await setup.run { try await until { setup.progress.snapshot.paused != nil && setup.source.given == 2 } }
        // There was room for the second. The journal keeps both, and the next start reads them again.
        #expect(setup.ledger.saved.isEmpty)
    }

    @Test(arguments: [StoreError.Kind.corrupt, .disk])
    func `damage and a disk that fails pause reading, and do not end the intake`(kind: StoreError.Kind) async throws {
        let setup = Setup([Self.batch("a")])
        setup.ledger.refuse("a", StoreError(kind: kind, description: "it fails"))
        try await setup.run { try await until { setup.progress.snapshot.paused?.kind == kind } }
        #expect(setup.log.lines.contains("error: Reading is paused: it fails"))
    }

    @Test func `an error that trying again does not help ends the intake`() async throws {
        let setup = Setup([Self.batch("a")])
        setup.ledger.refuse("a", StoreError(kind: .readOnly, description: "read-only"))
        let error = await #expect(throws: StoreError.self) { try await setup.intake.run() }
        #expect(error?.kind == .readOnly)
        #expect(setup.ledger.attempts == 1)
    }

    @Test func `what does not fit at once is saved in parts, before the next batch`() async throws {
        let setup = Setup([Self.batch("a", "b", "c"), Self.batch("d", from: 4)])
        setup.ledger.saveInParts()
        try await setup.run { try await until { setup.ledger.saved.count == 4 } }
        #expect(setup.ledger.texts == ["a", "b", "c", "d"])
        #expect(setup.progress.snapshot.stored == [.plain: 4])
    }

    @Test func `how far reading got without events is saved with the next events, or at the end`() async throws {
        var skipped = EntryBatch(entriesRead: 10)
        skipped.progress.counts.skipped = 10
        let setup = Setup([skipped, skipped, Self.batch("a")])
        try await setup.run {
            try await until { setup.ledger.saved.count == 1 }
            setup.source.add(skipped)
            try await until { setup.progress.snapshot.entriesRead == 31 }
        }
        #expect(setup.ledger.saved.map(\.progress.counts.skipped) == [20, 10], "each entry is counted once")
        #expect(setup.ledger.texts == ["a"])
    }

    @Test func `entries that may be stored already are marked`() async throws {
        let setup = Setup([Self.batch("a", "b", "c")], knownUntil: 2_000)
        try await setup.run { try await until { setup.ledger.saved.count == 1 } }
        #expect(setup.ledger.saved.first?.events.map(\.entry.mayBeKnown) == [true, true, false])
    }

    @Test func `of entries up to a time in the future, those that are sent after the end was reached are new`()
        async throws
    {
        var first = Self.batch("a", "b", "c", "d", "e")
        first.reachedEnd = true
        let now = Mutex(UInt64(2_000))
        let setup = Setup([first], knownUntil: 4_000, date: { now.withLock { $0 } })
        try await setup.run {
            try await until { setup.ledger.saved.count == 1 }
            now.withLock { $0 = 3_000 }
            setup.source.add(Self.batch("a", "b", "c", "d", "e"))
            try await until { setup.ledger.saved.count == 2 }
        }
        #expect(
            setup.ledger.saved.map { $0.events.map(\.entry.mayBeKnown) }
                == [[true, true, true, true, false], [true, true, false, false, false]])
        #expect(setup.ledger.saved.allSatisfy { $0.progress.knownUntilMicroseconds == 2_000 })
    }

    @Test func `the time from which it reads is saved before it reads`() async throws {
        let setup = Setup([Self.batch("a")], knownUntil: 2_000, newStart: 7)
        setup.ledger.hold(true)
        try await setup.run {
            try await Task.sleep(for: .milliseconds(20))
            #expect(setup.source.given == 0)
            setup.ledger.hold(false)
            try await until { setup.ledger.saved.count == 2 }
        }
        #expect(setup.ledger.saved.map(\.progress.startMicroseconds) == [7, nil])
        #expect(setup.ledger.saved.first?.progress.knownUntilMicroseconds == 2_000)
        #expect(setup.ledger.saved.map(\.events.count) == [0, 1])
    }

    @Test func `a time from which it reads that is corrected later is saved, and logged once`() async throws {
        var first = Self.batch("a")
        first.progress.startMicroseconds = 7
        var second = Self.batch("b")
        second.progress.startMicroseconds = 5
        let setup = Setup([first, second, Self.batch("c")], newStart: 7)
        try await setup.run { try await until { setup.ledger.saved.count == 4 } }
        #expect(setup.ledger.saved.map(\.progress.startMicroseconds) == [7, 7, 5, nil])
        #expect(setup.log.lines.filter { $0.contains("the clock was set back") }.count == 1)
    }

    @Test func `another resolver is used from the next batch on`() async throws {
        let setup = Setup([Self.batch("{}")])
        try await setup.run {
            try await until { setup.ledger.saved.count == 1 }
            let options = DictionaryOptions(name: "shop", path: "")
            let dictionary = EventDictionary(options: options, version: "1", common: [], categories: [])
            let protection = Protection(mode: .protect, key: [1])
            await setup.intake.use(Resolver(dictionaries: [dictionary], protection: protection))
            await setup.intake.batches.waitUntilResolved { setup.source.wake() }
            setup.source.add(Self.batch("{}", from: 2))
            try await until { setup.ledger.saved.count == 2 }
        }
        #expect(setup.ledger.saved.flatMap(\.events).map(\.kind.dictionary) == [nil, "shop"])
    }
}
