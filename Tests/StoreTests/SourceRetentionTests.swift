import Foundation
import GRDB
import Model
import Testing

@testable import Store

/// Tests with sources whose events have a retention time or a share of the store of their own.
struct SourceRetentionTests {
    private static func rule(_ text: String, keep: Duration? = nil, share: Int? = nil) -> SourceRule {
        SourceRule(
            conditions: [], name: nil, text: text, retention: SourceRetention(maximumAge: keep, share: share))
    }

    private func time(after seconds: UInt64) -> UInt64 { newYear + seconds * 1_000_000 }

    @Test func `events are removed when they expire for their source, and those of others stay`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "long", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(10_000))
            store.use([Self.rule("short", keep: .seconds(2000)), Self.rule("long", keep: .seconds(50_000))])
            // Two blocks and some events in no block, one event for each second.
            for count in [4096, 4096, 1000] { try await store.save(journal.batch(count), journal: "machine") }
            func kept(_ keeps: (Event) -> Bool) async throws -> Bool {
                try await same(store.all(), journal.events.filter(keeps))
            }

            try await store.tidyAll(now: time(after: 6200))
            #expect(try await kept { $0.origin.source != "short" || $0.id > 4096 }, "the first block has expired")
            try await store.tidyAll(now: time(after: 10_900))
            // Events in no block are removed a minute later, several together.
            let limit = time(after: 8900)
            #expect(try await kept { $0.origin.source != "short" || $0.id > 8192 && $0.realtimeMicroseconds >= limit })
            let ids = try await store.all().map(\.id)
            for range in [1...9192, 4000...4200, 4097...8192, 5000...5000, 8000...9000, 9193...20_000]
                as [ClosedRange<Int64>]
            {
                let count = try await store.database.read(.query) { db in try StoredRange.count(of: range, db) }
                #expect(count == Int64(ids.count { range.contains($0) }), "\(range)")
            }
            let wanted = Set<Int64>(stride(from: 1, to: 9300, by: 37))
            #expect(try await store.storedIDs(among: wanted) == wanted.intersection(ids))
            let removed = try await store.removedUntil()
            #expect(removed.any == nil && Set(removed.bySource.keys) == ["short"])

            #expect(removed.adopted(by: ["usual"]).any == removed.latest && removed.adopted(by: ["short"]).any == nil)

            try await store.tidyAll(now: time(after: 20_000))
            #expect(try await kept { $0.origin.source == "long" })
            try await store.tidyAll(now: time(after: 70_000))
            #expect(try await store.all().isEmpty)
            await store.close()
        }
    }

    @Test func `events that a sink has not had are kept, whatever their source says`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder)
            store.use([Self.rule("short", keep: .seconds(600), share: 1)])
            _ = try await store.openSinks([("slow", .oldest)], now: newYear)
            try await store.save(journal.batch(4596), journal: "machine")
            try await store.tidyAll(now: time(after: 90_000))
            #expect(try await same(store.all(), journal.events))
            _ = try await store.openSinks([], now: newYear)
            try await store.tidyAll(now: time(after: 90_000))
            #expect(try await same(store.all(), journal.events.filter { $0.origin.source == "usual" }))
            await store.close()
        }
    }

    @Test func `a source takes no more than its share, and nothing from others`() async throws {
        for isTidied in [true, false] {
            try await withStoreFolder { folder in
                var quiet = Journal(seed: 3, origins: 1, sources: ["quiet"])
                let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
                store.use([Self.rule("chatty", share: 20)])
                try await store.save(quiet.batch(3000, payloadBytes: 200), journal: "machine")
                var chatty = Journal(seed: 4, origins: 2, sources: ["chatty"])
                for _ in 0..<60 {
                    try await store.save(chatty.batch(1000, payloadBytes: 400), journal: "machine")
                    if isTidied { try await store.tidyAll(now: newYear) }
                }
                let stored = try await store.all().map(\.origin.source)
                #expect(stored.count { $0 == "quiet" } == 3000)
                #expect(stored.count { $0 == "chatty" } > 1000)
                let bytes = try await store.database.read(.query) { try BlockSourceTable.bytes(of: "chatty", $0) }
                // Without a step of retention, further events are removed only where there is no room.
                #expect(bytes <= (isTidied ? (8 << 20) / 5 : 8 << 20))
                #expect(try await store.removedUntil().any == nil)
                let uses = try await store.sourceUses()
                let use = try #require(uses.first { $0.source == "chatty" })
                #expect(use.bytes == bytes && use.retention == SourceRetention(share: 20))
                let inBlocks = uses.reduce(0) { $0 + $1.events }
                #expect(Int64(stored.count) - inBlocks < 4096 && inBlocks <= stored.count)
                #expect(uses.map(\.source) == ["chatty", "quiet"])
                await store.close()
            }
        }
    }

    @Test func `a source above its share makes room before others do, also where they have blocks together`()
        async throws
    {
        try await withStoreFolder { folder in
            let limit: Int64 = 8 << 20
            var journal = Journal(origins: 8, sources: ["quiet"] + Array(repeating: "chatty", count: 7))
            var store = try await EventStore.open(folder)
            var used: Int64 = 0
            // Each batch is a block. In the end the smaller store has to make room, and has some to write rests of
            // blocks.
            while used < limit - limit / 6 {
                try await store.save(journal.batch(2048, payloadBytes: 80), journal: "machine")
                used = try await store.change { [store] db, state in
                    let use = try DiskUse(db, store.database.file, state)
                    return (use.pages - use.freePages) * SizeLimit.pageBytes
                }
            }
            await store.close()

            store = try await EventStore.open(folder, maximumBytes: limit)
            store.use([Self.rule("chatty", share: 20)])
            while try await store.maintain(now: newYear) { #expect(storeBytes(folder) <= limit) }
            let stored = try await store.all()
            #expect(
                same(
                    stored.filter { $0.origin.source == "quiet" }, journal.events.filter { $0.origin.source == "quiet" }
                ))
            let bytes = try await store.database.read(.query) { try BlockSourceTable.bytes(of: "chatty", $0) }
            #expect(bytes <= limit / 5 && bytes > limit / 7)
            #expect(try await store.removedUntil().any == nil)
            await store.close()
        }
    }

    @Test func `expired events are removed when their block is written for another reason`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["usual", "other"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(3000)) {
                newYear + 4000 * 1_000_000
            }
            try await store.save(journal.batch(4096), journal: "machine")
            let expired = try await store.statistics().entries.expired
            #expect(expired > 900 && expired < 1200, "expired events are not stored")
            store.use([Self.rule("other", keep: .seconds(1000))])
            let change = ReprocessedEvent(id: 3000, resolution: .undefined, kind: journal.events[0].kind)
            _ = try await store.replace([change])
            let stored = try await store.all()
            #expect(!stored.isEmpty)
            for event in stored {
                let age = time(after: 4000) - min(time(after: 4000), event.realtimeMicroseconds)
                #expect(age <= (event.origin.source == "other" ? 1_000_000_000 : 3_000_000_000))
            }
            let events = Int64(stored.count)
            #expect(try await store.statistics().storedEvents == events)
            await store.close()
        }
    }

    @Test func `expired events are also removed when another source exceeds its share`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["chatty", "short", "usual"])
            var store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            try await store.save(journal.batch(4096, payloadBytes: 120), journal: "machine")
            await store.close()

            let options = StoreOptions(
                path: folder + "/events.sqlite", maximumBytes: 8 << 20, maximumAge: nil, whenFull: .pause)
            store = try await EventStore(options, busyTimeout: .seconds(1), turnTime: .seconds(9)) {
                newYear + 4000 * 1_000_000
            }
            store.use([Self.rule("chatty", share: 1), Self.rule("short", keep: .seconds(1000))])
            try await store.tidyAll(now: time(after: 4000))
            let limit = time(after: 3000)
            let wanted = journal.events.filter {
                $0.origin.source == "usual" || $0.origin.source == "short" && $0.realtimeMicroseconds >= limit
            }
            #expect(try await same(store.all(), wanted))
            let removed = try await store.removedUntil().bySource
            let latest = { (source: String) in
                journal.events.filter { $0.origin.source == source }.map(\.realtimeMicroseconds)
            }
            #expect(removed["chatty"] == latest("chatty").max())
            #expect(removed["short"] == latest("short").filter { $0 < limit }.max())
            await store.close()
        }
    }

    @Test func `a damaged block does not prevent the removal of others`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(100_000))
            store.use([Self.rule("short", keep: .seconds(600))])
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_data SET data = zeroblob(9000) WHERE first_id = 4097")
            }
            let now = time(after: 20_000)
            let error = await storeError { try await store.tidyAll(now: now) }
            #expect(error?.kind == .corrupt && error?.description.contains("4097 to 8192") == true)
            try await store.tidyAll(now: now)
            let rest = try await store.all(after: 8192)
            #expect(same(rest, journal.events.suffix(4096).filter { $0.origin.source == "usual" }))
            try await store.tidyAll(now: time(after: 200_000))
            #expect(try await store.statistics().storedEvents == 0)
            await store.close()
        }
    }

    @Test(arguments: ["names = x'00'", "min_time = max_time + 1", "max_time = 0", "last_id = last_id + 1"])
    func `a block whose row is damaged does not prevent the removal of others, and is removed last`(
        _ damage: String
    ) async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(100_000))
            store.use([Self.rule("short", keep: .seconds(600))])
            for count in [4096, 4096, 4096, 10] { try await store.save(journal.batch(count), journal: "machine") }
            try await store.database.write { db in
                try db.execute(sql: "UPDATE blocks SET \(damage) WHERE first_id = 1")
            }
            #expect(await storeError { try await store.tidyAll(now: time(after: 20_000)) }?.kind == .corrupt)
            #expect(try await store.storedIDs(among: [1, 100_000]) == [1], "it may be in the block")
            let kept = try await store.all(after: 8192)
            #expect(same(kept, journal.events.dropFirst(8192).filter { $0.origin.source == "usual" }))
            let removed = try await store.change { [store] db, state in
                var removed: [ClosedRange<Int64>] = []
                while let old = try Removal.oldest(db) {
                    removed.append(old.ids)
                    try store.remove(old, db, &state)
                }
                return removed
            }
            #expect(removed.dropFirst(2).first?.lowerBound == 1, "\(removed)")
            #expect(try await store.all().isEmpty)
            await store.close()
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["x'f3' || substr(source, 2)", "CAST(source AS BLOB)"])
    func `a damaged name of a source does not prevent the removal of others`(_ name: String) async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(100_000))
            store.use([Self.rule("short", keep: .seconds(600))])
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            try await store.database.write { db in
                try db.execute(
                    sql: "UPDATE block_sources SET source = \(name) WHERE first_id = 4097 AND source = 'short'")
            }
            #expect(await storeError { try await store.tidyAll(now: time(after: 20_000)) }?.kind == .corrupt)
            let kept = journal.events.filter { $0.origin.source == "usual" || (4097...8192).contains($0.id) }
            #expect(try await same(store.all(), kept))
            try await store.tidyAll(now: time(after: 200_000))
            #expect(try await store.all().isEmpty)
            await store.close()
        }
    }

    @Test func `a damaged name of a source that is one of another age is corrected`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["long", "other"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(3600))
            store.use([
                Self.rule("long", keep: .seconds(100_000)), Self.rule("other", keep: .seconds(50_000)),
            ])
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            try await store.database.write { db in
                try db.execute(
                    sql: "UPDATE block_sources SET source = 'lonz' WHERE first_id = 4097 AND source = 'long'")
            }
            let now = time(after: 20_000)
            var rounds = 0
            while try await store.maintain(now: now), rounds < 99 { rounds += 1 }
            #expect(rounds < 99 && store.damage?.description.contains("4097 to 8192") == true)
            #expect(try await same(store.all(), journal.events))
            try await store.tidyAll(now: time(after: 70_000))
            #expect(try await same(store.all(), journal.events.filter { $0.origin.source == "long" }))
            await store.close()
        }
    }

    @Test func `a damaged name of a source in the index alone leads to no block`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["long", "other"])
            var store = try await EventStore.open(folder, maximumAge: .seconds(3600))
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            let last = try #require(journal.events.suffix(4096).map(\.realtimeMicroseconds).max())
            await store.close()
            // The last entry of the source, so that all stay in order.
            let url = URL(fileURLWithPath: folder + "/events.sqlite")
            var data = try Data(contentsOf: url)
            let entry = Data("long".utf8) + withUnsafeBytes(of: last.bigEndian) { Data($0) }
            let place = try #require(data.range(of: entry))
            data.replaceSubrange(place, with: Data("lonz".utf8) + entry.dropFirst(4))
            try data.write(to: url)

            store = try await EventStore.open(folder, maximumAge: .seconds(3600))
            store.use(["long", "other"].map { Self.rule($0, keep: .seconds(100_000)) })
            try await store.tidyAll(now: time(after: 20_000))
            #expect(try await same(store.all(), journal.events))
            await store.close()
        }
    }

    @Test func `events in no block are rewritten without the expired ones when there is room`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            var store = try await EventStore.open(folder)
            for _ in 0..<4 { try await store.save(journal.batch(4096, payloadBytes: 600), journal: "machine") }
            try await store.save(journal.batch(20), journal: "machine")
            await store.close()

            store = try await EventStore.open(folder, maximumBytes: 4 << 20)
            store.use([Self.rule("short", keep: .seconds(600))])
            let (now, newest) = (time(after: 100_000), journal.events.suffix(20))
            _ = try await store.maintain(now: now)
            #expect(try await same(store.all(after: 4 * 4096), newest), "blocks make room first")
            try await store.tidyAll(now: now)
            _ = try await store.maintain(now: now)
            #expect(try await same(store.all(after: 4 * 4096), newest.filter { $0.origin.source == "usual" }))
            #expect(storeBytes(folder) <= 4 << 20)
            await store.close()
        }
    }

    @Test func `a time of a source in a block that is damaged does not let events expire`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(100_000))
            store.use([Self.rule("short", keep: .seconds(10_000))])
            for _ in 0..<2 { try await store.save(journal.batch(4096), journal: "machine") }
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_sources SET max_time = 1000 WHERE first_id = 4097")
            }
            var rounds = 0
            while try await store.maintain(now: time(after: 9000)), rounds < 9 { rounds += 1 }
            #expect(rounds < 9, "there is an end to what is to be done")
            #expect(try await same(store.all(), journal.events))
            try await store.tidyAll(now: time(after: 15_000))
            #expect(try await same(store.all(), journal.events.filter { $0.origin.source == "usual" || $0.id > 4096 }))
            try await store.tidyAll(now: time(after: 20_000))
            #expect(try await same(store.all(), journal.events.filter { $0.origin.source == "usual" }))
            await store.close()
        }
    }

    @Test func `a size of a source in a block that is damaged does not prevent its removal`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["short", "usual"])
            let store = try await EventStore.open(folder, maximumAge: .seconds(100_000))
            store.use([Self.rule("short", keep: .seconds(600))])
            for _ in 0..<2 { try await store.save(journal.batch(4096), journal: "machine") }
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_sources SET events = \(Int64.max), bytes = \(Int64.max)")
            }
            let uses = try await store.sourceUses()
            #expect(uses.map(\.source) == ["short", "usual"] && uses.allSatisfy { $0.events == 2 * 4096 })
            try await store.tidyAll(now: time(after: 20_000))
            #expect(try await same(store.all(), journal.events.filter { $0.origin.source == "usual" }))
            await store.close()
        }
    }

    @Test func `a damaged size of a source in a block does not let it exceed its share`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(sources: ["chatty"])
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            store.use([Self.rule("chatty", share: 50)])
            for _ in 0..<3 { try await store.save(journal.batch(4096), journal: "machine") }
            let before = try await store.sourceUses()[0].bytes
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_sources SET bytes = bytes + \(1 << 22) WHERE first_id > 8000")
            }
            // The block takes a little more than its events.
            let use = try await store.sourceUses()[0].bytes
            #expect(use >= before && use < before + (64 << 10))
            try await store.tidyAll()
            #expect(try await same(store.all(), journal.events))
            await store.close()
        }
    }

    @Test func `entries that have expired for their source are not stored`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumAge: .seconds(1000)) {
                newYear + 10_000 * 1_000_000
            }
            store.use([Self.rule("long", keep: .seconds(1_000_000)), Self.rule("short", keep: .seconds(60))])
            var journal = Journal(sources: ["short", "long", "usual"])
            try await store.save(journal.batch(9500), journal: "machine")
            let wanted = journal.events.filter { event in
                let age = time(after: 10_000) - event.realtimeMicroseconds
                return event.origin.source == "long" || event.origin.source == "usual" && age <= 1_000_000_000
            }
            #expect(try await store.all().map(\.seqnum) == wanted.map(\.seqnum))
            await store.close()
        }
    }
}
