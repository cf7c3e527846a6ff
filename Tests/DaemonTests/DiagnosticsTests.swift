import API
import Emit
import Foundation
import Logging
import Model
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Store

struct DiagnosticsTests {
    private static let sqlite = Tool("/usr/bin/sqlite3", package: "sqlite3")

    private final class World: Sendable {
        private let state = Mutex((now: Sample.start, problems: CurrentProblems(others: [])))
        var now: UInt64 { state.withLock { $0.now } }
        var problems: CurrentProblems { state.withLock { $0.problems } }
        func pass(_ seconds: UInt64, ofStore: [StatusProblem] = [], _ others: StatusProblem...) {
            state.withLock {
                $0.now += seconds * 1_000_000
                $0.problems = CurrentProblems(ofStore: ofStore, others: others)
            }
        }
    }

    private static func held(_ reason: String, _ sink: String = "upstream") -> StatusProblem {
        StatusProblem(.sinkHeld, sink, what: "Sink \(sink) is held: \(reason)")
    }

    private func diagnostics(_ store: EventStore, _ world: World, _ log: LogRecord = LogRecord()) -> Diagnostics {
        Diagnostics(
            store: store, namespace: "gloss-test-none", logger: log.logger, clock: { world.now },
            problems: { world.problems })
    }

