import Foundation
import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// Tests whether the files still contain values that became private.
struct ErasureTests {
    private static let events = 7000

    /// Saves blocks, and rows that are in none, with payloads of different lengths. Some take pages of their own, and
    /// their order is random.
    private func fill(_ store: EventStore, _ journal: inout Journal, _ events: Int = Self.events) async throws {
        var generator = SeededGenerator(seed: 1)
        for start in stride(from: 0, to: events, by: 500) {
            var batch = ResolvedBatch(entriesRead: 500)
            for index in start..<start + 500 {
                let value = generator.letters(index % 700 == 0 ? 9000 : 20 + index % 89 * 7)
                let payload = Array("{\"user\":\"".utf8) + value + Array("\",\"page\":\(index)}".utf8)
                let single = journal.single(payload, name: "tap", resolution: .resolved, bits: UInt64(index + 1))
                let offset = batch.bytes.count
                batch.bytes += single.bytes
                for var event in single.events {
                    event.entry.payload = offset..<offset + payload.count
                    batch.events.append(event)
                }
            }
            try await store.save(batch, journal: "machine")
        }
    }

    private func redact(_ ids: ClosedRange<Int64>, _ store: EventStore) async throws {
        let kind = EventKind(
            dictionary: "shop", definitionsVersion: "w", key: EventKey(category: "list", name: "tap"))
        for start in stride(from: ids.lowerBound, through: ids.upperBound, by: 250) {
            let changes = (start...min(start + 249, ids.upperBound)).map { id in
                ReprocessedEvent(
                    id: id, resolution: .resolved, kind: kind,
                    payload: Array("{\"user\":\"<private>\",\"page\":\(id - 1)}".utf8))
            }
            _ = try await store.replace(changes)
        }
    }

