import API
import Foundation
import Model
import Store
import Synchronization
import TestSupport
import Testing

@testable import Daemon

struct DiagnosticsTests {
    private final class World: Sendable {
        private let state = Mutex((now: Sample.start, problems: [StatusProblem]()))
        var now: UInt64 { state.withLock { $0.now } }
        var problems: [StatusProblem] { state.withLock { $0.problems } }
        func pass(_ seconds: UInt64, _ problems: StatusProblem...) {
            state.withLock {
                $0.now += seconds * 1_000_000
                $0.problems = problems
            }
        }
    }

    private static func held(_ reason: String, _ sink: String = "upstream") -> StatusProblem {
        StatusProblem(.sinkHeld, sink, what: "Sink \(sink) is held: \(reason)")
    }

    private func diagnostics(_ store: EventStore, _ world: World) -> Diagnostics {
        Diagnostics(store: store, namespace: "gloss-test-none", clock: { world.now }, problems: { world.problems })
    }

    private func open(_ folder: URL) async throws -> EventStore {
        try await EventStore(
            StoreOptions(
                path: folder.appending(path: "events.sqlite").path, maximumBytes: 64 << 20, maximumAge: nil,
                whenFull: .pause))
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

    @Test func `gaps are counted by their cause, from now on`() async throws {
        try await withTemporaryFolder { folder in
            let (world, store) = (World(), try await open(folder))
            try await store.save(Sample.gap("before"))
            let diagnostics = diagnostics(store, world)
            await diagnostics.look()
            try await store.save(Sample.gap("7 messages were lost"))
            try await store.save(Sample.gap("8 messages were lost"))
            await diagnostics.look()
            await diagnostics.look()
            let found = await diagnostics.list().diagnostics
            #expect(found.count == 1 && found[0].code == "journal.rate-limited" && found[0].state == .noted)
            #expect(found[0].count == 2 && found[0].text == "8 messages were lost")
            await store.close()
        }
    }

    // MARK: the list

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `the documentation has each code with its meaning and what to do, and no other`() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/diagnostics.md"), encoding: .utf8)
        for code in Diagnostic.allCases {
            #expect(
                text.contains("| `\(code.rawValue)` | \(code.meaning) | \(code.advice) |"), "\(code.rawValue)")
        }
        let documented = text.matches(of: /(?m)^\| `([a-z.-]+)` \|/).map { String($0.output.1) }
        #expect(documented == Diagnostic.allCases.map(\.rawValue))
    }

    @Test func `the catalog is that of the codes`() throws {
        let file = Self.root.appending(path: "systemd/gloss.catalog")
        if ProcessInfo.processInfo.environment["GLOSS_RECORD_SNAPSHOTS"] != nil {
            try Diagnostic.catalog.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Diagnostic.catalog)
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
        #expect(bytes.range(of: Data(Diagnostic.sinkHeld.meaning.utf8)) != nil)
    }
}