    @Test(.timeLimit(.minutes(1))) func `that the journal does not take entries is said once`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store, log) = (World(), try await open(folder), LogRecord())
            let diagnostics = diagnostics(store, world, log)
            world.pass(1, Self.held("refused"), Self.held("refused", "other"))
            await diagnostics.look()
            world.pass(1)
            await diagnostics.look()
            // Two were raised and cleared.
            while await diagnostics.lastWrite.number < 4 { try await Task.sleep(for: .milliseconds(5)) }
            let socket = "/run/systemd/journal.gloss-test-none/socket"
            #expect(
                log.lines == [
                    "warning: What goes wrong is not written to the journal, and no event: no journald listens at \(socket)"
                ])
            await store.close()
        }
    }

    @Test func `a result that comes late does not count`() async throws {
        try await withTemporaryFolder { folder in
            let (store, log) = (try await open(folder), LogRecord())
            let diagnostics = diagnostics(store, World(), log)
            let failure = EmitError.noJournal(path: "x")
            await diagnostics.wrote(2, failure)
            await diagnostics.wrote(1, nil)
            await diagnostics.wrote(3, failure)
            #expect(log.lines.count == 1)
            await diagnostics.wrote(5, nil)
            await diagnostics.wrote(4, failure)
            #expect(log.lines.count == 1)
            await diagnostics.wrote(6, failure)
            #expect(log.lines.count == 2)
            await store.close()
        }
    }

    private func open(
        _ folder: URL, maximumBytes: Int64 = 64 << 20, whenFull: StoreOptions.WhenFull = .pause,
        clock: @escaping @Sendable () -> UInt64 = { Sample.start }
    ) async throws -> EventStore {
        try await EventStore(
            StoreOptions(
                path: folder.appending(path: "events.sqlite").path, maximumBytes: maximumBytes, maximumAge: nil,
                whenFull: whenFull), busyTimeout: .seconds(5), turnTime: .milliseconds(20), clock: clock)
    }

    @Test func `what goes wrong is raised, counted and cleared, also across restarts`() async throws {
        try await withTemporaryFolder { folder in
            let world = World()
            var store = try await open(folder)
            var diagnostics = diagnostics(store, world)
            await diagnostics.look()
            #expect(await diagnostics.list().diagnostics == [])
            world.pass(1, Self.held("401"), Self.held("500", "backup"))
            await diagnostics.look()
            world.pass(1, Self.held("403"), Self.held("500", "backup"))
            await diagnostics.look()
            world.pass(1, Self.held("403"))
            await diagnostics.look()
            world.pass(1, Self.held("403"), Self.held("503", "backup"))
            await diagnostics.look()
            await store.close()

            store = try await open(folder)
            diagnostics = self.diagnostics(store, world)
            world.pass(1)
            // The parts of a daemon that has just started may not know yet.
            await diagnostics.look(clears: false)
            let list = await diagnostics.list().diagnostics
            #expect(list.map(\.code) == ["sink.held", "sink.held"] && list.allSatisfy { $0.state == .raised })
            let backup = try #require(list.first { $0.subject == "backup" })
            #expect(backup.count == 2 && backup.text == "Sink backup is held: 503")
            #expect(
                backup.first.microseconds == Sample.start + 1_000_000
                    && backup.since?.microseconds == Sample.start + 4_000_000)
            let upstream = try #require(list.first { $0.subject == "upstream" })
            #expect(
                upstream.count == 1 && upstream.text.hasSuffix("403") && upstream.advice == Diagnostic.sinkHeld.advice)
            await diagnostics.look()
            #expect(await diagnostics.list().diagnostics.allSatisfy { $0.state == .cleared && $0.since == nil })
            await store.close()
        }
    }

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `what was found before the saved could be read adds to it`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store) = (World(), try await open(folder))
            func rename(_ table: String, to name: String) throws {
                try Self.sqlite.run([
                    folder.appending(path: "events.sqlite").path, "ALTER TABLE \(table) RENAME TO \(name)",
                ])
            }
            let earlier = diagnostics(store, world)
            world.pass(1, Self.held("401"), Self.held("500", "backup"))
            await earlier.look()
            world.pass(1, Self.held("500", "backup"))
            await earlier.look()

            try rename("diagnostics", to: "hidden")
            let diagnostics = diagnostics(store, world)
            world.pass(1, Self.held("403"), Self.held("500", "backup"))
            await diagnostics.look()
            try rename("hidden", to: "diagnostics")
            world.pass(1, Self.held("500", "backup"))
            await diagnostics.look(clears: false)
            let list = await diagnostics.list().diagnostics
            let upstream = try #require(list.first { $0.subject == "upstream" })
            #expect(upstream.state == .cleared && upstream.count == 2 && upstream.text.hasSuffix("403"))
            #expect(upstream.first.microseconds == Sample.start + 1_000_000)
            let backup = try #require(list.first { $0.subject == "backup" })
            #expect(backup.state == .raised && backup.count == 1)
            #expect(backup.since?.microseconds == Sample.start + 1_000_000)
            await store.close()
        }
    }

    @Test func `what this run has found is cleared at once, also just after a start`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store) = (World(), try await open(folder))
            world.pass(1, Self.held("401"), Self.held("500", "backup"))
            await diagnostics(store, world).look()
            let diagnostics = diagnostics(store, world)
            world.pass(1, Self.held("500", "backup"), Self.held("404", "new"))
            await diagnostics.look(clears: false)
            world.pass(1)
            await diagnostics.look(clears: false)
            let found = await diagnostics.list().diagnostics
            #expect(found.filter { $0.state == .raised }.map(\.subject) == ["upstream"])
            #expect(Set(found.filter { $0.state == .cleared }.map(\.subject)) == ["backup", "new"])
            await store.close()
        }
    }

    @Test func `what a problem of the store hides is not over, and is not raised meanwhile`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store) = (World(), try await open(folder))
            let diagnostics = diagnostics(store, world)
            let full = StatusProblem(.storeFull, what: "Reading is paused: the store is full")
            let notKept = StatusProblem(.dictionaryNotKept, "shop", what: "A version cannot be kept")
            let notCounted = StatusProblem(.alertNotCounted, what: "Alerts cannot look at new events")
            let waiting = StatusProblem(.notifierWaiting, "chat", what: "The notifier chat waits for the store")
            func raised() async -> [String] {
                await diagnostics.list().diagnostics.filter { $0.state == .raised }.map(\.code).sorted()
            }
            world.pass(1, notKept, Self.held("403"))
            #expect(await raised() == ["dictionary.not-kept", "sink.held"])
            world.pass(1, ofStore: [full], notKept, notCounted, waiting, Self.held("403"))
            #expect(world.problems.shown.map(\.code) == ["store.full", "sink.held"])
            #expect(await raised() == ["dictionary.not-kept", "sink.held", "store.full"])
            world.pass(1, notKept)
            #expect(await raised() == ["dictionary.not-kept"])
            #expect(await diagnostics.list().diagnostics.first { $0.code == "dictionary.not-kept" }?.count == 1)
            world.pass(1, ofStore: [full])
            #expect(await raised() == ["store.full"], "it is over while the store has a problem")
            await store.close()
        }
    }

    @Test func `gaps are counted by their cause, each once, also those found just before a stop`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store) = (World(), try await open(folder))
            let before = diagnostics(store, world)
            await before.look()
            try await store.save(ResolvedBatch(gaps: [Sample.gap("7 messages were lost")]), journal: "test")
            await before.look()
            try await store.save(ResolvedBatch(gaps: [Sample.gap("8 messages were lost")]), journal: "test")
            // Nobody looks any more.
            let after = diagnostics(store, world)
            await after.look()
            await after.look()
            let found = await after.list().diagnostics
            #expect(found.count == 1 && found[0].code == "journal.rate-limited" && found[0].state == .noted)
            #expect(found[0].count == 2 && found[0].text == "8 messages were lost")
            await store.close()
        }
    }

    @Test func `dropped events that the store adds to a gap are said, and not counted again`() async throws {
        try await withTemporaryFolder { folder in
            let world = World()
            // For a minute, it adds to a gap.
            let store = try await open(folder, maximumBytes: 4 << 20, whenFull: .dropOldest) { world.now }
            _ = try await store.openSinks([("up", .oldest)], now: world.now)
            var (saved, random) = (UInt64(0), SeededGenerator(seed: 1))
            /// Saves events until the store has dropped more of them.
            func drop() async throws -> GapRecord {
                let before = try await store.gaps(after: 0, limit: 10)
                while try await store.gaps(after: 0, limit: 10) == before {
                    var batch = Sample.batch(saved + 1...saved + 300, padding: 250)
                    // Otherwise they would take no room.
                    let letters = random.letters(batch.bytes.count)
                    for place in batch.bytes.indices where batch.bytes[place] == UInt8(ascii: "x") {
                        batch.bytes[place] = letters[place]
                    }
                    try await store.save(batch, journal: "test")
                    saved += 300
                }
                return try #require(try await store.gaps(after: 0, limit: 10).last { $0.gap.cause == .dropped })
            }
            let before = diagnostics(store, world)
            let first = try await drop()
            await before.look()
            try await store.save(ResolvedBatch(gaps: [Sample.gap("7 messages were lost")]), journal: "test")
            await before.look()
            // The second one is noted by the same run, the third by the next one.
            for run in [before, diagnostics(store, world)] {
                let more = try await drop()
                #expect(more.id == first.id && more.gap.message != first.gap.message)
                await run.look()
                let found = await run.list().diagnostics.filter { $0.code == "store.events-dropped" }
                #expect(found.map(\.count) == [1] && found.map(\.text) == [more.gap.message])
            }
            await store.close()
        }
    }

    @Test func `what happens once is noted, and what alerts gave up`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store) = (World(), try await open(folder))
            let dropped = Mutex(0)
            let diagnostics = Diagnostics(
                store: store, namespace: "gloss-test-none", logger: LogRecord().logger, clock: { world.now },
                // Status says so as well, for a time.
                problems: { CurrentProblems(others: [.init(.alertDropped, what: "Alerts have given up 5 notices")]) },
                droppedNotices: { dropped.withLock(\.self) })
            await diagnostics.note(.privacyKeyLost, "it is gone")
            await diagnostics.look()
            dropped.withLock { $0 = 5 }
            await diagnostics.look()
            await diagnostics.look()
            dropped.withLock { $0 = 7 }
            await diagnostics.look()
            let found = await diagnostics.list().diagnostics
            #expect(found.map(\.code) == ["alert.dropped", "privacy.key-lost"])
            #expect(found.allSatisfy { $0.state == .noted } && found.map(\.count) == [7, 1])
            #expect(found[0].text == "2 notices could not be saved or delivered for too long, and were given up")
            #expect(await diagnostics.counts == [.alertDropped: 7, .privacyKeyLost: 1])
            await store.close()
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a store that cannot be maintained is a problem`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await open(folder)
            let maintenance = Maintenance(store: store, logger: Logger(label: "test")) {}
            #expect(await maintenance.problems == [])
            await store.close()
            let task = Task { try await maintenance.run() }
            while await maintenance.problems.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            #expect(await maintenance.problems.map(\.code) == ["store.not-maintained"])
            task.cancel()
            try await task.value
        }
    }

    // MARK: the list

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The rows of the table in the documentation: a code, its meaning, what to do.
    private static func rows() throws -> [[String]] {
        let text = try String(contentsOf: root.appending(path: "docs/diagnostics.md"), encoding: .utf8)
        let head = "| code | meaning | what to do |\n| --- | --- | --- |\n"
        let rows = try #require(text.parts(at: head)).after.split(separator: "\n")
        return try rows.map { row in
            let cells = row.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init)
            return try #require(cells.count == 3 ? cells : nil, "\(row)")
        }
    }

    @Test func `the documentation has each code with its meaning and what to do, and no other`() throws {
        let rows = try Self.rows()
        #expect(rows.map(\.first) == Diagnostic.allCases.map { "`\($0.rawValue)`" })
        #expect(rows.map(\.last) == Diagnostic.allCases.map(\.advice))
    }

    @Test func `the catalog is that of the codes`() throws {
        let file = Self.root.appending(path: "systemd/gloss.catalog")
        let catalog = Self.catalog(meanings: try Self.rows().map { $0[1] })
        if ProcessInfo.processInfo.environment["GLOSS_RECORD_SNAPSHOTS"] != nil {
            try catalog.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == catalog)
        let ids = Diagnostic.allCases.map(\.messageID)
        #expect(Set(ids).count == ids.count && ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    }

    @Test func `systemd takes the catalog`() throws {
        guard Tool.journalctl.reasonToSkip == nil else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "gloss-catalog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let catalogs = folder.appending(path: "usr/lib/systemd/catalog")
        try FileManager.default.createDirectory(at: catalogs, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "var/lib/systemd/catalog"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Self.root.appending(path: "systemd/gloss.catalog"), to: catalogs.appending(path: "gloss.catalog"))
        try Tool.journalctl.run(["--root=\(folder.path)", "--update-catalog"])
        let database = folder.appending(path: "var/lib/systemd/catalog/database")
        let bytes = try Data(contentsOf: database)
        for row in try Self.rows() { #expect(bytes.range(of: Data(row[1].utf8)) != nil) }
    }

    /// Without its dot.
    private static func firstSentence(_ text: String) -> Substring {
        let sentence = text.split(separator: ". ")[0]
        return sentence.hasSuffix(".") ? sentence.dropLast() : sentence
    }

    /// What `journalctl -x` shows.
    private static func catalog(meanings: [String]) -> String {
        zip(Diagnostic.allCases, meanings).map { code, meaning in
            """
            -- \(code.messageID)
            Subject: \(firstSentence(meaning))
            Defined-By: Gloss
            Documentation: file:///usr/share/doc/gloss/docs/diagnostics.md

            \(code.rawValue): \(meaning)

            \(code.advice)

            """
        }.joined(separator: "\n") + """

            -- \(AlertNotice.messageID)
            Subject: An alert: @GLOSS_ALERT@
            Defined-By: Gloss
            Documentation: file:///usr/share/doc/gloss/docs/alerts.md

            The alert @GLOSS_ALERT@ of the settings is @GLOSS_STATE@. Cause: @GLOSS_CAUSE@

            See glossctl alerts, and glossctl alerts history @GLOSS_ALERT@.

            """
    }
}
