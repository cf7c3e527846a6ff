import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct ReplaceTests {
    private let later = EventKind(
        dictionary: "shop", definitionsVersion: "fedcba9876543210", key: EventKey(category: "list0", name: "event0"))

    @Test func `a replaced event keeps its place and has the new result`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(5000), journal: "machine")
            let findings = Findings(violations: [Violation("a", .missing(type: "string", found: nil))])
            let payload = Array("{\"a\":\"<private>\",\"é\":1}".utf8)
            let changes = [
                ReprocessedEvent(id: 7, resolution: .resolved, kind: later),
                ReprocessedEvent(id: 4999, resolution: .violating, kind: later, findings: findings, payload: payload),
                ReprocessedEvent(id: 8, resolution: .undefined, kind: later, payload: [0xFF, 0]),
                ReprocessedEvent(id: 6000, resolution: .resolved, kind: later),
            ]
            let seenBefore = store.feed.latest
            #expect(try await store.replace(changes).values.reduce(0, +) == 3)
            for change in changes.prefix(3) { journal.replace(change) }
            #expect(same(try await store.all(), journal.events))
            #expect(store.feed.latest == seenBefore)
            #expect(try await store.statistics().reprocessed == 3)
            #expect(
                try await store.replace(changes.filter { $0.payload == nil }).values.reduce(0, +) == 0,
                "nothing remains to be changed")
            #expect(try await store.statistics().reprocessed == 3)
            await store.close()
            let again = try await EventStore.open(folder)
            #expect(same(try await again.all(), journal.events))
            await again.close()
        }
    }

    @Test func `the kinds of stored events are listed, and their events are found`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for (name, resolution) in [
                ("tap", Resolution.undefined), ("tap", .undefined), ("swipe", .violating), ("scroll", .resolved),
            ] {
                try await store.save(journal.single(name: name, resolution: resolution), journal: "machine")
            }
            let kinds = try await store.kinds([.undefined, .violating]).sorted { $0.kind.key! > $1.kind.key! }
            #expect(kinds.map(\.kind.key?.name) == ["tap", "swipe"])
            #expect(kinds.map(\.resolution) == [.undefined, .violating])
            #expect(kinds.allSatisfy { $0.subsystem == "com.example.rare" && $0.category == "" })
            #expect(try await store.kinds([]).isEmpty)
            let version = DictionaryVersionID(dictionary: "shop", version: "0123456789abcdef")
            let all = Set(Resolution.allCases)
            let ofVersion = try await store.kinds(all).filter { $0.kind.definitionsVersion == version.version }
            #expect(try await store.kinds(all, of: version) == ofVersion)
            #expect(try await store.kinds(all, of: DictionaryVersionID(dictionary: "shop", version: "x")).isEmpty)

            let tap = try #require(kinds.first).id
            #expect(try await store.events(ofKinds: [tap], after: 0).events.map(\.id) == [1, 2])
            #expect(try await store.events(ofKinds: [tap], after: 1).events.map(\.id) == [2])
            #expect(try await store.events(ofKinds: [], after: 0).events.isEmpty)

            let changes = [1, 2].map { ReprocessedEvent(id: $0, resolution: .resolved, kind: later) }
            #expect(try await store.replace(changes).values.reduce(0, +) == 2)
            #expect(try await store.kinds([.undefined]).isEmpty)
            #expect(
                try await store.kinds(all, of: DictionaryVersionID(dictionary: "shop", version: "fedcba9876543210"))
                    .count == 1)
            #expect(try await store.eventCounts(matching: .everything).count == 3)
            await store.close()
        }
    }

    @Test func `events of some kinds are returned block by block`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            try await store.save(journal.batch(7), journal: "machine")
            let kinds = Set(try await store.kinds([.violating]).map(\.id))
            var (found, sizes, after): ([Event], [Int64], Int64) = ([], [], 0)
            while true {
                let page = try await store.events(ofKinds: kinds, after: after)
                found += page.events
                guard let next = page.next else { break }
                after = next
                sizes.append(next)
            }
            #expect(sizes == [4096, 8192, 12_288])
            #expect(same(found, journal.events.filter { $0.resolution == .violating }))
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
                ReprocessedEvent(id: Int64($0 * 90 + 1), resolution: .resolved, kind: later, payload: large)
            }
            #expect(await storeError { _ = try await store.replace(changes) }?.kind == .full)
            #expect(same(try await store.all(), before))
            #expect(try await store.statistics().reprocessed == 0)
            #expect(
                try await store.eventCounts(matching: .everything).byGroup.mapValues(\.count)
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
                let count = 64
                let stride = max(1, (journal.last - oldest) / Int64(count))
                let changes = (0..<count).map { index in
                    ReprocessedEvent(
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
}
