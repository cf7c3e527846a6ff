import GRDB
import Model
import Testing

@testable import Store

struct ReplacementTests {
    private let later = EventKind(
        dictionary: "shop", definitionsVersion: "fedcba9876543210", key: EventKey(category: "list0", name: "event0"))

    @Test func `a replacement is not written after its block has changed`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(4096), journal: "machine")
            let made = try await replacement(of: 7, store)
            #expect(try await fits(made, store))
            let other = ReprocessedEvent(id: 8, resolution: .plain, kind: later)
            #expect(try await store.replace([other]) == [.plain: 1])
            #expect(try await !fits(made, store))
            #expect(try await fits(replacement(of: 7, store), store))
            await store.close()
        }
    }

    @Test func `a replacement is not written after its block was removed`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<2 { try await store.save(journal.batch(4096), journal: "machine") }
            let made = try await replacement(of: 7, store)
            try await store.change { db, _ in try PackedBlockTable.remove(1, db) }
            #expect(try await !fits(made, store))
            await store.close()
        }
    }

    @Test func `the newest events are found again after they were packed`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            let made = try await replacement(of: 7, store)
            try await store.save(journal.batch(10), journal: "machine")
            #expect(try await fits(made, store), "others were added, and these are in the same place")
            try await store.save(journal.batch(4096), journal: "machine")
            #expect(try await !fits(made, store))
            await store.close()
        }
    }

    @Test func `the events of a new sink are kept`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(4096), journal: "machine")
            let made = try await replacement(of: 7, store)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            #expect(try await !fits(made, store))
            await store.close()
        }
    }

    @Test func `events that are saved and replaced at the same time are all stored`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            let changes = (1...12_288).map { ReprocessedEvent(id: $0, resolution: .resolved, kind: later) }
            async let replaced = store.replace(changes)
            for _ in 0..<40 { try await store.save(journal.batch(150), journal: "machine") }
            _ = try await replaced
            changes.forEach { journal.replace($0) }
            #expect(same(try await store.all(), journal.events))
            await store.close()
        }
    }

    private func replacement(of id: Int64, _ store: EventStore) async throws -> Replacement {
        let change = ReprocessedEvent(id: id, resolution: .resolved, kind: later)
        let retention = store.retention(now: newYear)
        return try await store.database.read(.definitions) { db in
            try Replacement(of: [id: change], from: id, retention, db)
        }
    }

    private func fits(_ replacement: Replacement, _ store: EventStore) async throws -> Bool {
        try await store.change { db, _ in try replacement.isCurrent(db) }
    }
}
