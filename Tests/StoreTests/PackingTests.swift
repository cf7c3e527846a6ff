import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct PackingTests {
    /// Returns the number of events in each block, and in no block.
    private func sizes(_ store: EventStore) async throws -> [Int] {
        try await store.database.read(.status) { db in
            try Int.fetchAll(db, sql: "SELECT events FROM blocks ORDER BY first_id")
                + [try OpenEventTable.size(db).count]
        }
    }

    private func save(_ batches: Int, of count: Int, _ journal: inout Journal, _ store: EventStore) async throws {
        for _ in 0..<batches { try await store.save(journal.batch(count, payloadBytes: 60), journal: "machine") }
    }

    @Test func `the newest events are packed when they nearly fill a block, and later ones stay rows`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await save(35, of: 100, &journal, store)
            try await store.packNewest()
            #expect(try await sizes(store) == [3500])
            try await save(1, of: 84, &journal, store)
            let newest = try #require(try await store.packedNewest())
            try await save(3, of: 7, &journal, store)
            try await store.write(newest)
            #expect(try await sizes(store) == [3584, 21])
            // Nothing is duplicated when the block is written too late.
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

    @Test func `events that were changed, packed or removed meanwhile are not packed in their earlier state`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await save(36, of: 100, &journal, store)
            let newest = try #require(try await store.packedNewest())
            let change = ReprocessedEvent(
                id: 17, resolution: .plain, kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil),
                findings: nil, payload: nil)
            #expect(try await store.replace([change]) == [.plain: 1])
            try await store.write(newest)
            #expect(try await sizes(store) == [3600])
            #expect(try await store.all()[16].resolution == .plain)

            let second = try #require(try await store.packedNewest())
            try await save(1, of: 600, &journal, store)
            #expect(try await sizes(store) == [4096, 104])
            try await store.write(second)
            #expect(try await sizes(store) == [4096, 104])
            #expect(try await store.all().map(\.payload) == journal.events.map(\.payload))
            await store.close()
        }
    }

    @Test func `packing is requested when there are enough events`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await save(36, of: 100, &journal, store)
            var requests = store.blocksReady.makeAsyncIterator()
            #expect(await requests.next() != nil)
            await store.close()
        }
    }
}
