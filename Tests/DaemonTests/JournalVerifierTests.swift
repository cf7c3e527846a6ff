import API
import Dictionaries
import Foundation
import Journal
import Linux
import Model
import Resolve
import Store
import TestSupport
import Testing

@testable import Daemon

/// On a real store and real journal files.
@Suite(
    .timeLimit(.minutes(2)), .enabled(if: JournalFixture.reasonToSkip == nil, "\(JournalFixture.reasonToSkip ?? "")"))
struct JournalVerifierTests {
    private static let sqlite = Tool("/usr/bin/sqlite3", package: "sqlite3")
    private static let hour: UInt64 = 3_600_000_000
    /// When the first entry of the journals below was written.
    private let start = wallClock() - hour

    /// A journal in a folder, and a store of what was read of it.
    private final class Ledger {
        let folder: URL
        let journal: JournalOptions
        var rules = [SourceRule(conditions: [.init(field: "SUBSYSTEM", value: Glob("com.*"))], name: nil, text: "test")]
        private let options: StoreOptions
        private(set) var store: EventStore

        static func with(
            maximumAge: Duration? = nil, _ body: (Ledger) async throws -> Void
        ) async throws {
            try await withTemporaryFolder { folder in
                let journal = folder.appending(path: "journal")
                try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
                let options = StoreOptions(
                    path: folder.appending(path: "events.sqlite").path, maximumBytes: 64 << 20, maximumAge: maximumAge,
                    whenFull: .pause)
                let ledger = Ledger(journal, options, try await EventStore(options))
                try await body(ledger)
                await ledger.store.close()
            }
        }

        private init(_ folder: URL, _ options: StoreOptions, _ store: EventStore) {
            self.folder = folder
            self.options = options
            self.store = store
            journal = JournalOptions(location: .directory(folder.path), start: .oldest, maximumFieldBytes: 1 << 20)
        }

        func file(_ name: String) -> URL { folder.appending(path: "\(name).journal") }

        /// Entries a second apart.
        /// - Parameter subsystems: of each entry.
        func write(_ subsystems: [String], from start: UInt64, to name: String = "1") throws {
            let text = subsystems.enumerated().map { number, subsystem in
                let time = start + UInt64(number) * 1_000_000
                return """
                    __REALTIME_TIMESTAMP=\(time)
                    __MONOTONIC_TIMESTAMP=\(time - start + 1)
                    _BOOT_ID=11111111111111111111111111111111
                    SUBSYSTEM=\(subsystem)
                    MESSAGE=entry \(number) of \(name)
                    """
            }.joined(separator: "\n\n")
            try JournalFixture.write(text + "\n", to: file(name))
        }

        /// Saves what can be read, as the intake would.
        func read() async throws {
            let state = try await store.readingState(ofJournal: journal.location.name)
            let reader = await JournalReader(options: journal, rules: rules, from: state)
            var resolver = DictionarySet([], protection: Protection(mode: .reveal, key: [])).resolver
            while true {
                let batch = resolver.resolve(await reader.nextBatch(limit: BatchLimit(), wait: .milliseconds(10)))
                try await store.save(batch, journal: journal.location.name)
                if batch.readUntilMicroseconds != nil { return }
            }
        }

        func verifier() -> JournalVerifier {
            JournalVerifier(store: store, journal: journal, savedAs: journal.location.name, rules: rules)
        }

        func verify(since: UInt64 = 0) async throws -> JournalVerification {
            var verifier = verifier()
            return try await verifier.run(since: since) { _, _ in }
        }

        /// Changes the database behind the store's back.
        func change(_ sql: String) async throws {
            await store.close()
            try JournalVerifierTests.sqlite.run([options.path, sql])
            store = try await EventStore(options)
        }

        /// Changes a byte of the file where the text is; it is there once.
        func damage(_ text: String, in name: String = "1") throws {
            var bytes = try Data(contentsOf: file(name))
            let place = try #require(bytes.range(of: Data(text.utf8)))
            bytes[place.lowerBound + 4] ^= 1
            try bytes.write(to: file(name))
        }
    }

    @Test func `what was read and stored, or passed over, is all there is`() async throws {
        try await Ledger.with { ledger in
            try ledger.write(["com.a", "org.b", "com.a", "com.c"], from: start)
            try await ledger.read()
            var expected = JournalVerification()
            (expected.stored, expected.skipped) = (3, 1)
            #expect(try await ledger.verify() == expected)
            #expect(expected.isWhole && expected.entries == 4)
        }
    }

    @Test func `a journal that was not read yet is not read yet`() async throws {
        try await Ledger.with { ledger in
            // Nothing was compared, so nothing is accounted for.
            await #expect(throws: Problem.self) { _ = try await ledger.verify() }
            try ledger.write(["com.a"], from: start)
            try await ledger.read()
            try ledger.write(["com.a", "com.a"], from: start + Self.hour / 2, to: "2")
            let found = try await ledger.verify()
            #expect(found.stored == 1 && found.unread == 2 && found.isWhole)
        }
    }

