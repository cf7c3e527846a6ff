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
            // Packed meanwhile, or before, or not at all.
            async let packed: Void = store.packNewest()
            try await store.save(journal.batch(count, payloadBytes: 150), journal: "machine")
            try await packed
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
        let counts = try await store.eventCounts(matching: EventFilter()).byGroup
        #expect(counts.mapValues(\.count) == all.events.mapValues(\.count))
        for (group, sum) in counts {
            // Those that are called something else since were counted here, too.
            let exact = try #require(all.events[group])
            #expect(sum.first <= exact.first && sum.last >= exact.last && sum.lastEvent >= exact.lastEvent)
        }
        let findings = try await store.findingCounts(matching: EventFilter()).byGroup
        #expect(findings.mapValues(\.count) == all.findings.mapValues(\.count))
        var filter = EventFilter()
        filter.level = .debug
        #expect(try await store.eventCounts(matching: filter).byGroup == now.events)
        filter.sinceMicroseconds = newYear + 100_000_000
        let timed = CountedByHand(stored.filter { $0.realtimeMicroseconds >= newYear + 100_000_000 })
        #expect(try await store.eventCounts(matching: filter).byGroup == timed.events)
        #expect(try await store.findingCounts(matching: filter).byGroup == timed.findings)
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
            let page = try await store.events(ofKinds: Set(kinds.map(\.id)), after: after)
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
                "SELECT 1 FROM blocks WHERE first_id NOT IN (SELECT first_id FROM block_data)",
                "SELECT 1 FROM block_data WHERE first_id NOT IN (SELECT first_id FROM blocks)",
                "SELECT 1 FROM block_values WHERE first_id NOT IN (SELECT first_id FROM blocks)",
                "SELECT 1 FROM blocks AS b JOIN blocks AS c ON c.first_id BETWEEN b.first_id + 1 AND b.last_id",
                "SELECT 1 FROM open_events WHERE id <= (SELECT max(last_id) FROM blocks)",
                "SELECT 1 FROM open_events WHERE kind NOT IN (SELECT kind FROM open_kinds)",
                "SELECT 1 FROM open_events WHERE sender NOT IN (SELECT sender FROM open_senders)",
                "SELECT 1 FROM event_counts WHERE seen <= 0",
                "SELECT 1 FROM finding_counts WHERE seen <= 0 OR event_count NOT IN (SELECT id FROM event_counts)",
            ].filter { try Int.fetchOne(db, sql: $0) != nil }
        }
        #expect(wrong == [])
        // What the daemon remembers is what a restart reads.
        let (remembered, read) = try await store.change { [limit = store.limit] db, state in
            let fresh = try WriterState(db, limit: limit)
            return (
                [state.counters.bytes, Int64(state.appender.openSize.count), state.lastEventID],
                [fresh.counters.bytes, Int64(fresh.appender.openSize.count), fresh.lastEventID]
            )
        }
        #expect(remembered == read)
    }
}

extension EventStore {
    func kinds(
        _ resolutions: Set<Resolution>, of version: PastVersion? = nil
    ) async throws(StoreError) -> [StoredKind] {
        try await storedKinds(resolutions: resolutions, of: version, into: []) { $0.append($1) }
    }
}
