import Model
import TestSupport
import Testing

@testable import Store

struct CommitTimesTests {
    @Test func `each transaction that is committed is counted, and what it stored`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let before = store.commits.counts.total
            #expect(try await store.save(Numbered.batch(1...5), journal: "machine").seen.values.reduce(0, +) == 5)
            #expect(store.commits.counts.total == before + 1)
            #expect(store.commits.counts.sum > 0)
            let again = try await store.save(Numbered.batch(3...7, mayBeKnown: true), journal: "machine")
            #expect(again.seen.values.reduce(0, +) == 2 && again.counts.duplicates == 3)
            _ = try await store.statistics()
            #expect(store.commits.counts.total == before + 2)
            await store.close()
        }
    }

    @Test func `maintenance that changes nothing commits nothing`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await store.save(Numbered.batch(1...5), journal: "machine")
            try await store.tidyAll()
            let before = store.commits.counts.total
            try await store.tidyAll()
            #expect(store.commits.counts.total == before)
            await store.close()
        }
    }
}