    @Test func `many batches report their progress, and stop when asked to`() async throws {
        try await Ledger.with { ledger in
            try ledger.write([String](repeating: "com.a", count: 5000), from: start - 2 * Self.hour)
            try await ledger.read()
            var verifier = ledger.verifier()
            var parts: [Double] = []
            let found = try await verifier.run(since: 0) { found, part in
                #expect(part == Double(found.stored) / 5000)
                parts.append(part)
            }
            #expect(found.stored == 5000 && found.isWhole)
            #expect(parts.count > 2 && parts == parts.sorted() && parts.last == 1)
            struct Enough: Error {}
            var next = ledger.verifier()
            await #expect(throws: Enough.self) { _ = try await next.run(since: 0) { _, _ in throw Enough() } }
        }
    }

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `an event that is gone from the store is unexplained, and named`() async throws {
        try await Ledger.with { ledger in
            try ledger.write([String](repeating: "com.a", count: 200), from: start)
            try await ledger.read()
            let page = try await ledger.store.events(
                matching: .everything, after: 4, before: nil, order: .oldest, limit: 1)
            let cursor = try #require(page.events.first).cursor
            try await ledger.change("DELETE FROM open_events WHERE id = 5")
            let found = try await ledger.verify()
            #expect(found.stored == 199 && found.unexplained == 1 && found.entries == 200 && !found.isWhole)
            #expect(found.examples == ["not in the store: \(cursor)"])
            // It is the fifth.
            let before = try await ledger.verify(since: start + 4_000_000)
            #expect(before.unexplained == 1 && before.stored == 195)
            let after = try await ledger.verify(since: start + 4_000_001)
            #expect(after.stored == 195 && after.isWhole)
        }
    }

    @Test func `sources of another time make another sum`() async throws {
        try await Ledger.with { ledger in
            try ledger.write(["com.a", "org.b"], from: start)
            try await ledger.read()
            ledger.rules = [SourceRule(conditions: [], name: .init(subsystem: "all", category: ""), text: "all")]
            let found = try await ledger.verify()
            #expect(found.stored == 1 && found.unexplained == 1 && found.skipped == 0)
        }
    }

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `what cannot be read is damaged with its gap record, and unexplained without`() async throws {
        try await Ledger.with { ledger in
            try ledger.write(["com.a", "com.damaged.one", "com.a", "com.a"], from: start)
            try ledger.damage("com.damaged.one")
            try await ledger.read()
            let found = try await ledger.verify()
            #expect(found.stored == 3 && found.damaged == 1 && found.entries == 4 && found.isWhole, "\(found)")
            try await ledger.change("DELETE FROM gaps")
            let without = try await ledger.verify()
            #expect(without.stored == 3 && without.damaged == 0 && without.unexplained == 1)
            #expect(without.examples.first?.hasPrefix("in no gap record: 1 entry could not be read: ") == true)
        }
    }

    @Test func `a file that cannot be read at all is no whole journal`() async throws {
        try await Ledger.with { ledger in
            try ledger.write(["com.a"], from: start)
            try ledger.write(["com.a", "com.a"], from: start, to: "2")
            try await ledger.read()
            try Data(repeating: 0x55, count: 4096).write(to: ledger.file("2"))
            let found = try await ledger.verify()
            #expect(found.stored == 1 && found.unreadableFiles == 1 && found.unexplained == 0 && !found.isWhole)
            #expect(found.examples.first?.hasPrefix("not readable: \(ledger.file("2").path): ") == true)
            // A file that is gone has nothing to be verified against.
            try FileManager.default.removeItem(at: ledger.file("2"))
            #expect(try await ledger.verify().isWhole)
        }
    }

    @Test func `what was too old to be stored has expired`() async throws {
        try await Ledger.with(maximumAge: .seconds(7200)) { ledger in
            try ledger.write(["com.a", "com.a", "com.a"], from: start - 3 * Self.hour)
            try ledger.write(["com.a"], from: start, to: "2")
            try await ledger.read()
            let found = try await ledger.verify()
            #expect(found.stored == 1 && found.expired == 3 && found.isWhole)
        }
    }

