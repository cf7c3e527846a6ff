import Foundation
import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// A store, and a plain array that is to say the same.
struct RandomRun {
    var random: SeededGenerator
    var journal: Journal
    var store: EventStore
    var folder: String
    private var oldest: Int64 = 1
    private var replaced: Int64 = 0
    private let kinds: [EventKind]

    static func open(_ folder: String) async throws -> EventStore {
        try await EventStore.open(folder, maximumBytes: 3 << 20, maximumAge: .seconds(4000))
    }

    init(seed: UInt64, store: EventStore, folder: String) {
        random = SeededGenerator(seed: seed &+ 77)
        journal = Journal(seed: seed, origins: 3, kinds: 4)
        self.store = store
        self.folder = folder
        kinds = (0..<5).map { index in
            EventKind(
                dictionary: index == 4 ? nil : "shop", definitionsVersion: "000000000000000\(index % 2)",
                key: index == 3 ? nil : EventKey(category: "list0", name: "event\(index)"))
        }
    }

    mutating func step() async throws {
        switch random.next() % 8 {
        case 0...2:
            let count = Int([1, 30, 200, 700][Int(random.next() % 4)])
            try await store.save(journal.batch(count, payloadBytes: 150), journal: "machine")
        case 3...5: try await replace()
        case 6:
            while try await store.tidy(now: newYear + UInt64(journal.last) * 1_000_000) {}
        case 7 where random.next() % 2 == 0:
            await store.close()
            store = try await Self.open(folder)
        default: try await crash()
        }
        oldest = try await store.statistics().oldestEventID ?? journal.last + 1
        try await check()
    }

