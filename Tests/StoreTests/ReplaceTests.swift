import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct ReplaceTests {
    private let later = EventKind(
        dictionary: "shop", definitionsVersion: "fedcba9876543210", key: EventKey(category: "list0", name: "event0"))

    @Test func `a replaced event keeps its place and says what is known of it now`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(5000), journal: "machine")
            let findings = Findings(violations: [Violation("a", .missing(type: "string", found: nil))])
            let payload = Array("{\"a\":\"<private>\",\"é\":1}".utf8)
            let changes = [
                ResolvedAgain(id: 7, resolution: .resolved, kind: later),
                ResolvedAgain(id: 4999, resolution: .violating, kind: later, findings: findings, payload: payload),
                ResolvedAgain(id: 8, resolution: .undefined, kind: later, payload: [0xFF, 0]),
                ResolvedAgain(id: 6000, resolution: .resolved, kind: later),
            ]
            let seenBefore = store.feed.latest
            #expect(try await store.replace(changes).values.reduce(0, +) == 3)
            for change in changes.prefix(3) { journal.replace(change) }
            #expect(same(try await store.all(), journal.events))
            #expect(store.feed.latest == seenBefore)
            #expect(try await store.statistics().resolvedAgain == 3)
            #expect(
                try await store.replace(changes.filter { $0.payload == nil }).values.reduce(0, +) == 0,
                "nothing is left to change")
            #expect(try await store.statistics().resolvedAgain == 3)
            await store.close()
            let again = try await EventStore.open(folder)
            #expect(same(try await again.all(), journal.events))
            await again.close()
        }
    }

    @Test func `kinds are listed once for each series that has stored events`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for (name, resolution) in [
                ("tap", Resolution.undefined), ("tap", .undefined), ("swipe", .violating), ("scroll", .resolved),
            ] {
                try await store.save(journal.single(name: name, resolution: resolution), journal: "machine")
            }
            let kinds = try await store.kinds([.undefined, .violating])
            #expect(kinds.map(\.kind.key?.name) == ["tap", "swipe"])
            #expect(kinds.map(\.resolution) == [.undefined, .violating])
            #expect(kinds.allSatisfy { $0.subsystem == "com.example.rare" && $0.category == "" })
            #expect(try await store.kinds([]).isEmpty)
            let version = PastVersion(dictionary: "shop", version: "0123456789abcdef")
            let all = Set(Resolution.allCases)
            let ofVersion = try await store.kinds(all).filter { $0.kind.definitionsVersion == version.version }
            #expect(try await store.kinds(all, of: version) == ofVersion)
            #expect(try await store.kinds(all, of: PastVersion(dictionary: "shop", version: "x")).isEmpty)

            let tap = try #require(kinds.first).series
            let page = try await store.events(ofSeries: [tap], after: 0, limit: 1)
            #expect(page.events.map(\.id) == [1] && page.next == 1)
            #expect(try await store.events(ofSeries: [tap], after: 1, limit: 9).events.map(\.id) == [2])
            #expect(try await store.events(ofSeries: [], after: 0, limit: 9).events.isEmpty)

            let changes = [1, 2].map { ResolvedAgain(id: $0, resolution: .resolved, kind: later) }
            #expect(try await store.replace(changes).values.reduce(0, +) == 2)
            #expect(try await store.kinds([.undefined]).isEmpty)
            _ = try await store.tidy(now: newYear)
            let series = try await store.database.read(.query) { try Int64.fetchAll($0, sql: "SELECT id FROM series") }
            #expect(!series.contains(tap), "what nothing belongs to is removed")
            #expect(try await store.eventUse(matching: EventFilter()).count == 3)
            await store.close()
        }
    }

    @Test func `replacing respects the limit and changes nothing when it does not fit`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: limit)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            while await storeError({
                var next = journal
                try await store.save(next.batch(300, payloadBytes: 250), journal: "machine")
                journal = next
            }) == nil {}
            let before = try await store.all()
            let large = [UInt8](repeating: 0x61, count: 100_000)
            let changes = (0..<20).map {
                ResolvedAgain(id: Int64($0 * 90 + 1), resolution: .resolved, kind: later, payload: large)
            }
            #expect(await storeError { _ = try await store.replace(changes) }?.kind == .full)
            #expect(same(try await store.all(), before))
            #expect(try await store.statistics().resolvedAgain == 0)
            #expect(
                try await store.eventUse(matching: EventFilter()).byGroup.mapValues(\.count)
                    == CountedByHand(before).events.mapValues(\.count))
            await store.close()
        }
    }

    @Test func `the files stay within the limit while events are replaced`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: limit)
            for round in 0..<40 {
                try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine")
                let oldest = try #require(try await store.statistics().oldestEventID)
                let count = store.maximumReplacements
                let stride = max(1, (journal.last - oldest) / Int64(count))
                let changes = (0..<count).map { index in
                    ResolvedAgain(
                        id: oldest + Int64(index) * stride, resolution: .violating, kind: later,
                        findings: Findings(violations: [
                            Violation("p\(index)", .length(maximum: 0, found: round))
                        ]), payload: [UInt8](repeating: 0x61, count: 400))
                }
                _ = try await store.replace(changes)
                let sizes = store.database.file.sizes
                #expect(sizes.database + sizes.wal <= limit)
            }
            await store.close()
        }
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `saving, replacing, retention and restarts in any order agree with a look at every event`(
        _ seed: UInt64
    ) async throws {
        try await withStoreFolder { folder in
            var run = RandomRun(seed: seed, store: try await RandomRun.open(folder), folder: folder)
            for _ in 0..<20 { try await run.step() }
            await run.store.close()
        }
    }
}
