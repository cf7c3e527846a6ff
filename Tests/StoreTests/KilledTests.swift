import Foundation
import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// Tests of a daemon that is killed while it changes stored events. However much of the log was written by then, the
/// store is in the state before the change or in the state after it.
struct KilledTests {
    /// The changes, each in one transaction.
    enum Change: CaseIterable { case packing, replacing, replacingNewest, dropping, droppingSource }

    @Test(arguments: Change.allCases)
    func `wherever the log ends, the change happened or did not`(_ change: Change) async throws {
        try await withStoreFolder { folder in
            let (before, after) = try await states(folder, change)
            #expect(!before.content.isSame(as: after.content))
            var random = SeededGenerator(seed: 1)
            var happened: [Bool] = []
            for end in after.files.ends(&random) {
                let files = Files(database: before.files.database, log: after.files.log.prefix(end))
                let content = try await Content(of: files, in: folder + "/copy")
                let isAfter = content.isSame(as: after.content)
                #expect(isAfter || content.isSame(as: before.content), "\(end) bytes of the log")
                happened.append(isAfter)
            }
            #expect(happened.count > 20 && happened.firstIndex(of: true) == happened.count - 1)
        }
    }

    @Test(arguments: Change.allCases)
    func `a partly copied log contains the change`(_ change: Change) async throws {
        try await withStoreFolder { folder in
            let (before, after) = try await states(folder, change)
            var random = SeededGenerator(seed: 2)
            for _ in 0..<4 {
                let database = before.files.database.copied(from: after.database, &random)
                let content = try await Content(
                    of: Files(database: database, log: after.files.log), in: folder + "/copy")
                #expect(content.isSame(as: after.content))
            }
        }
    }

    private struct State {
        var files: Files
        var content: Content
        /// The database after the log was copied.
        var database: Data
    }

    private func states(_ folder: String, _ change: Change) async throws -> (before: State, after: State) {
        var journal = Journal(sources: ["one", "other"])
        let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
        // Few large events, which are read quickly: two blocks, and nearly enough for a third.
        for count in [36, 36, 15, 15, 15, 15] {
            try await store.save(journal.batch(count, payloadBytes: 2000), journal: "machine")
        }
        func state() async throws -> State {
            let (files, content) = (try Files(of: folder), try await Content(store))
            try await store.database.write { try $0.checkpointAndTruncate() }
            return State(files: files, content: content, database: try Files(of: folder).database)
        }
        try await store.database.write { try $0.checkpointAndTruncate() }
        let before = try await state()
        try await apply(change, store)
        let after = try await state()
        await store.close()
        return (before, after)
    }

    private func apply(_ change: Change, _ store: EventStore) async throws {
        switch change {
        case .packing: try await store.packNewest()
        case .replacing: #expect(try await store.replace(changes(3...30)) == [.violating: 28])
        case .replacingNewest: #expect(try await store.replace(changes(90...110)) == [.violating: 21])
        case .dropping:
            try await store.change { db, state in
                let old = try store.removable(db, &state)
                try store.remove(#require(old), db, &state)
            }
        case .droppingSource:
            try await store.change { db, state in
                let block = try #require(try EventRewriter(db).block(from: 1))
                try store.remove(Removal(block, of: ["one"], db), db, &state)
            }
        }
    }

    private func changes(_ ids: ClosedRange<Int64>) -> [ReprocessedEvent] {
        let kind = EventKind(dictionary: "shop", definitionsVersion: "2", key: EventKey(category: "a", name: "b"))
        return ids.map { id in
            ReprocessedEvent(
                id: id, resolution: .violating, kind: kind,
                findings: Findings(violations: [Violation("p\(id)", .length(maximum: 0, found: 1))]),
                payload: Array("{\"user\":\"<private>\",\"n\":\(id)}".utf8))
        }
    }
}

/// The files of a store while it has them open.
private struct Files {
    var database: Data
    var log: Data

    /// The sizes in the log: a header, and frames that each have a header and a page.
    private static let (header, frame) = (32, 24 + 4096)

    init(database: Data, log: Data) { (self.database, self.log) = (database, log) }

    init(of folder: String) throws {
        database = try Data(contentsOf: URL(fileURLWithPath: folder + "/events.sqlite"))
        log = try Data(contentsOf: URL(fileURLWithPath: folder + "/events.sqlite-wal"))
    }

    func write(to folder: String) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try database.write(to: URL(fileURLWithPath: folder + "/events.sqlite"))
        try log.write(to: URL(fileURLWithPath: folder + "/events.sqlite-wal"))
    }

    /// Returns lengths at which the log may end: after each frame, and within it.
    func ends(_ random: inout SeededGenerator) -> [Int] {
        var ends = [0, Self.header / 2]
        for start in stride(from: Self.header, to: log.count, by: Self.frame) {
            ends += [start, start + Int.random(in: 1..<Self.frame, using: &random)]
        }
        return ends + [log.count]
    }
}

extension Data {
    /// Returns a copy with some pages of another version of the file, in any order, and only a part of the last one.
    fileprivate func copied(from other: Data, _ random: inout SeededGenerator) -> Data {
        var data = self + Data(count: Swift.max(0, other.count - count))
        var places = Array(stride(from: 0, to: other.count, by: 4096)).shuffled(using: &random)
        places.removeLast(Int.random(in: 0..<places.count, using: &random))
        for place in places {
            let end = place + (place == places.last ? Int.random(in: 1..<4096, using: &random) : 4096)
            data.replaceSubrange(place..<end, with: other[place..<end])
        }
        return data
    }
}

/// Everything that can be read from a store.
private struct Content {
    private let events: [Event]
    private let counts: [CountedByHand.EventGroup: CountedByHand.Sum]
    private let findings: [CountedByHand.FindingGroup: CountedByHand.Sum]
    private let statistics: [String]
    private let blocks: Int

    init(of files: Files, in folder: String) async throws {
        try files.write(to: folder)
        let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
        try await self.init(store)
        try await store.checkTables()
        await store.close()
    }

    init(_ store: EventStore) async throws {
        events = try await store.all()
        counts = try await store.eventCounts(matching: .everything).byGroup
        findings = try await store.findingCounts(matching: .everything).byGroup
        let (statistics, removed) = (try await store.statistics(), try await store.removedUntil())
        self.statistics =
            statistics.seen.map { "\($0.key) \($0.value)" }.sorted() + [
                "\(statistics.entries) \(statistics.newestEventID)",
                "\(statistics.storedEvents) \(statistics.reprocessed) \(removed)",
            ]
        blocks = try await store.database.read(.status) {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM blocks") ?? 0
        }
    }

    func isSame(as other: Content) -> Bool {
        same(events, other.events) && counts == other.counts && findings == other.findings
            && statistics == other.statistics && blocks == other.blocks
    }
}