    /// Goes on with the files as they are on disk while the store has them open.
    private mutating func crash() async throws {
        let copy = folder + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder + "/events.sqlite" + end, toPath: copy + "/events.sqlite" + end)
        }
        await store.close()
        store = try await Self.open(copy)
        folder = copy
    }

    private mutating func replace() async throws {
        guard journal.last > 0 else { return }
        let start = Int64(random.next() % UInt64(journal.last)) + 1
        let isDense = random.next() % 2 == 0
        var changes: [Int64: ResolvedAgain] = [:]
        for index in 0..<Int64(random.next() % 200) {
            let id = isDense ? start + index : Int64(random.next() % UInt64(journal.last)) + 1
            changes[id] = change(id)
        }
        let count = try await store.replace(Array(changes.values)).values.reduce(0, +)
        // To make room it may have removed the oldest before.
        oldest = try await store.statistics().oldestEventID ?? journal.last + 1
        let stored = changes.values.filter { $0.id >= oldest && $0.id <= journal.last }
        let differing = stored.filter { change in
            let event = journal.events[Int(change.id) - 1]
            return event.kind != change.kind || event.resolution != change.resolution
                || event.findings ?? Findings() != change.findings ?? Findings() || change.payload != nil
        }
        #expect(count == differing.count)
        for change in stored { journal.replace(change) }
        replaced += Int64(differing.count)
    }

    private mutating func change(_ id: Int64) -> ResolvedAgain {
        let kind = kinds[Int(random.next() % 5)]
        let resolution = kind.key == nil ? .unkeyed : Resolution.allCases[Int(random.next() % 3)]
        var findings: Findings?
        if random.next() % 2 == 0 {
            findings = Findings(
                violations: (0..<random.next() % 3).map {
                    Violation(
                        "p\($0)",
                        $0 == 0
                            ? .unknownParameter(found: .string) : .length(maximum: 3, found: Int(random.next() % 5)))
                }, warnings: random.next() % 3 == 0 ? [.obsoleteEvent] : [])
        }
        let length = Int([0, 5, 300, 6000][Int(random.next() % 4)])
        let payload = random.next() % 4 == 0 ? [UInt8](repeating: 0x7A, count: length) : nil
        return ResolvedAgain(
            id: id, resolution: resolution, kind: kind, findings: findings, payload: payload)
    }

    // MARK: comparing

    private func check() async throws {
        let stored = journal.events.suffix(from: min(Int(oldest) - 1, journal.events.count))
        #expect(same(try await store.all(), stored))
        try await checkCounts(stored)
        try await checkFilters(stored)
        let statistics = try await store.statistics()
        #expect(statistics.resolvedAgain == replaced)
        for resolution in Resolution.allCases {
            let seen = journal.events.count { $0.resolution == resolution }
            #expect(statistics.seen[resolution] == Int64(seen), "\(resolution)")
        }
        try await checkTables()
    }

    private func checkCounts(_ stored: ArraySlice<Event>) async throws {
        let (all, now) = (CountedByHand(journal.events), CountedByHand(stored))
        let use = try await store.eventUse(matching: EventFilter()).byGroup
        #expect(use.mapValues(\.count) == all.events.mapValues(\.count))
        for (group, sum) in use {
            let exact = try #require(all.events[group])
            #expect(sum.first <= exact.first && sum.last >= exact.last)
            if let newest = now.events[group]?.lastEvent { #expect(sum.lastEvent == newest) }
        }
        let findings = try await store.findingUse(matching: EventFilter()).byGroup
        #expect(findings.mapValues(\.count) == all.findings.mapValues(\.count))
        var filter = EventFilter()
        filter.level = .debug
        let byLevel = try await store.eventUse(matching: filter).byGroup
        #expect(byLevel.mapValues(\.count) == now.events.mapValues(\.count))
        filter.sinceMicroseconds = newYear + 100_000_000
        let timed = CountedByHand(stored.filter { $0.realtimeMicroseconds >= newYear + 100_000_000 })
        #expect(
            try await store.eventUse(matching: filter).byGroup.mapValues(\.count) == timed.events.mapValues(\.count))
        #expect(try await store.findingUse(matching: filter).byGroup == timed.findings)
    }

    private func checkFilters(_ stored: ArraySlice<Event>) async throws {
        var filter = EventFilter()
        filter.resolutions = [.violating]
        filter.events = ["list0/*"]
        let wanted = stored.filter { $0.resolution == .violating && $0.kind.key?.category == "list0" }
        #expect(same(try await store.all(filter, limit: 100), wanted))
        let kinds = try await store.kinds([.undefined])
        let undefined = stored.filter { $0.resolution == .undefined }
        #expect(Set(kinds.map(\.kind)) == Set(undefined.map(\.kind)))
        var found: [Event] = []
        var after: Int64 = 0
        while true {
            let page = try await store.events(ofSeries: Set(kinds.map(\.series)), after: after, limit: 50)
            found += page.events
            guard let next = page.next else { break }
            after = next
        }
        #expect(same(found, undefined))
    }

    /// What the tables say of each other.
    private func checkTables() async throws {
        let wrong = try await store.database.read(.query) { db in
            try [
                "SELECT 1 FROM series_use AS u WHERE stored <> (SELECT count(*) FROM event_rows WHERE series = u.series)",
                "SELECT 1 FROM series_use WHERE stored < 0 OR series NOT IN (SELECT id FROM series)",
                "SELECT 1 FROM series WHERE id NOT IN (SELECT series FROM series_use)",
                """
                SELECT 1 FROM event_use AS e WHERE seen
                < (SELECT coalesce(sum(stored), 0) FROM series_use WHERE event_use = e.id)
                """,
                """
                SELECT 1 FROM event_use AS e WHERE gone
                <> NOT EXISTS (SELECT 1 FROM series_use WHERE event_use = e.id)
                """,
                "SELECT 1 FROM finding_use WHERE seen <= 0 OR event_use NOT IN (SELECT id FROM event_use)",
                """
                SELECT 1 FROM finding_use AS f WHERE seen
                < (SELECT coalesce(sum(events), 0) FROM block_findings WHERE finding = f.id)
                """,
                "SELECT 1 FROM block_use WHERE event_use NOT IN (SELECT id FROM event_use)",
                """
                SELECT 1 FROM blocks AS b WHERE last_id - block + 1
                <> (SELECT sum(events) FROM block_use WHERE block = b.block)
                """,
                """
                SELECT 1 FROM block_use AS b WHERE events <> (
                    SELECT sum(events) FROM postings JOIN series_use USING (series)
                    WHERE block = b.block AND event_use = b.event_use)
                """,
                "SELECT 1 FROM block_findings WHERE finding NOT IN (SELECT id FROM finding_use)",
                "SELECT 1 FROM block_findings WHERE block NOT IN (SELECT block FROM blocks)",
                "SELECT 1 FROM postings WHERE series NOT IN (SELECT id FROM series)",
                """
                SELECT 1 FROM blocks AS b WHERE last_id - block + 1
                <> (SELECT sum(events) FROM postings WHERE block = b.block)
                """,
            ].filter { try Int.fetchOne(db, sql: $0) != nil }
        }
        #expect(wrong == [])
        // The view has events with a key, whoever sends them.
        let all = CountedByHand(journal.events).events.reduce(
            into: [CountedByHand.EventGroup: Int64]()
        ) { counts, use in
            var group = use.key
            group.origin = nil
            if group.key != nil { counts[group, default: 0] += use.value.count }
        }
        let view = try await store.database.read(.query) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM event_counts").reduce(
                into: [CountedByHand.EventGroup: Int64]()
            ) { counts, row in
                let key = EventKey(category: row["event_category"], name: row["event_name"])
                let resolution = Resolution(rawValue: row["resolution"]) ?? .plain
                counts[.init(dictionary: row["dictionary"], key: key, resolution: resolution), default: 0] +=
                    row["seen"]
            }
        }
        #expect(view == all)
    }
}

extension EventStore {
    func kinds(
        _ resolutions: Set<Resolution>, of version: PastVersion? = nil
    ) async throws(StoreError) -> [StoredKind] {
        try await storedKinds(resolutions: resolutions, of: version, into: []) { $0.append($1) }
    }
}
