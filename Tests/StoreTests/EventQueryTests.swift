import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct EventQueryTests {
    /// Returns a store with several blocks, some small, and with open events.
    private func filled(
        _ folder: String, turnTime: Duration = .seconds(3600)
    ) async throws -> (EventStore, Journal) {
        var journal = Journal(seed: 7, kinds: 4, isTalkative: true)
        let store = try await EventStore.open(folder, maximumBytes: 3 << 20, turnTime: turnTime)
        for count in [900, 1, 300, 1300] {
            try await store.save(journal.batch(count, payloadBytes: 170), journal: "machine")
        }
        return (store, journal)
    }

    @Test func `pages in both directions and the newest events equal those of checking every event`() async throws {
        for turnTime in [Duration.zero, .seconds(3600)] {
            try await withStoreFolder { folder in
                let (store, journal) = try await filled(folder, turnTime: turnTime)
                let oracle = Oracle(journal.events, journal.parameters)
                var generator = SeededGenerator(seed: 42)
                for _ in 0..<25 { try await oracle.check(store, &generator) }
                await store.close()
            }
        }
    }

    @Test func `events are read by their ids, in any order, as many as there is room for`() async throws {
        try await withStoreFolder { folder in
            let (store, journal) = try await filled(folder)
            var generator = SeededGenerator(seed: 44)
            let ids = journal.events.map(\.id).shuffled(using: &generator).prefix(500) + [9999]
            var (read, rest) = ([Event](), ids[...])
            while !rest.isEmpty {
                let (page, looked) = try await store.events(ids: Array(rest), bytes: 5000)
                #expect(page.events.reduce(0) { $0 + $1.payload.count } <= 5000 && looked > 0 && page.needed == nil)
                read += page.events
                rest = rest.dropFirst(looked)
            }
            #expect(same(read, ids.dropLast().map { journal.events[Int($0) - 1] }))
            let (page, looked) = try await store.events(ids: [7], bytes: 10)
            #expect(page.events.isEmpty && looked == 0 && page.needed == journal.events[6].payload.count)
            await store.close()
        }
    }

    @Test func `events are the newest only if they are later than the blocks whose rows cannot be read`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            // The newest events are later than both blocks, or earlier.
            for batch in [
                Numbered.batch(6000...10_095), Numbered.batch(10_100...14_195),
                Numbered.batch([5000, 5001, 20_000, 20_001]),
            ] {
                try await store.save(batch, journal: "machine")
            }
            try await store.database.write { db in
                // The index keeps the entry of a row that is gone.
                try db.execute(
                    sql: """
                        PRAGMA writable_schema = ON;
                        CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'blocks_max_time';
                        DELETE FROM sqlite_schema WHERE name = 'blocks_max_time';
                        PRAGMA writable_schema = RESET;
                        DELETE FROM blocks WHERE first_id = 1;
                        PRAGMA writable_schema = ON;
                        INSERT INTO sqlite_schema SELECT * FROM kept;
                        PRAGMA writable_schema = RESET;
                        """)
            }
            let newest = try await store.newest(9000, matching: .everything, upTo: 9000)
            #expect(newest.places.map(\.time) == [20_001, 20_000].map { Int64(newYear) + $0 * 1_000_000 })
            #expect(newest.hasMore)
            let error = await storeError {
                _ = try await store.newest(9000, matching: .everything, upTo: 9000, before: newest.places.last)
            }
            #expect(error?.kind == .corrupt)
            await store.close()
        }
    }

    @Test func `events later than a damaged block are found, and continuing there is an error`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(origins: 2, kinds: 2)
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(9000), journal: "machine")
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_data SET data = x'00' WHERE first_id = 4097")
            }
            let latest = journal.events[4096..<8192].map(\.place.time).max() ?? 0
            let newest = try await store.newest(2000, matching: .everything, upTo: 9000)
            let known = journal.events.map(\.place).filter { $0.time > latest }.sorted(by: >)
            #expect(newest.places == known && newest.hasMore && !known.isEmpty)
            let error = await storeError {
                _ = try await store.newest(100, matching: .everything, upTo: 9000, before: known.last)
            }
            #expect(error?.kind == .corrupt && error?.description.contains("4097 to 8192") == true)
            await store.close()
        }
    }

    @Test func `a page of all events reads no open events behind its own`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(4096 + 50), journal: "machine")
            try await store.database.write { db in
                try db.execute(sql: "UPDATE open_events SET checksum = checksum + 1 WHERE id = 4096 + 31")
            }
            func page(after id: Int64, _ limit: Int) async throws -> [Int64] {
                try await store.events(matching: .everything, after: id, before: nil, order: .oldest, limit: limit)
                    .events.map(\.id)
            }
            #expect(try await page(after: 4091, 10) == Array(4092...4101), "also behind those of a block")
            #expect(try await page(after: 4116, 10) == Array(4117...4126))
            #expect(await storeError { _ = try await page(after: 4117, 10) }?.kind == .corrupt)
            await store.close()
        }
    }

    @Test func `a page has no more events than requested and says where to continue`() async throws {
        try await withStoreFolder { folder in
            let (store, _) = try await filled(folder)
            let first = try await store.events(
                matching: .everything, after: nil, before: nil, order: .newest, limit: 3)
            #expect(first.events.map(\.id) == [2501, 2500, 2499])
            #expect(first.next == 2499)
            #expect(first.newestEventID == 2501)
            let last = try await store.events(matching: .everything, after: nil, before: 3, order: .newest, limit: 2)
            #expect(last.events.map(\.id) == [2, 1])
            #expect(last.next == nil)
            let beyond = try await store.events(
                matching: .everything, after: 2501, before: nil, order: .oldest, limit: 2)
            #expect(beyond.events.isEmpty && beyond.next == nil && beyond.newestEventID == 2501)
            for (after, before, limit) in [(0, Int64.min, 5), (Int64.max, .max, 5), (Int64.min, 2, 0), (3, 2, 1)] {
                let empty = try await store.events(
                    matching: .everything, after: after, before: before, order: .oldest, limit: limit)
                #expect(empty.events.isEmpty && empty.next == nil)
            }
            await store.close()
        }
    }

    @Test func `a rare event is found without reading the others`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(origins: 2, kinds: 2)
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(5000), journal: "machine")
            try await store.save(journal.single(name: "once"), journal: "machine")
            try await store.save(journal.batch(8000), journal: "machine")
            // Reading one of these blocks would be an error.
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_data SET data = x'00' WHERE first_id <> 4097")
            }
            var filter = SimpleFilter()
            for (event, wanted) in [("list/once", [5001]), ("list/never", [])] {
                filter.events = [event]
                for order in [EventOrder.oldest, .newest] {
                    let query = StoredEventQuery(filter.predicate, after: nil, before: nil, order: order, limit: 10)
                    let page = try await store.page(query, on: .query)
                    #expect(page.events.map(\.id) == wanted.map(Int64.init) && page.next == nil)
                }
            }
            await store.close()
        }
    }

    @Test func `one call does bounded work`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, turnTime: .zero)
            for _ in 0..<5 { try await store.save(journal.batch(7000, payloadBytes: 0), journal: "machine") }
            var filter = SimpleFilter()
            filter.grep = "never there"
            let first = try await store.events(
                matching: filter.predicate, after: nil, before: nil, order: .oldest, limit: 10)
            #expect(first.events.isEmpty)
            #expect(try #require(first.next) < 35_000)
            #expect(try await store.all(filter).isEmpty)
            await store.close()
        }
    }

    @Test func `one call returns bounded bytes`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let large = [UInt8](repeating: 0x61, count: 400_000)
            for _ in 0..<6 { try await store.save(journal.single(large), journal: "machine") }
            let page = try await store.events(
                matching: .everything, after: 1, before: nil, order: .oldest, limit: 100)
            #expect(page.events.map(\.id) == [2, 3])
            #expect(page.next == 3)
            await store.close()
        }
    }

    @Test(arguments: ["(", "[a", "a{2,1}", "*"])
    func `an invalid regular expression is refused with a reason`(_ pattern: String) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var filter = SimpleFilter()
            filter.grep = pattern
            let error = await storeError { _ = try await store.all(filter) }
            #expect(error?.kind == .invalidPattern)
            #expect(error?.description.contains(pattern) == true)
            await store.close()
        }
    }

    @Test func `readers get complete batches while others are written`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await withThrowingTaskGroup { group in
                for order in [EventOrder.oldest, .newest] {
                    group.addTask {
                        while store.feed.latest < 1500 {
                            let ids = try await store.all(order: order).map(\.id)
                            #expect(ids.count % 100 == 0)
                            #expect(ids == (order == .oldest ? ids.sorted() : ids.sorted(by: >)))
                        }
                    }
                }
                var journal = Journal()
                for _ in 0..<15 { try await store.save(journal.batch(100), journal: "machine") }
                try await group.waitForAll()
            }
            await store.close()
        }
    }
}
