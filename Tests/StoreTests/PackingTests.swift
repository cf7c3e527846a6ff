import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct PackingTests {
    /// How many events each block has, and how many are in none.
    private func sizes(_ store: EventStore) async throws -> [Int] {
        try await store.database.read(.status) { db in
            try Int.fetchAll(db, sql: "SELECT events FROM blocks ORDER BY first_id")
                + [try OpenEventTable.size(db).count]
        }
    }

    private func save(_ batches: Int, of count: Int, _ journal: inout Journal, _ store: EventStore) async throws {
        for _ in 0..<batches { try await store.save(journal.batch(count, payloadBytes: 60), journal: "machine") }
    }

    @Test func `the newest events are packed when they are nearly enough, and what comes meanwhile stays`() async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await save(35, of: 100, &journal, store)
            try await store.packNewest()
            #expect(try await sizes(store) == [3500])
            try await save(1, of: 84, &journal, store)
            let newest = try #require(try await store.newestAsBlock())
            try await save(3, of: 7, &journal, store)
            try await store.write(newest)
            #expect(try await sizes(store) == [3584, 21])
            // Nothing is there twice when it comes late.
            try await store.write(newest)
            #expect(try await sizes(store) == [3584, 21])
            try await save(1, of: 3, &journal, store)
            #expect(try await same(store.all(), journal.events))
            let again = try await Self.reopened(store, folder)
            try await save(1, of: 4000, &journal, again)
            #expect(try await sizes(again) == [3584, 4024, 0])
            #expect(try await same(again.all(), journal.events))
            await again.close()
        }
    }

    private static func reopened(_ store: EventStore, _ folder: String) async throws -> EventStore {
        await store.close()
        return try await EventStore.open(folder)
    }

    @Test func `what was changed, packed or removed meanwhile is not packed as it was`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await save(36, of: 100, &journal, store)
            let newest = try #require(try await store.newestAsBlock())
            let change = ReprocessedEvent(
                id: 17, resolution: .plain, kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil),
                findings: nil, payload: nil)
            #expect(try await store.replace([change]) == [.plain: 1])
            try await store.write(newest)
            #expect(try await sizes(store) == [3600])
            #expect(try await store.all()[16].resolution == .plain)

            let second = try #require(try await store.newestAsBlock())
            try await save(1, of: 600, &journal, store)
            #expect(try await sizes(store) == [4096, 104])
            try await store.write(second)
            #expect(try await sizes(store) == [4096, 104])
            #expect(try await store.all().map(\.payload) == journal.events.map(\.payload))
            await store.close()
        }
    }

    @Test func `whoever packs is told when there is enough`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await save(36, of: 100, &journal, store)
            var told = store.blocksReady.makeAsyncIterator()
            #expect(await told.next() != nil)
            await store.close()
        }
    }
}
