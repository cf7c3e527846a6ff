import GRDB
import Model
import Testing

@testable import Store

/// `store.max_size`: what it takes to stay below it, and that no more is removed than that.
struct SizeLimitTests {
    @Test(arguments: [100, 400, 780, 1200, 1900, 3000, 6000])
    func `nothing is removed before most of the store is used`(payloadBytes: Int) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            let (most, mostBytes) = store.maximumBatch
            let count = min(most, mostBytes / payloadBytes)
            var written = 0
            while try await store.removedUntil().any == nil {
                try await store.save(journal.batch(count, payloadBytes: payloadBytes), journal: "machine")
                written += count * payloadBytes
            }
            // Payloads are letters, which become a fifth smaller.
            #expect(written > (8 << 20) * 3 / 4)
            await store.close()
        }
    }

    @Test func `notices and what watches have counted leave room for events`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            let notice = NewNotice(alert: "a", notice: String(repeating: "x", count: 2300), notifiers: ["chat"])
            var givenUp = 0
            for count in [100, 1000, 200] {
                givenUp += try await store.save([], of: .alert, notices: Array(repeating: notice, count: count))
            }
            #expect(try await store.notices(limit: 1000).count == 256 && givenUp == 1044)
            let state = String(repeating: "x", count: 256 << 10)
            let error = await storeError {
                for number in 0..<32 {
                    try await store.save([SavedWatch(name: "\(number)", position: 0, state: state)], of: .alert)
                }
            }
            #expect(error?.kind == .full && error?.hint == "Raise store.max_size.")
            #expect(try await store.savedWatches(.alert).count > 4)
            // One that nearly fills a block is not cut.
            try await store.save(journal.batch(1, payloadBytes: 500_000), journal: "machine")
            #expect(same(try await store.all(), journal.events))
            for _ in 0..<10 { try await store.save(journal.batch(300, payloadBytes: 250), journal: "machine") }
            #expect(try await store.statistics().storedEvents > 0)
            #expect(storeBytes(folder) <= 8 << 20)
            // Others take their place.
            try await store.save([], removing: ["0"], of: .alert)
            try await store.save([SavedWatch(name: "other", position: 0, state: "")], of: .alert)
            let file = store.database.file
            let kept = try await store.change { try DiskUse($0, file, $1).keptBytes }
            await store.close()
            store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            #expect(try await store.change { try DiskUse($0, file, $1).keptBytes } == kept)
            await store.close()
        }
    }

    @Test func `what a watch has counted takes the place of what it had counted before`() async throws {
        try await withStoreFolder { folder in
            func save(_ name: String, _ bytes: Int, in store: EventStore) async throws {
                let state = String(repeating: "x", count: bytes)
                try await store.save([SavedWatch(name: name, position: 0, state: state)], of: .alert)
            }
            var store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            for (name, bytes) in [("a", 5 << 18), ("b", 5 << 18), ("a", 5 << 18 + 1)] {
                try await save(name, bytes, in: store)
            }
            await store.close()
            store = try await EventStore.open(folder)
            for name in ["a", "b"] { try await save(name, 2 << 20, in: store) }
            await store.close()
            // Where nothing may grow, it may become smaller.
            store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            #expect(await storeError { try await save("a", 2 << 20 + 1, in: store) }?.kind == .full)
            try await save("a", 2 << 20 - 1000, in: store)
            await store.close()
        }
    }

    @Test func `notices beyond a lowered limit are removed, and no events instead`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder)
            try await store.save(journal.batch(300), journal: "machine")
            let notice = NewNotice(alert: "a", notice: String(repeating: "x", count: 2300), notifiers: ["chat"])
            try await store.save([], of: .alert, notices: Array(repeating: notice, count: 2000))
            await store.close()
            store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            let batch = journal.batch(300)
            #expect(await storeError { try await store.save(batch, journal: "machine") }?.kind == .full)
            try await store.tidyAll()
            #expect(try await store.notices(limit: 1000).count == 256)
            #expect(storeBytes(folder) <= 8 << 20)
            try await store.save(batch, journal: "machine")
            #expect(try await store.statistics().storedEvents == 600)
            // What was given up meanwhile counts with the next.
            for count in [1745, 1] {
                #expect(try await store.save([], of: .alert, notices: [notice]) == count)
            }
            await store.close()
        }
    }

    @Test func `the batch of a sink that the settings no longer name counts as what is kept`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            let body = [UInt8](repeating: 1, count: 400_000)
            try await store.freeze(
                FrozenBatch(
                    sink: "up", key: "k", body: body, contentEncoding: nil, firstEventID: 1, lastEventID: 2,
                    eventCount: 2))
            for (sinks, kept) in [(["up"], 0..<1), ([], 400_000..<410_000)] {
                _ = try await store.openSinks(sinks.map { ($0, .oldest) }, now: newYear)
                let bytes = try await store.change { try DiskUse($0, store.database.file, $1).keptBytes }
                #expect(kept.contains(Int(bytes)))
            }
            await store.close()
        }
    }

    @Test func `rows that are packed with a batch need no room beside their block`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            // Nearly half a block, so that the third is packed with the rows of two.
            let count = store.maximumBatch.payloadBytes * 9 / 20 / 600
            for _ in 0..<2 { try await store.save(journal.batch(count, payloadBytes: 600), journal: "machine") }
            let batch = CountedBatch(journal.batch(count, payloadBytes: 600))
            let cost = try await store.change { db, state in
                #expect(state.appender.openSize.count == 2 * count)
                return try store.cost(of: batch, db, state)
            }
            #expect(cost.newPages * SizeLimit.pageBytes < Int64(3 * count * 600) * 3 / 2)
            try await store.save(batch, journal: "machine")
            #expect(try await same(store.all(), journal.events))
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
                #expect(storeBytes(folder) <= limit)
                let batch = FrozenBatch(
                    sink: "up", key: "\(written)", body: [UInt8](repeating: 1, count: limit / 64), contentEncoding: nil,
                    firstEventID: 1, lastEventID: journal.last, eventCount: count)
                try await store.freeze(batch)
                #expect(storeBytes(folder) <= limit)
                _ = try await store.complete(batch, at: newYear)
                if written % 5 == 0 { _ = try await store.maintain(now: newYear) }
                #expect(storeBytes(folder) <= limit)
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
                    numbers: NumberRanges(ranges), spans: NumberRanges(ranges), latestRealtimeMicroseconds: round)
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
                #expect(storeBytes(folder) <= limit)
            }
            #expect(try await store.readingState(ofJournal: "machine")?.chains.count == 9)
            let events = try await store.all()
            #expect(same(events, journal.events.suffix(events.count)))
            #expect(events.count > 3000)
            await store.close()
        }
    }

    @Test func `a lowered limit is reached step by step`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder)
            for _ in 0..<10 { try await store.save(journal.batch(2000, payloadBytes: 500), journal: "machine") }
            await store.close()
            #expect(storeBytes(folder) > 6 << 20)
            store = try await EventStore.open(folder, maximumBytes: 5 << 20)
            try await store.tidyAll(now: newYear)
            #expect(storeBytes(folder) <= 5 << 20)
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
                    #expect(storeBytes(folder) <= limit)
                    refused = batch
                    if let error { return error as StoreError? }
                }
                return nil
            }
            #expect(error?.kind == .full)
            #expect(error?.hint?.contains("shell") == true)
            let noted = { try await store.change { _, state in state.logBytesAfterEmptying } }
            #expect(try await noted() > 0)
            try await store.save(try #require(refused), journal: "machine")
            #expect(try await store.maintain(now: newYear) == false)
            #expect(try await noted() == 0)
            #expect(storeBytes(folder) <= limit)
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
}