    @Test(arguments: [true, false])
    func `values that became private leave no trace in any page, used or free, or in the log`(
        isOverwritten: Bool
    ) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            if !isOverwritten { try await store.database.write { try $0.execute(sql: "PRAGMA secure_delete = OFF") } }
            try await fill(store, &journal)
            let before = try await Traces(store)
            try await redact(1...Int64(Self.events), store)
            let gone = try await before.gone(from: store)
            try #require(!gone.isEmpty)
            #expect(!gone.found(in: folder).isEmpty, "the log still has them")
            try await store.tidyAll()
            // Without overwriting, the pieces are still in the file. This verifies that the search finds them.
            #expect(gone.found(in: folder).isEmpty == isOverwritten, "\(gone.found(in: folder).prefix(5))")
            try await store.save(journal.batch(10), journal: "machine")
            await store.close()
            #expect(gone.found(in: folder).isEmpty == isOverwritten)
        }
    }

    @Test func `packed data is only on pages of its own`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await fill(store, &journal)
            // Blocks and batches of the smallest size.
            for size in [1 << 20, 1, 1 << 20, 1, 1 << 20] {
                try await store.save(journal.single([UInt8](repeating: 0x61, count: size)), journal: "machine")
            }
            var generator = SeededGenerator(seed: 6)
            try await store.freeze(
                FrozenBatch(
                    sink: "up", key: "k", body: generator.letters(3000), contentEncoding: nil, firstEventID: 1,
                    lastEventID: 2, eventCount: 2))
            let traces = try await Traces(store)
            let shared = try await store.database.write { db in
                try db.checkpointAndTruncate()
                return try Int.fetchSet(
                    db,
                    sql: """
                        SELECT pageno FROM dbstat
                        WHERE name IN ('block_data', 'block_values', 'batches') AND pagetype <> 'overflow'
                        """)
            }
            #expect(shared.count > 3)
            let found = traces.pages(in: folder)
            #expect(found.count > 20 && found.isDisjoint(with: shared))
            await store.close()
        }
    }

    @Test func `closing the store overwrites them as well`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await fill(store, &journal)
            let before = try await Traces(store)
            try await redact(1...Int64(Self.events), store)
            let gone = try await before.gone(from: store)
            await store.close()
            #expect(gone.found(in: folder) == [])
        }
    }

    @Test func `one value among others leaves no trace, wherever it was`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await fill(store, &journal, Self.events + 1000)
            let open = try #require(try await store.database.read(.status) { try OpenEventTable.span($0)?.ids })
            // Events in blocks and in none, among others and on pages of their own.
            let large = try #require(open.first { $0 % 700 == 1 })
            for id in [700, 2101, large, open.upperBound - 100] {
                let before = try await Traces(store)
                try await redact(id...id, store)
                let gone = try await before.gone(from: store)
                try #require(!gone.isEmpty)
                #expect(!gone.found(in: folder).isEmpty, "\(id): the pages contain it until the log is copied")
                try await store.tidyAll()
                #expect(gone.found(in: folder) == [], "\(id)")
            }
            await store.close()
        }
    }

    @Test func `removed events are overwritten, both of whole blocks and of single sources`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(100_000))
            store.use([
                SourceRule(
                    conditions: [], name: nil, text: "short", retention: .init(maximumAge: .seconds(6000)))
            ])
            for count in [4096, 4096, 3000] {
                try await store.save(journal.batch(count, payloadBytes: 300), journal: "machine")
            }
            let before = try await Traces(store)
            try await store.tidyAll(now: newYear + 16_500_000_000)
            #expect(try await store.all().count { $0.origin.source == "short" } < 1500)
            let gone = try await before.gone(from: store)
            #expect(!gone.isEmpty && gone.found(in: folder) == [])
            try await store.tidyAll(now: newYear + 900_000_000_000)
            #expect(try await store.all().isEmpty && before.found(in: folder) == [])
            await store.close()
        }
    }

    @Test func `packed rows leave no trace except in their block`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<40 { try await store.save(journal.batch(100, payloadBytes: 120), journal: "machine") }
            let rows = try await Traces(store)
            try await store.save(journal.batch(200, payloadBytes: 120), journal: "machine")
            let gone = try await rows.gone(from: store)
            try await redact(1...4200, store)
            try await store.tidyAll()
            #expect(!gone.isEmpty && gone.found(in: folder) == [])
            await store.close()
        }
    }

    @Test func `rows that are packed during intake leave no trace, nor do those that stay`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<36 { try await store.save(journal.batch(100, payloadBytes: 120), journal: "machine") }
            let rows = try await Traces(store)
            let newest = try #require(try await store.packedNewest())
            try await store.save(journal.batch(100, payloadBytes: 120), journal: "machine")
            try await store.write(newest)
            let gone = try await rows.gone(from: store)
            try await redact(1...3700, store)
            try await store.tidyAll()
            #expect(!gone.isEmpty && gone.found(in: folder) == [])
            await store.close()
        }
    }

    @Test func `a frozen batch is overwritten when it is completed, or when the store is closed`() async throws {
        try await withStoreFolder { folder in
            var generator = SeededGenerator(seed: 5)
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let names = (0..<6).map { "sink\($0)" }
            _ = try await store.openSinks(names.map { ($0, .oldest) }, now: newYear)
            try await store.save(journal.batch(5000), journal: "machine")
            func batch(_ sink: String, _ size: Int) -> FrozenBatch {
                FrozenBatch(
                    sink: sink, key: "k", body: generator.letters(size), contentEncoding: nil, firstEventID: 1,
                    lastEventID: 5000, eventCount: 5000)
            }
            let events = try await Traces(store)
            let batches = zip(names, [300, 2000, 3900, 5000, 90_000, 1500]).map(batch)
            for batch in batches { try await store.freeze(batch) }
            for batch in batches { #expect(try await store.frozenBatch(ofSink: batch.sink) == batch) }
            let before = try await Traces(store)
            for batch in batches.dropLast() {
                _ = try await store.complete(batch, at: newYear)
                let gone = try await before.gone(from: store)
                try await store.tidyAll()
                #expect(gone.found(in: folder) == [], "\(batch.sink)")
            }
            #expect(!before.found(in: folder).isEmpty, "a resend has the same bytes")
            _ = try await store.complete(batches[5], at: newYear)
            await store.close()
            let bodies = before.subtracting(events)
            #expect(!bodies.isEmpty && bodies.found(in: folder) == [])
        }
    }

    @Test func `batches, notices and counts that were replaced or removed leave the log with the next maintenance`()
        async throws
    {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            func batch(_ key: String) -> FrozenBatch {
                FrozenBatch(
                    sink: "up", key: key, body: [1, 2, 3], contentEncoding: nil, firstEventID: 1, lastEventID: 2,
                    eventCount: 2)
            }
            try await store.freeze(batch("1"))
            let notice = NewNotice(alert: "a", notice: "value", notifiers: ["chat"])
            let watch = SavedWatch(name: "a", position: 0, state: "value")
            try await store.save([watch], of: .alert, notices: [notice])
            let changes: [() async throws -> Void] = [
                { try await store.freeze(batch("2")) }, { try await store.discard(batch("2")) },
                {
                    try await store.freeze(batch("3"))
                    try await store.tidyAll()
                    try await store.database.write { try $0.execute(sql: "UPDATE batches SET checksum = 0") }
                    #expect(try await store.frozenBatch(ofSink: "up") == nil)
                }, { try await store.replaceNotices { _ in "" } },
                {
                    try await store.save(
                        [SavedWatch(name: "a", position: 0, state: "")], of: .alert, replacingValues: true)
                },
            ]
            for (place, change) in changes.enumerated() {
                try await store.tidyAll()
                try await change()
                #expect(store.database.file.sizes.wal > 0)
                try await store.tidyAll()
                #expect(store.database.file.sizes.wal == 0, "\(place)")
            }
            try await store.save([watch], of: .alert)
            try await store.tidyAll()
            #expect(store.database.file.sizes.wal > 0, "no value was replaced")
            await store.close()
        }
    }
}