    @Test func `what retention removed has expired, and nothing else`() async throws {
        try await Ledger.with(maximumAge: .seconds(7200)) { ledger in
            try ledger.write(["com.a", "com.a", "com.a"], from: start)
            try await ledger.read()
            _ = try await ledger.store.maintain(now: start + 3 * Self.hour)
            #expect(try await ledger.store.statistics().storedEvents == 0)
            let all = try await ledger.verify()
            #expect(all.expired == 3 && all.isWhole)
            try ledger.write(["com.a", "com.a", "com.b", "com.a"], from: start + Self.hour / 2, to: "2")
            try await ledger.read()
            let some = try await ledger.verify()
            #expect(some.expired == 3 && some.stored == 4 && some.isWhole)
            // As if it was never stored.
            try ledger.write(["org.late"], from: start + Self.hour * 2 / 3, to: "3")
            try await ledger.read()
            ledger.rules = [.init(conditions: [.init(field: "SUBSYSTEM", value: Glob("*"))], name: nil, text: "all")]
            let late = try await ledger.verify()
            #expect(late.expired == 3 && late.stored == 4 && late.unexplained == 1)
        }
    }

    @Test(.enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `what is over by its source's keep has expired, and what others have lost has not`() async throws {
        func rule(_ subsystem: String, keep: Duration? = nil) -> SourceRule {
            SourceRule(
                conditions: [.init(field: "SUBSYSTEM", value: Glob(subsystem))], name: nil, text: subsystem,
                retention: SourceRetention(maximumAge: keep))
        }
        try await Ledger.with { ledger in
            ledger.rules = [
                rule("com.over", keep: .seconds(1800)), rule("com.short", keep: .seconds(7200)), rule("com.*"),
            ]
            ledger.store.use(ledger.rules)
            try ledger.write(["com.over", "com.short", "com.a", "com.short", "com.a"], from: start)
            try await ledger.read()
            let before = try await ledger.verify()
            #expect(before.stored == 4 && before.expired == 1 && before.isWhole)

            _ = try await ledger.store.maintain(now: start + 3 * Self.hour)
            #expect(try await ledger.store.statistics().storedEvents == 2)
            let removed = try await ledger.verify()
            #expect(removed.stored == 2 && removed.expired == 3 && removed.isWhole)

            // As old as those, but of a source whose events are kept.
            try await ledger.change("DELETE FROM open_events WHERE id = 2")
            ledger.store.use(ledger.rules)
            let lost = try await ledger.verify()
            #expect(lost.stored == 1 && lost.expired == 3 && lost.unexplained == 1)
        }
    }

    @Test(
        .enabled(if: PrivateJournald.reasonToSkip == nil, "\(PrivateJournald.reasonToSkip ?? "")"),
        .enabled(if: sqlite.reasonToSkip == nil, "\(sqlite.reasonToSkip ?? "")"))
    func `numbers of a file that is gone are missing with their gap record, and unexplained without`() async throws {
        try await Ledger.with { ledger in
            try await PrivateJournald.withOne { journald in
                func send(_ count: Int) throws {
                    for number in 0..<count { try journald.send(["SUBSYSTEM": "com.a", "MESSAGE": "\(number)"]) }
                    try journald.sync()
                }
                try send(3)
                try journald.rotate()
                try send(5)
                let second = try archived(in: journald.folder)
                try journald.rotate()
                try send(2)
                for file in try files(in: journald.folder) {
                    try FileManager.default.copyItem(
                        at: file, to: ledger.folder.appending(path: file.lastPathComponent))
                }
                let names = try Set(archived(in: journald.folder)).subtracting(second)
                try FileManager.default.removeItem(
                    at: ledger.folder.appending(path: try #require(names.first)))
            }
            try await ledger.read()
            let found = try await ledger.verify()
            #expect(found.stored == 5 && found.missing >= 5 && found.isWhole, "\(found)")
            try await ledger.change("DELETE FROM gaps")
            let without = try await ledger.verify()
            #expect(without.missing == 0 && without.unexplainedNumbers == found.missing && !without.isWhole)
            #expect(without.examples.first?.hasPrefix("no file has the sequence numbers ") == true)
        }
    }

    @Test(.enabled(if: PrivateJournald.reasonToSkip == nil, "\(PrivateJournald.reasonToSkip ?? "")"))
    func `numbers of a file that was deleted after it was read are not missing`() async throws {
        try await Ledger.with { ledger in
            try await PrivateJournald.withOne { journald in
                for count in [3, 5, 2] {
                    for number in 0..<count { try journald.send(["SUBSYSTEM": "com.a", "MESSAGE": "\(number)"]) }
                    try journald.sync()
                    if count > 2 { try journald.rotate() }
                }
                for file in try files(in: journald.folder) {
                    try FileManager.default.copyItem(
                        at: file, to: ledger.folder.appending(path: file.lastPathComponent))
                }
            }
            try await ledger.read()
            #expect(try await ledger.verify().stored == 10)
            let second = try #require(archived(in: ledger.folder).sorted().dropFirst().first)
            try FileManager.default.removeItem(at: ledger.folder.appending(path: second))
            let found = try await ledger.verify()
            #expect(found.stored == 5 && found.missing == 0 && found.isWhole, "\(found)")
        }
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    private func archived(in folder: URL) throws -> [String] {
        try files(in: folder).map(\.lastPathComponent).filter { $0.contains("@") }
    }
}
