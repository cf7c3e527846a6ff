import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct RetentionTests {
    /// Returns the size of both files in the file system.
    private func bytes(_ folder: String) -> Int64 {
        ["", "-wal"].reduce(0) { sum, end in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/events.sqlite" + end)
            return sum + Int64(attributes?[.size] as? Int ?? 0)
        }
    }

    private func tidyAll(_ store: EventStore, now: UInt64) async throws {
        while try await store.maintain(now: now) {}
    }

    @Test func `age removes events that every sink has had, and the file shrinks`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(5000))
            for _ in 0..<6 { try await store.save(journal.batch(2000, payloadBytes: 300), journal: "machine") }
            let before = bytes(folder)
            _ = try await store.openSinks([("slow", .oldest), ("fast", .now)], now: newYear)
            try await tidyAll(store, now: newYear + 20_000_000_000)
            #expect(try await store.statistics().oldestEventID == 1, "a sink lacks it")

            _ = try await store.openSinks([("fast", .now)], now: newYear)
            try await tidyAll(store, now: newYear + 10_500_000_000)
            let oldest = try #require(try await store.statistics().oldestEventID)
            #expect(oldest > 4000 && oldest <= 5600)
            #expect(same(try await store.all(), journal.events.dropFirst(Int(oldest) - 1)))

            try await tidyAll(store, now: newYear + 90_000_000_000)
            let statistics = try await store.statistics()
            #expect(statistics.storedEvents == 0 && statistics.oldestEventID == nil)
            #expect(statistics.newestEventID == 12_000)
            #expect(bytes(folder) < before / 4)

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
            try await tidyAll(store, now: now)
            let stored = try await store.statistics().storedEvents
            #expect(stored == 4095 + 500)
            #expect(try await store.all().first?.seqnum == 17_000)

            try await tidyAll(store, now: now + 4_800_000_000)
            let left = try await store.all().map(\.seqnum)
            #expect(left == Array(22_000..<22_500))
            try await tidyAll(store, now: now + 7_200_000_000)
            #expect(try await store.all().isEmpty)
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
                #expect(store.fileBytes == bytes(folder))
                #expect(round == 0 || (stored.count < 5000 && !stored.isEmpty))
                try await tidyAll(store, now: newYear + 6_000_000_000)
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
            try await tidyAll(store, now: newYear + 11_000_000)
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

    @Test(arguments: [100, 400, 780, 1200, 1900, 3000, 6000])
    func `nothing is removed before most of the store is used`(payloadBytes: Int) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            let (most, mostBytes) = store.maximumBatch
            let count = min(most, mostBytes / payloadBytes)
            var written = 0
            while try await store.statistics().removed.any == nil {
                try await store.save(journal.batch(count, payloadBytes: payloadBytes), journal: "machine")
                written += count * payloadBytes
            }
            // Payloads are letters, which become a fifth smaller.
            #expect(written > (8 << 20) * 3 / 4)
            await store.close()
        }
    }

    /// Sizes of payloads that fill pages well, and those that leave much of them empty.
    @Test(arguments: [[40], [780], [1900], [2100], [1000, 3000], [3900, 20], [3000, 100, 1000], [5000, 200]])
    func `events take no more pages than is expected before they are saved`(payloads: [Int]) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let use = { try await store.change { db, state in try DiskUse(db, store.database.file, state) } }
            let half = min(
                store.maximumBatch.events / 2,
                store.maximumBatch.payloadBytes / 2 * payloads.count / payloads.reduce(0, +))
            // Rows, then a block with rows that are left of it, and a block.
            for count in [half / 3, half - 1, half - 1, half - 1, 2 * half] {
                var batch = journal.batch(1, payloadBytes: payloads[0])
                for number in 1..<count {
                    batch.append(journal.batch(1, payloadBytes: payloads[number % payloads.count]))
                }
                let (counted, before) = (CountedBatch(batch), try await use())
                let cost = try await store.change { db, state in try store.cost(of: counted, db, state) }
                try await store.save(counted, journal: "machine")
                let after = try await use()
                #expect(after.pages <= before.pages + max(0, cost.newPages - before.freePages), "\(count)")
            }
            await store.close()
        }
    }

    @Test(arguments: [
        (2 << 20, 40), (2 << 20, 700), (4 << 20, 1200), (4 << 20, 1900), (4 << 20, 3000), (10 << 20, 700),
    ])
    func `the file never exceeds its limit while all events are delivered`(
        _ limit: Int, payloadBytes: Int
    ) async throws {
        try await withStoreFolder { folder in
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: Int64(limit))
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            let count = min(600, limit / 16 / payloadBytes)
            var written = 0
            while written < limit * 3 / 2 {
                try await store.save(journal.batch(count, payloadBytes: payloadBytes), journal: "machine")
                #expect(bytes(folder) <= limit)
                let batch = FrozenBatch(
                    sink: "up", key: "\(written)", body: [UInt8](repeating: 1, count: limit / 64), contentEncoding: nil,
                    firstEventID: 1, lastEventID: journal.last, eventCount: count)
                try await store.freeze(batch)
                #expect(bytes(folder) <= limit)
                _ = try await store.complete(batch, at: newYear)
                if written % 5 == 0 { _ = try await store.maintain(now: newYear) }
                #expect(bytes(folder) <= limit)
                written += count * payloadBytes
            }
            let statistics = try await store.statistics()
            #expect(statistics.droppedEvents == 0)
            // The store uses a considerable part of the limit.
            #expect(statistics.storedEvents * Int64(payloadBytes + 60) > limit / 6)
            let events = try await store.all()
            #expect(same(events, journal.events.suffix(events.count)))
            await store.close()
        }
    }

    @Test func `the state of chains, files and holes does not make the file exceed its limit`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: limit)
            let ranges = (0..<512 as Range<UInt64>).map { UInt64.max / 2 + $0 * 1000...UInt64.max / 2 + $0 * 1000 + 7 }
            for round in 0..<80 as Range<UInt64> {
                var batch = journal.batch(200, payloadBytes: 250)
                let chain = ChainID(
                    machineID: Numbered.machine, seqnumID: ID128(high: 0, low: round % 9), bootID: Numbered.boot,
                    name: "system")
                batch.progress.chains[chain] = ChainCoverage(
                    numbers: NumberRanges(ranges), spans: NumberRanges(ranges), lastRealtimeMicroseconds: round)
                batch.progress.holes[Numbered.ofMachine] = (1...40 as ClosedRange<UInt64>).map {
                    let first = $0 * 100 + round % 3 * 40
                    return Numbered.hole(first...first + 30)
                }
                for number in 0..<20 as Range<UInt64> {
                    let id = ID128(high: round % 4, low: number)
                    batch.progress.files[id] = FilePosition(
                        fileID: id, path: "/var/log/journal/\(number)/system.journal", machineID: id, seqnumID: id,
                        entries: round, offset: round, last: nil, promisedEntries: 0, promisedSeqnums: nil)
                }
                try await store.save(batch, journal: "machine")
                #expect(bytes(folder) <= limit)
            }
            #expect(try await store.readingState(ofJournal: "machine")?.chains.count == 9)
            let events = try await store.all()
            #expect(same(events, journal.events.suffix(events.count)))
            #expect(events.count > 3000)
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
            try await tidyAll(store, now: newYear)
            #expect(try await store.all().map(\.id) == Array(1...stored), "everything that the sink lacks is there")
            #expect(store.feed.latest == stored)
            #expect(bytes(folder) <= limit)
            #expect(stored > 6000)

            // There is room to freeze a batch, and its delivery makes room for events.
            let batch = try #require(refused)
            let frozen = FrozenBatch(
                sink: "up", key: "k", body: [UInt8](repeating: 1, count: 100_000), contentEncoding: nil,
                firstEventID: 1,
                lastEventID: 5000, eventCount: 5000)
            try await store.freeze(frozen)
            #expect(bytes(folder) <= limit)
            _ = try await store.complete(frozen, at: newYear)
            #expect(await storeError { try await store.save(batch, journal: "machine") }?.kind == .full)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.save(batch, journal: "machine")
            #expect(bytes(folder) <= limit)
            let events = try await store.all()
            #expect(same(events, journal.events.suffix(events.count)))
            #expect(try #require(events.first).id <= 5001)
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
                #expect(bytes(folder) <= limit)
            }
            let statistics = try await store.statistics()
            let oldest = try #require(statistics.oldestEventID)
            #expect(oldest > 1)
            #expect(statistics.droppedEvents == oldest - 1)
            let gaps = try await store.gaps(after: 0, limit: 10)
            #expect(gaps.count == 1)
            #expect(gaps.first?.afterEventID == oldest - 1)
            #expect(gaps.first?.gap.cause == .dropped && gaps.first?.gap.count == UInt64(oldest - 1))
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

    @Test func `a lowered limit is reached step by step`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder)
            for _ in 0..<10 { try await store.save(journal.batch(2000, payloadBytes: 500), journal: "machine") }
            await store.close()
            #expect(bytes(folder) > 6 << 20)
            store = try await EventStore.open(folder, maximumBytes: 5 << 20)
            try await tidyAll(store, now: newYear)
            #expect(bytes(folder) <= 5 << 20)
            try await store.save(journal.batch(300), journal: "machine")
            let events = try await store.all()
            #expect(same(events, journal.events.suffix(events.count)))
            #expect(events.count > 3000)
            await store.close()
        }
    }

    @Test func `an external reader that stays open does not let the log grow beyond the limit`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal(origins: 2, kinds: 3)
            let store = try await EventStore.open(folder, maximumBytes: limit)
            try await store.save(journal.batch(100), journal: "machine")
            let shell = try openShell(folder)
            var refused: ResolvedBatch?
            let error = try await held(shell, "BEGIN; SELECT count(*) FROM blocks") {
                for _ in 0..<100 {
                    let batch = journal.batch(200, payloadBytes: 250)
                    let error = await storeError { try await store.save(batch, journal: "machine") }
                    #expect(bytes(folder) <= limit)
                    refused = batch
                    if let error { return error as StoreError? }
                }
                return nil
            }
            #expect(error?.kind == .full)
            #expect(error?.hint?.contains("shell") == true)
            try await store.save(try #require(refused), journal: "machine")
            #expect(try await store.maintain(now: newYear) == false)
            #expect(bytes(folder) <= limit)
            await store.close()
        }
    }

    @Test func `the log stays short while reads follow each other without a pause`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            let total: Int64 = 8000
            let longest = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var from: Int64 = 0
                        while store.feed.latest < total, !Task.isCancelled {
                            let page = try await store.events(
                                matching: .everything, after: from, before: nil, order: .oldest, limit: 100)
                            from = page.next ?? 0
                        }
                    }
                }
                var journal = Journal()
                var longest: Int64 = 0
                for _ in 0..<40 {
                    try await saveWhenThereIsRoom(journal.batch(200, payloadBytes: 1000), in: store)
                    longest = max(longest, store.database.file.sizes.wal)
                }
                try await group.waitForAll()
                return longest
            }
            #expect(longest < 4 << 20, "less than half of what was written")
            await store.close()
        }
    }

    /// Saves a batch, and tries again while the store is full. Intake does the same: on a busy machine, readers may
    /// block the log for longer than one save waits.
    private func saveWhenThereIsRoom(_ batch: ResolvedBatch, in store: EventStore) async throws {
        for attempt in 1... {
            do throws(StoreError) {
                try await store.save(batch, journal: "machine")
                return
            } catch {
                guard error.kind == .full || error.kind == .busy, attempt < 200 else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `gap records are bounded, and removed ones stay counted`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            for _ in 0..<300 {
                try await store.save(Gap(cause: .damaged, realtimeMicroseconds: newYear, message: "a file"))
            }
            try await tidyAll(store, now: newYear)
            #expect(try await store.gaps(after: 0, limit: 1000).map(\.id) == Array(173...300))
            #expect(try await store.statistics().gapCount == 300)
            await store.close()
        }
    }
}
