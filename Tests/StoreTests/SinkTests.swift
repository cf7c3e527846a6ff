import GRDB
import Model
import Testing

@testable import Store

struct SinkTests {
    /// - Parameter events: how many of them are in it; all by default.
    private func batch(
        _ sink: String, _ ids: ClosedRange<Int64>, events: Int? = nil, key: String = "k", body: [UInt8] = [0, 1, 0xFF]
    ) -> FrozenBatch {
        FrozenBatch(
            sink: sink, key: key, body: body, contentEncoding: "gzip", firstEventID: ids.lowerBound,
            lastEventID: ids.upperBound, eventCount: events ?? ids.count)
    }

    @Test func `a new sink starts where its settings say`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 6 << 20)
            // A new store is empty, and every sink gets all events that are saved.
            let early = try await store.openSinks([("early", .now), ("earlier", .ago(.seconds(1)))], now: newYear)
            #expect(early.map(\.position) == [0, 0])
            for _ in 0..<4 { try await store.save(journal.batch(1500, payloadBytes: 150), journal: "machine") }
            let now = newYear + 6_000_000_000
            let spans: [Int] = [0, 100, 3000, 5990, 7000]
            let records = try await store.openSinks(
                [("now", .now), ("oldest", .oldest)] + spans.map { ("ago\($0)", .ago(.seconds($0))) }, now: now)
            #expect(records.map(\.name) == ["now", "oldest", "ago0", "ago100", "ago3000", "ago5990", "ago7000"])
            #expect(records[0].position == 6000 && records[1].position == 0)
            for (span, record) in zip(spans, records.dropFirst(2)) {
                let start = now - UInt64(span) * 1_000_000
                let first = journal.events.first { $0.realtimeMicroseconds >= start }?.id ?? 6001
                #expect(record.position == first - 1, "\(record.name)")
            }
            await store.close()
        }
    }

    @Test func `a new sink gets all events that are young enough, although older ones arrived later`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            var late = journal.batch(10)
            for index in late.events.indices { late.events[index].entry.realtimeMicroseconds -= 86_400_000_000 }
            try await store.save(late, journal: "machine")
            let start = journal.events[4].realtimeMicroseconds
            let records = try await store.openSinks([("up", .ago(.microseconds(7)))], now: start + 7)
            #expect(records.map(\.position) == [4])
            await store.close()
        }
    }

    @Test func `the position before a time passes over no event that is saved while it is looked for`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            // Each block is a turn.
            let store = try await EventStore.open(folder, turnTime: .zero)
            let time = newYear + 1_000_000_000_000
            store.feed.publish(7)
            #expect(try await store.position(before: time) == 7, "nothing is stored")
            for _ in 0..<4 { try await store.save(journal.batch(4096), journal: "machine") }
            for number in [1, 5000, 16_384] {
                let start = newYear + UInt64(number) * 1_000_000
                let first = journal.events.first { $0.realtimeMicroseconds >= start }?.id ?? 16_385
                #expect(try await store.position(before: start) == first - 1)
            }
            // As if the next event were committed after the read has begun.
            store.feed.publish(16_385)
            #expect(try await store.position(before: time) == 16_384)
            await store.close()
        }
    }

    @Test func `a new sink that cannot be opened yet begins where it was to begin`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            try await store.database.write { db in
                try db.execute(
                    sql: """
                        CREATE TEMP TRIGGER full BEFORE INSERT ON sinks BEGIN SELECT raise(ABORT, 'no room'); END
                        """)
            }
            let start = journal.events[4].realtimeMicroseconds
            let ago: [(name: String, start: StartPoint)] = [("up", .ago(.seconds(7))), ("new", .ago(.seconds(8)))]
            #expect(await storeError { _ = try await store.openSinks([ago[0]], now: start + 7_000_000) } != nil)
            try await store.database.write { db in try db.execute(sql: "DROP TRIGGER full") }
            // Later, all events are too old.
            #expect(try await store.openSinks(ago, now: start + 3_600_000_000).map(\.position) == [4, 10])
            await store.close()
        }
    }

    @Test func `a sink keeps its position after a restart, whatever its start says`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.freeze(batch("up", 1...4))
            #expect(try await store.frozenBatch(ofSink: "up") == batch("up", 1...4))
            await store.close()

            store = try await EventStore.open(folder)
            #expect(try await store.openSinks([("up", .now)], now: newYear).map(\.position) == [0])
            #expect(try await store.frozenBatch(ofSink: "up") == batch("up", 1...4))
            let done = try await store.complete(batch("up", 1...4), at: newYear + 5)
            #expect(
                done
                    == SinkRecord(
                        name: "up", position: 4, deliveredEvents: 4, deliveredBatches: 1,
                        lastSuccessMicroseconds: newYear + 5))
            #expect(try await store.frozenBatch(ofSink: "up") == nil)
            #expect(try await store.complete(batch("up", 1...4), at: newYear + 9) == done, "it is counted once")
            #expect(try await store.openedSinks() == [done])
            await store.close()
        }
    }

    @Test func `a sink that the settings no longer name holds nothing back, and continues when it returns`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            _ = try await store.openSinks([("a", .oldest), ("b", .oldest)], now: newYear)
            try await store.freeze(batch("a", 1...2))
            #expect(try await store.openSinks([("b", .now)], now: newYear).map(\.name) == ["b"])
            #expect(try await store.openedSinks().map(\.name) == ["b"])
            let back = try await store.openSinks([("b", .now), ("a", .now)], now: newYear)
            #expect(back.map(\.name) == ["b", "a"] && back.map(\.position) == [0, 0])
            #expect(try await store.frozenBatch(ofSink: "a") == batch("a", 1...2))
            await store.close()
        }
    }

    @Test(arguments: [
        "body = zeroblob(length(body))", "key = 'other'", "content_encoding = NULL", "last_event_id = 1048576",
        "checksum = 0",
    ])
    func `a damaged batch is not sent, and its events are to be sent in another`(_ damage: String) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            for sink in ["up", "other"] { try await store.freeze(batch(sink, 1...4)) }
            try await store.database.write { try $0.execute(sql: "UPDATE batches SET \(damage) WHERE sink = 'up'") }
            #expect(try await store.frozenBatch(ofSink: "up") == nil)
            #expect(store.damage?.description.contains("the batch of sink up is damaged") == true)
            #expect(try await store.openedSinks().map(\.position) == [0])
            #expect(try await store.gaps(after: 0, limit: 9).isEmpty)
            let left = try await store.database.write { try String.fetchAll($0, sql: "SELECT sink FROM batches") }
            #expect(left == ["other"])
            try await store.freeze(batch("up", 1...4, key: "new"))
            #expect(try await store.frozenBatch(ofSink: "up") == batch("up", 1...4, key: "new"))
            await store.close()
        }
    }

    @Test(arguments: [4096, 3]) func `events that only a damaged batch had leave a gap`(_ events: Int) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(4096), journal: "machine")
            try await store.save(journal.batch(10), journal: "machine")
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.freeze(batch("up", 1...4096, events: events))
            try await store.database.write { db in
                let block = try #require(try PackedBlockTable.oldest(upTo: .max, db))
                #expect(block.ids == 1...4096)
                try PackedBlockTable.remove(block.ids.lowerBound, db)
                try db.execute(sql: "UPDATE batches SET key = 'other'")
            }
            #expect(try await store.frozenBatch(ofSink: "up") == nil)
            let gaps = try await store.gaps(after: 0, limit: 9)
            #expect(gaps.map(\.gap.count) == [UInt64(events)] && gaps.first?.gap.certainty == .atMost)
            #expect(gaps.map(\.afterEventID) == [4096])
            await store.close()
        }
    }

    @Test(arguments: [["up"], ["slow", "up"]])
    func `events that were counted when they were removed are not counted again with a damaged batch`(
        _ sinks: [String]
    ) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            _ = try await store.openSinks(sinks.map { ($0, .oldest) }, now: newYear)
            try await store.freeze(batch("up", 1...4096))
            try await store.change { db, state in
                for _ in 0..<2 { try store.remove(#require(try Removal.oldest(db)), db, &state) }
                try db.execute(sql: "UPDATE batches SET key = 'other'")
            }
            #expect(try await store.statistics().droppedEvents == (sinks.count == 1 ? 4096 : 8192))
            #expect(try await store.frozenBatch(ofSink: "up") == nil)
            #expect(try await store.statistics().droppedEvents == 8192)
            await store.close()
        }
    }

    @Test(arguments: [false, true])
    func `of a batch, events are counted that were removed before older ones, since they were sent earlier`(
        isDamaged: Bool
    ) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(4096), journal: "machine")
            var late = journal.batch(4096)
            for place in late.events.indices { late.events[place].entry.realtimeMicroseconds -= 86_400_000_000 }
            try await store.save(late, journal: "machine")
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            let frozen = batch("up", 1...5000)
            try await store.freeze(frozen)
            try await store.change { [store] db, state in
                let old = try #require(try Removal.oldest(db))
                #expect(old.ids == 4097...8192)
                try store.remove(old, db, &state)
            }
            #expect(try await store.statistics().droppedEvents == 3192)
            if isDamaged {
                try await store.database.write { try $0.execute(sql: "UPDATE batches SET key = 'other'") }
                #expect(try await store.frozenBatch(ofSink: "up") == nil)
            } else {
                try await store.discard(frozen)
            }
            #expect(try await store.statistics().droppedEvents == 4096)
            await store.close()
        }
    }

    @Test(arguments: [8182, 3]) func `events that only a discarded batch had leave a gap`(_ events: Int) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            let frozen = batch("up", 11...8192, events: events)
            let most = Int64(min(4086, events))
            try await store.freeze(frozen)
            try await store.change { db, state in try store.remove(#require(try Removal.oldest(db)), db, &state) }
            #expect(try await store.statistics().droppedEvents == 0)
            for _ in 0..<2 {
                try await store.discard(frozen)
                #expect(try await store.frozenBatch(ofSink: "up") == nil)
                #expect(try await store.statistics().droppedEvents == most)
            }
            let gaps = try await store.gaps(after: 0, limit: 9)
            #expect(gaps.map(\.gap.count) == [UInt64(most)] && gaps.first?.gap.certainty == .atMost)
            #expect(gaps.map(\.afterEventID) == [4096])
            await store.close()
        }
    }

    @Test func `events that were only in batches of several sinks are counted once`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<2 { try await store.save(journal.batch(4096), journal: "machine") }
            _ = try await store.openSinks([("a", .oldest), ("b", .oldest)], now: newYear)
            for sink in ["a", "b"] { try await store.freeze(batch(sink, 1...5000)) }
            try await store.change { [store] db, state in
                try store.remove(#require(try Removal.oldest(db)), db, &state)
            }
            for sink in ["a", "b"] { try await store.discard(batch(sink, 1...5000)) }
            #expect(try await store.statistics().droppedEvents == 4096)
            await store.close()
        }
    }

    @Test func `completing a batch of an unknown sink is an error`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            #expect(await storeError { _ = try await store.complete(batch("x", 1...2), at: 1) }?.kind == .failed)
            await store.close()
        }
    }

    @Test func `freezing is synced, saving is not`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.freeze(batch("up", 1...2, body: [UInt8](repeating: 7, count: 300_000)))
            #expect(try await store.frozenBatch(ofSink: "up")?.body.count == 300_000)
            let synchronous = try await store.database.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            #expect(synchronous == 1)
            await store.close()
        }
    }
}
