import API
import Emit
import Linux
import Logging
import Model
import ServiceLifecycle
import Settings
import Store

/// Keeps what goes wrong: when it was raised, when it was cleared, and how often. Problems come from the parts of the daemon that
/// status asks, too, so that each is said in one place; what happens once comes from the gap records.
actor Diagnostics: Service {
    private static let interval = Duration.seconds(2)
    /// What a restart must not clear before the parts of the daemon have had the time to find it again.
    private static let grace = Duration.seconds(30)

    private let store: EventStore
    private let problems: @Sendable () async -> CurrentProblems
    private let droppedNotices: @Sendable () async -> Int
    private let writer: JournalWriter?
    private let sending = WorkQueue("gloss.diagnostics")
    private let looks = OrderedWork()
    private let logger: Logger
    /// How many entries were to be written.
    private var writes = 0
    /// The latest of them whose result is known, and whether it could not be written.
    private(set) var lastWrite = (number: 0, failed: false)
    private let clock: @Sendable () -> UInt64
    private let started = ContinuousClock.now
    private var records: [DiagnosticRecord.Key: DiagnosticRecord] = [:]
    private var unsaved: Set<DiagnosticRecord.Key> = []
    /// What an earlier run has raised, and this one has not found yet.
    private var unseen: Set<DiagnosticRecord.Key> = []
    /// The last gap record that was noted.
    private var lastGap: Int64?
    /// The last record of dropped events: for a minute, the store adds to it.
    private var lastDrop: Int64?
    /// How many of the notices that were given up have been noted.
    private var lastDropped = 0

    /// - Parameters:
    ///   - namespace: of the journal that entries are written to.
    ///   - problems: what is wrong now.
    ///   - droppedNotices: how many notices of alerts were given up since the start.
    init(
        store: EventStore, namespace: String?, logger: Logger, clock: @escaping @Sendable () -> UInt64 = wallClock,
        problems: @escaping @Sendable () async -> CurrentProblems,
        droppedNotices: @escaping @Sendable () async -> Int = { 0 }
    ) {
        (self.store, self.problems, self.droppedNotices, self.clock) = (store, problems, droppedNotices, clock)
        self.logger = logger
        do throws(EmitError) {
            writer = try JournalWriter(namespace: namespace)
        } catch {
            writer = nil
            logger.error("Diagnostics are not written to the journal: \(error)")
        }
    }

    func run() async throws {
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            await look(clears: ContinuousClock.now - started > Self.grace)
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
    }

    /// Finds out what has changed.
    /// - Parameter clears: whether what an earlier run has raised is cleared, too, if this one has never found it.
    func look(clears: Bool = true) async {
        await looks.run { await self.lookOnce(clears: clears) }
    }

    private func lookOnce(clears: Bool) async {
        if lastGap == nil { await begin() }
        let now = clock()
        let found = await problems()
        for problem in found.shown {
            // What status says of what has happened is noted, and counted, elsewhere.
            guard let code = Diagnostic(rawValue: problem.code), code.lasts else { continue }
            raise(problem.key, problem.what, now)
        }
        // What is hidden is not raised, but it is not over either.
        let open = Set((found.shown + found.hidden).map(\.key))
        if clears { unseen = [] } else { unseen.subtract(open) }
        for (key, record) in records where record.raised != nil && !open.contains(key) && !unseen.contains(key) {
            clear(key, now)
        }
        await noteGaps(now)
        await noteDropped(now)
        await save()
    }

    private func begin() async {
        guard let saved = try? await store.diagnostics(), let gap = try? await store.notedGap(),
            let drop = try? await newestDrop(through: gap), lastGap == nil
        else { return }
        for record in saved {
            guard let own = records[record.key] else {
                records[record.key] = record
                if record.raised != nil { unseen.insert(record.key) }
                continue
            }
            records[record.key] = own.continuing(record)
        }
        (lastGap, lastDrop) = (gap, drop)
    }

    /// Returns the id of the newest record of dropped events that was noted; 0 if there is none.
    private func newestDrop(through noted: Int64) async throws -> Int64 {
        var last: Int64 = 0
        try await store.forEachGap { record in
            if record.id <= noted, record.gap.cause == .dropped { last = record.id }
        }
        return last
    }

    private func raise(_ key: DiagnosticRecord.Key, _ text: String, _ now: UInt64) {
        var record = records[key] ?? DiagnosticRecord(key: key, first: now)
        let isNew = record.raised == nil
        if !isNew, record.text == text { return }
        if isNew {
            record.count += 1
            record.raised = now
        }
        (record.last, record.text) = (now, text)
        records[key] = record
        unsaved.insert(key)
        if isNew { write(record, "raised", .warning) }
    }

    private func clear(_ key: DiagnosticRecord.Key, _ now: UInt64) {
        records[key]?.raised = nil
        records[key]?.last = now
        unsaved.insert(key)
        if let record = records[key] { write(record, "cleared", .notice) }
    }

    private func noteGaps(_ now: UInt64) async {
        await noteMoreDropped(now)
        guard let lastGap, let gaps = try? await store.gaps(after: lastGap, limit: 1000) else { return }
        for gap in gaps { note(Diagnostic(gap.gap.cause), gap.gap.message, now) }
        self.lastGap = gaps.last?.id ?? lastGap
        lastDrop = gaps.last { $0.gap.cause == .dropped }?.id ?? lastDrop
    }

    /// What was added to a record that was noted is not counted again.
    private func noteMoreDropped(_ now: UInt64) async {
        let key = DiagnosticRecord.Key(code: Diagnostic.storeEventsDropped.rawValue, subject: "")
        guard let lastDrop, let found = try? await store.gaps(after: lastDrop - 1, limit: 1).first,
            found.id == lastDrop, found.gap.cause == .dropped,
            let text = records[key]?.text, text != found.gap.message
        else { return }
        records[key]?.text = found.gap.message
        records[key]?.last = now
        unsaved.insert(key)
    }

    private func noteDropped(_ now: UInt64) async {
        let dropped = await droppedNotices()
        guard dropped > lastDropped else { return }
        let new = dropped - lastDropped
        note(
            .alertDropped, "\(new) notices could not be saved or delivered for too long, and were given up", now,
            times: Int64(new))
        lastDropped = dropped
    }

    /// Notes something that has happened once.
    func note(_ code: Diagnostic, _ text: String) async {
        if lastGap == nil { await begin() }
        note(code, text, clock())
        await save()
    }

    private func note(_ code: Diagnostic, _ text: String, _ now: UInt64, times: Int64 = 1) {
        let key = DiagnosticRecord.Key(code: code.rawValue, subject: "")
        var record = records[key] ?? DiagnosticRecord(key: key, first: now)
        record.count += times
        (record.last, record.text) = (now, text)
        records[key] = record
        unsaved.insert(key)
        write(record, "noted", .warning)
    }

    /// What cannot be saved now, such as that the disk is full, is saved later.
    private func save() async {
        guard !unsaved.isEmpty, let lastGap else { return }
        let due = unsaved
        unsaved = []
        do {
            try await store.save(due.compactMap { records[$0] }, notedGap: lastGap)
        } catch {
            unsaved.formUnion(due)
        }
    }

    /// For people and for other programs: `journalctl -x` explains it by its id. With `diagnostics.events`, it is an event, too.
    private func write(_ record: DiagnosticRecord, _ state: String, _ level: Level) {
        guard let writer, let code = Diagnostic(rawValue: record.key.code) else { return }
        let payload = Payload(
            eventCategory: "diagnostic", eventName: code.rawValue, state: state, subject: record.key.subject,
            count: record.count, text: record.text, advice: code.advice)
        guard let json = try? APICoding.encode(payload) else { return }
        let text = state == "cleared" ? "over: \(record.text)" : record.text
        let fields: [(name: String, value: [UInt8])] = [
            ("MESSAGE", Array("\(code.rawValue): \(text)".utf8)), ("MESSAGE_ID", Array(code.messageID.utf8)),
            ("PRIORITY", Array(String(level.rawValue).utf8)), ("SYSLOG_IDENTIFIER", Array("glossd".utf8)),
            ("SUBSYSTEM", Array(Settings.ownSubsystem.utf8)), ("CATEGORY", Array("diagnostics".utf8)),
            ("GLOSS_DIAGNOSTIC", Array(code.rawValue.utf8)), ("GLOSS_SUBJECT", Array(record.key.subject.utf8)),
            ("GLOSS_PAYLOAD", Array(json)),
        ]
        writes += 1
        // It may take until journald accepts it, and nothing waits for that.
        sending.start { [self, number = writes] in
            var failure: EmitError?
            do throws(EmitError) { try writer.send(fields) } catch { failure = error }
            Task { [failure] in await wrote(number, failure) }
        }
    }

    /// Says once that entries cannot be written, until one can be. Results come in any order, and those that are older than
    /// another do not count.
    func wrote(_ number: Int, _ failure: EmitError?) {
        guard number > lastWrite.number else { return }
        if let failure, !lastWrite.failed {
            logger.warning(
                "What goes wrong is not written to the journal, and no event: \(failure)",
                metadata: failure.hint.map { ["hint": "\($0)"] })
        }
        lastWrite = (number, failure != nil)
    }

    private struct Payload: Encodable {
        var eventCategory: String
        var eventName: String
        var state: String
        var subject: String
        var count: Int64
        var text: String
        var advice: String
    }

    /// How often each was raised or noted; `nil` until what was saved has been read.
    var counts: [Diagnostic: Int64]? {
        guard lastGap != nil else { return nil }
        return Dictionary(
            records.values.compactMap { record in Diagnostic(rawValue: record.key.code).map { ($0, record.count) } },
            uniquingKeysWith: +)
    }

    /// All that was ever noticed: what lasts first, then the latest.
    func list() async -> DiagnosticList {
        await look(clears: ContinuousClock.now - started > Self.grace)
        let sorted = records.values.sorted { one, other in
            (one.raised == nil ? 1 : 0, other.last, one.key.code) < (
                other.raised == nil ? 1 : 0, one.last, other.key.code
            )
        }
        return DiagnosticList(
            diagnostics: sorted.map { record in
                let code = Diagnostic(rawValue: record.key.code)
                return DiagnosticReply(
                    code: record.key.code, subject: record.key.subject.isEmpty ? nil : record.key.subject,
                    state: record.raised != nil ? .raised : code?.lasts ?? true ? .cleared : .noted,
                    since: record.raised.map { WireTime(microseconds: $0) },
                    first: WireTime(microseconds: record.first), last: WireTime(microseconds: record.last),
                    count: record.count, text: record.text, advice: code?.advice)
            })
    }
}

extension DiagnosticRecord {
    /// Returns what has become of it.
    /// - Parameter earlier: what an earlier run has saved. What it raised was the same when this one found it first.
    func continuing(_ earlier: DiagnosticRecord) -> DiagnosticRecord {
        var whole = self
        whole.first = min(first, earlier.first)
        whole.count += earlier.count
        if let since = earlier.raised {
            if raised != nil, count == 1 { whole.raised = since }
            whole.count -= 1
        }
        return whole
    }
}

extension StatusProblem {
    fileprivate var key: DiagnosticRecord.Key { .init(code: code, subject: subject ?? "") }
}

extension Diagnostic {
    init(_ cause: Gap.Cause) {
        self =
            switch cause {
            case .deleted: .journalCursorGone
            case .damaged: .journalFileDamaged
            case .missing: .journalEntriesMissing
            case .rateLimited: .journalRateLimited
            case .dropped: .storeEventsDropped
            }
    }
}
