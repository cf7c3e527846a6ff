import GRDB
import Model
import Testing

@testable import Store

struct RetentionTests {
    @Test func `age removes events that every sink has had, and the file shrinks`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(5000))
            for _ in 0..<6 { try await store.save(journal.batch(2000, payloadBytes: 300), journal: "machine") }
            let before = storeBytes(folder)
            _ = try await store.openSinks([("slow", .oldest), ("fast", .now)], now: newYear)
            try await store.tidyAll(now: newYear + 20_000_000_000)
            #expect(try await store.statistics().oldestEventID == 1, "a sink lacks it")

            _ = try await store.openSinks([("fast", .now)], now: newYear)
            try await store.tidyAll(now: newYear + 10_500_000_000)
            let oldest = try #require(try await store.statistics().oldestEventID)
            #expect(oldest > 4000 && oldest <= 5600)
            #expect(same(try await store.all(), journal.events.dropFirst(Int(oldest) - 1)))

            try await store.tidyAll(now: newYear + 90_000_000_000)
            let statistics = try await store.statistics()
            #expect(statistics.storedEvents == 0 && statistics.oldestEventID == nil)
            #expect(statistics.newestEventID == 12_000)
            #expect(storeBytes(folder) < before / 4)

            try await store.save(journal.batch(10), journal: "machine")
            #expect(try await store.all().map(\.id) == Array(12_001...12_010), "an id is never used twice")
            await store.close()
            let again = try await EventStore.open(folder)
            #expect(same(try await again.all(), journal.events.suffix(10)))
            await again.close()
        }
    }

    @Test func `events that arrived late are removed by their age, and no younger ones with them`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumAge: .seconds(3600))
            let now = newYear + 20_000_000_000
            // The first block is young, the second is old, and the newest events are both.
            for range in [17_000..<21_095, 1..<2, 2..<4098, 22_000..<22_500, 5000..<5500] as [Range<UInt64>] {
                try await store.save(Numbered.batch(range), journal: "machine")
            }
            try await store.tidyAll(now: now)
            let stored = try await store.statistics().storedEvents
            #expect(stored == 4095 + 500)
            #expect(try await store.all().first?.seqnum == 17_000)

            try await store.tidyAll(now: now + 4_800_000_000)
            let left = try await store.all().map(\.seqnum)
            #expect(left == Array(22_000..<22_500))
            try await store.tidyAll(now: now + 7_200_000_000)
            #expect(try await store.all().isEmpty)
            await store.close()
        }
    }

    @Test(arguments: [1 << 63, .max] as [UInt64])
    func `the times of damaged entries do not say that events have expired, in blocks and in none`(time: UInt64)
        async throws
    {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumAge: .seconds(3600))
            var block = Numbered.batch(1...4096)
            for place in block.events.indices { block.events[place].entry.realtimeMicroseconds = time }
            var newest = Numbered.batch(5000...5009)
            newest.events[3].entry.realtimeMicroseconds = time
            for batch in [block, newest] { try await store.save(batch, journal: "machine") }
            let times = try await store.database.read(.query) { try OpenEventTable.times(upTo: .max, $0).map(\.times) }
            #expect(times == [Int64(newYear + 5_000_000_000)...(.max)])
            try await store.tidyAll(now: newYear + 8700 * 1_000_000)
            #expect(try await store.all().map(\.seqnum) == Array(1...4096) + [5003])
            await store.close()
        }
    }

    @Test func `the newest events are removed by their age in a store that has no room to write the others again`()
        async throws
    {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20, maximumAge: .seconds(3600))
            try await store.save(Numbered.batch(1..<101), journal: "machine")
            try await store.database.write { db in
                let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(
                    sql: "CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(?))",
                    arguments: [(2 << 20) - pages * SizeLimit.pageBytes - (64 << 10)])
            }
            try await store.tidyAll(now: newYear + 3_690_000_000)
            #expect(try await store.all().count == 100, "some have not expired")
            try await store.tidyAll(now: newYear + 3_750_000_000)
            #expect(try await store.all().isEmpty)
            await store.close()
        }
    }

    @Test func `a damaged event in no block does not prevent that blocks are removed by their age`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(3600))
            for count in [4096, 100] { try await store.save(journal.batch(count), journal: "machine") }
            try await store.database.write { db in
                try db.execute(sql: "UPDATE open_events SET pid = coalesce(pid, 0) + 1 WHERE id = 4100")
            }
            let error = await storeError { try await store.tidyAll(now: newYear + 90_000_000_000) }
            #expect(error?.kind == .corrupt)
            #expect(try await store.database.read(.query) { try PackedBlockTable.lastID($0) } == 0, "there is no block")
            await store.close()
        }
    }

    @Test func `statistics equal a count of all events, before and after retention`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 6 << 20, maximumAge: .seconds(3000))
            for _ in 0..<5 { try await store.save(journal.batch(1000, payloadBytes: 200), journal: "machine") }
            for round in 0..<2 {
                let statistics = try await store.statistics()
                for resolution in Resolution.allCases {
                    let seen = journal.events.count { $0.resolution == resolution }
                    #expect(statistics.seen[resolution] == Int64(seen), "\(resolution)")
                }
                let stored = try await store.all()
                #expect(statistics.storedEvents == Int64(stored.count))
                #expect(statistics.oldestEventID == stored.first?.id && statistics.newestEventID == stored.last?.id)
                let times = stored.map(\.realtimeMicroseconds)
                #expect(statistics.oldestRealtimeMicroseconds == times.min())
                #expect(statistics.newestRealtimeMicroseconds == times.max())
                #expect(store.fileBytes == storeBytes(folder))
                #expect(round == 0 || (stored.count < 5000 && !stored.isEmpty))
                try await store.tidyAll(now: newYear + 6_000_000_000)
            }
            await store.close()
        }
    }

    @Test func `invented event names are forgotten after retention, but the counts of defined events are not`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(10))
            for number in 0..<600 {
                try await store.save(journal.single(name: "made-up-\(number)"), journal: "machine")
            }
            for _ in 0..<3 {
                try await store.save(journal.single(name: "tap", resolution: .resolved), journal: "machine")
            }
            try await store.tidyAll(now: newYear + 11_000_000)
            try await store.save(journal.single(name: "tap", resolution: .resolved), journal: "machine")
            let count = try await store.database.read(.query) { db in
                try Int.fetchOne(db, sql: "SELECT seen FROM event_counts WHERE event_name = 'tap'")
            }
            #expect(count == 4)
            #expect(try await store.statistics().seen[.undefined] == 600)
            #expect(same(try await store.all(), journal.events.suffix(1)))
            await store.close()
        }
    }

    @Test func `a full store pauses, keeps what a sink lacks, and continues after the delivery`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: limit)
            _ = try await store.openSinks([("up", .oldest), ("other", .now)], now: newYear)
            var refused: ResolvedBatch?
            var error: StoreError?
            while refused == nil {
                let batch = journal.batch(300, payloadBytes: 250)
                error = await storeError { try await store.save(batch, journal: "machine") }
                if error != nil { refused = batch }
            }
            #expect(error?.kind == .full && error?.hint != nil)
            let stored = Int64(journal.events.count - 300)
            try await store.tidyAll(now: newYear)
            #expect(try await store.all().map(\.id) == Array(1...stored), "everything that the sink lacks is there")
            #expect(store.feed.latest == stored)
            #expect(storeBytes(folder) <= limit)
            #expect(stored > 6000)

            // There is room to freeze a batch, and its delivery makes room for events.
            let batch = try #require(refused)
            let frozen = FrozenBatch(
                sink: "up", key: "k", body: [UInt8](repeating: 1, count: 100_000), contentEncoding: nil,
                firstEventID: 1,
                lastEventID: 5000, eventCount: 5000)
            try await store.freeze(frozen)
            #expect(storeBytes(folder) <= limit)
            _ = try await store.complete(frozen, at: newYear)
            #expect(await storeError { try await store.save(batch, journal: "machine") }?.kind == .full)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.save(batch, journal: "machine")
            #expect(storeBytes(folder) <= limit)
            let events = try await store.all()
            #expect(same(events, journal.events.suffix(events.count)))
            #expect(try #require(events.first).id <= 5001)
            await store.close()
        }
    }

    @Test(arguments: [StoreOptions.WhenFull.pause, .dropOldest])
    func `sinks learn early that events may be removed`(whenFull: StoreOptions.WhenFull) async throws {
        try await withStoreFolder { folder in
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20, whenFull: whenFull)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine")
            #expect(store.removalFeed.latest == 0)
            // A sink that passes over everything as soon as it is told to.
            var position: Int64 = 0
            for _ in 0..<80 {
                let last = journal.last
                try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine")
                guard store.removalFeed.latest > position else { continue }
                position = try await store.pass("up", to: last).position
            }
            let statistics = try await store.statistics()
            #expect(position > 0 && store.removalFeed.latest < journal.last)
            #expect(try #require(statistics.oldestEventID) > 1 && statistics.droppedEvents == 0)
            await store.close()
        }
    }

    @Test func `drop_oldest removes the oldest events, counts them and leaves a gap in their place`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: limit, whenFull: .dropOldest)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            for _ in 0..<80 {
                try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine")
                #expect(storeBytes(folder) <= limit)
            }
            let statistics = try await store.statistics()
            let oldest = try #require(statistics.oldestEventID)
            #expect(oldest > 1)
            #expect(statistics.droppedEvents == oldest - 1)
            let gaps = try await store.gaps(after: 0, limit: 10)
            #expect(gaps.count == 1)
            #expect(gaps.first?.afterEventID == oldest - 1)
            #expect(gaps.first?.gap.cause == .dropped && gaps.first?.gap.count == UInt64(oldest - 1))
            #expect(gaps.first?.gap.certainty == .atMost, "the sink may have some of them in a batch that is not saved")
            #expect(gaps.first?.gap.to == journal.events[Int(oldest) - 1].cursor)
            // The sink continues after the removed events.
            let page = try await store.events(matching: .everything, after: 0, before: nil, order: .oldest, limit: 1)
            #expect(page.events.map(\.id) == [oldest])
            await store.close()
        }
    }

    @Test func `events that all sinks have had are not counted as dropped`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20, whenFull: .dropOldest)
            for _ in 0..<60 { try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine") }
            #expect(try await store.statistics().droppedEvents == 0)
            #expect(try await store.gaps(after: 0, limit: 10).isEmpty)
            #expect(try #require(try await store.statistics().oldestEventID) > 1)
            await store.close()
        }
    }

    @Test func `events that make room for their own batch are counted as dropped, since it may never be saved`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20, whenFull: .dropOldest)
            _ = try await store.openSinks([("up", .oldest), ("done", .oldest)], now: newYear)
            for _ in 0..<60 { try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine") }
            let full = try await store.statistics()
            #expect(full.droppedEvents == (full.oldestEventID ?? 0) - 1)
            let body = [UInt8](repeating: 1, count: 1 << 20)
            func freeze(_ sink: String) async throws {
                let oldest = try #require(try await store.statistics().oldestEventID)
                try await store.freeze(
                    FrozenBatch(
                        sink: sink, key: sink, body: body, contentEncoding: nil, firstEventID: oldest,
                        lastEventID: journal.last, eventCount: Int(journal.last - oldest) + 1))
            }
            try await freeze("done")
            let before = try await store.statistics()
            let oldest = try #require(before.oldestEventID)
            try await freeze("up")
            let after = try await store.statistics()
            let removed = try #require(after.oldestEventID) - oldest
            #expect(removed > 0 && after.droppedEvents - before.droppedEvents == removed)
            #expect(try await store.frozenBatch(ofSink: "up")?.body == body)
            await store.close()
        }
    }

    @Test func `a damaged number of dropped events has no end, and does not end the program`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            for (damaged, sum) in [(Int64.max, Int64.max), (-5, 3)] {
                try await store.database.write { db in
                    try GapTable.addDropped(1...2, lost: 2, at: newYear, db)
                    try db.execute(sql: "UPDATE gaps SET count = ?", arguments: [damaged])
                    try GapTable.addDropped(3...5, lost: 3, at: newYear, db)
                }
                #expect(try await store.gaps(after: 0, limit: 9).map(\.gap.count) == [UInt64(sum)])
            }
            await store.close()
        }
    }

    @Test func `gap records are bounded, and removed ones stay counted`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            let gap = Gap(cause: .damaged, realtimeMicroseconds: newYear, message: "a file")
            for _ in 0..<300 { try await store.save(ResolvedBatch(gaps: [gap]), journal: "machine") }
            try await store.tidyAll(now: newYear)
            #expect(try await store.gaps(after: 0, limit: 1000).map(\.id) == Array(173...300))
            #expect(try await store.gapsEverSeen() == 300)
            await store.close()
        }
    }
}
