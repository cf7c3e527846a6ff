import GRDB
import Model
import Testing

@testable import Store

/// Tests that the reading progress of journals is saved together with events.
struct ReadingStateTests {
    private static func chain(_ number: UInt64, name: String = "system") -> ChainID {
        ChainID(
            machineID: Numbered.machine, seqnumID: ID128(high: .max, low: number), bootID: ID128(high: number, low: 0),
            name: name)
    }

    private static func file(_ number: UInt64, last: FilePosition.Last? = nil) -> FilePosition {
        FilePosition(
            fileID: ID128(high: 0, low: number), path: "/var/log/journal/m/system.journal",
            machineID: ID128(high: 0, low: 11), seqnumID: ID128(high: 0, low: 12),
            entries: number, offset: number * 8, last: last,
            promisedEntries: number + 1, promisedSeqnums: number + 2...number + 2)
    }

    /// A progress in which each part is as large as possible.
    private static var largest: ReadingProgress {
        var progress = ReadingProgress()
        progress.startMicroseconds = .max
        let cursor = JournalCursor(
            seqnumID: ID128(high: .max, low: .max), seqnum: .max, bootID: ID128(high: .max, low: .max),
            monotonicMicroseconds: .max, realtimeMicroseconds: .max, xorHash: .max)
        let id = ID128(high: .max, low: .max)
        progress.files[id] = FilePosition(
            fileID: id, path: "/var/log/journal/m/system.journal",
            machineID: ID128(high: 0, low: 11), seqnumID: ID128(high: 0, low: 12),
            entries: .max, offset: .max, last: .init(cursor: cursor, offset: .max), promisedEntries: .max,
            promisedSeqnums: .max ... .max)
        progress.files[ID128(high: 0, low: 7)] = file(7)
        let step = UInt64.max / 512
        let ranges = (0..<512 as Range<UInt64>).map { index in
            let first = index * step
            return index == 511 ? (UInt64.max - 5)...UInt64.max : first...first + (index % 2) * 7
        }
        let hashes = (1...1000 as ClosedRange<UInt64>).map { ($0 == 1000 ? .max : $0 * 77, UInt32($0 * 4_000_000)) }
        progress.chains[chain(1, name: "user-1000@é, =-")] = ChainCoverage(
            numbers: NumberRanges(ranges), explained: NumberRanges(ranges), spans: NumberRanges([0...UInt64.max]),
            openEnds: NumberRanges(ranges),
            monotonicMicroseconds: 0...UInt64.max, latestRealtimeMicroseconds: .max,
            repeats: RepeatCount(
                seqnum: .max, monotonicMicroseconds: .max, counts: Dictionary(uniqueKeysWithValues: hashes)))
        progress.chains[chain(2)] = ChainCoverage()
        return progress
    }

    @Test func `every part is returned unchanged, also after the store was opened again`() async throws {
        try await withStoreFolder { folder in
            let progress = Self.largest
            #expect(progress.chains.values.compactMap { $0?.numbers.ranges.count }.max() == NumberRanges.maximumCount)
            let wanted = ReadingState(
                startMicroseconds: .max,
                files: progress.files.values.compactMap(\.self).sorted { $0.fileID.high < $1.fileID.high },
                chains: progress.chains.compactMapValues(\.self))
            var store = try await EventStore.open(folder)
            #expect(try await store.readingState(ofJournal: "machine") == nil)
            try await store.save(ResolvedBatch(progress: progress), journal: "machine")
            #expect(try await store.readingState(ofJournal: "machine") == wanted)
            #expect(try await store.readingState(ofJournal: "namespace:other") == nil)
            await store.close()
            store = try await EventStore.open(folder)
            #expect(try await store.readingState(ofJournal: "machine") == wanted)
            await store.close()
        }
    }

    @Test func `later progress replaces the earlier one, and nil removes a file or a chain`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var progress = ReadingProgress()
            progress.startMicroseconds = 5
            for number in 1...3 as ClosedRange<UInt64> {
                progress.files[ID128(high: 0, low: number)] = Self.file(number)
                progress.chains[Self.chain(number)] = ChainCoverage(numbers: NumberRanges([1...number]))
            }
            try await store.save(ResolvedBatch(progress: progress), journal: "machine")
            var later = ReadingProgress()
            let changed = Self.file(2, last: .init(cursor: Numbered.entry(4).cursor, offset: 9))
            later.files = [changed.fileID: changed]
            later.files.updateValue(nil, forKey: ID128(high: 0, low: 3))
            later.chains[Self.chain(2)] = ChainCoverage(numbers: NumberRanges([1...2, 5...9], isExact: false))
            later.chains.updateValue(nil, forKey: Self.chain(3))
            try await store.save(ResolvedBatch(progress: later), journal: "machine")

            let state = try #require(try await store.readingState(ofJournal: "machine"))
            #expect(state.startMicroseconds == 5)
            #expect(state.files == [Self.file(1), changed])
            #expect(state.chains.count == 2)
            #expect(state.chains[Self.chain(2)]?.numbers == NumberRanges([1...2, 5...9], isExact: false))
            #expect(state.chains[Self.chain(1)]?.numbers.isExact == true)
            let text = try await store.database.read(.status) {
                try String.fetchAll($0, sql: "SELECT numbers FROM journal_chains ORDER BY boot_id")
            }
            #expect(text == ["1", "~1-2,5-9"])
            await store.close()
        }
    }

    @Test(arguments: [
        "UPDATE journal_files SET file_id = 'x' WHERE last_cursor IS NULL",
        "UPDATE journal_files SET last_cursor = 's=1'",
        "UPDATE journal_files SET last_offset = NULL WHERE last_cursor IS NOT NULL",
        "UPDATE journal_chains SET machine_id = upper(machine_id)", "UPDATE journal_chains SET numbers = '1-2,3'",
        "UPDATE journal_chains SET numbers = '+1'", "UPDATE journal_chains SET numbers = '1,'",
        "UPDATE journal_chains SET numbers = '2-1'", "UPDATE journal_chains SET numbers = '~~1'",
        "UPDATE journal_chains SET spans = '18446744073709551616'",
        "UPDATE journal_chains SET spans = '1-2-3'", "UPDATE journal_chains SET explained = '1,2'",
        "UPDATE journal_chains SET open_ends = '2-1'",
        "UPDATE journal_chains SET repeat_counts = '1=1,1=2'",
        "UPDATE journal_chains SET repeat_counts = 'g=1'", "UPDATE journal_chains SET first_monotonic = NULL",
        "UPDATE journal_chains SET first_monotonic = 3, last_monotonic = 2",
    ])
    func `an invalid value is damage, and the error says where`(_ change: String) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await store.save(ResolvedBatch(progress: Self.largest), journal: "machine")
            try await store.database.write { db in try db.execute(sql: change) }
            let error = await storeError { _ = try await store.readingState(ofJournal: "machine") }
            #expect(error?.kind == .corrupt)
            #expect(error?.description.contains("of journal machine") == true, "\(error?.description ?? "")")
            await store.close()
        }
    }

    @Test func `nothing is saved of a batch that fails, and later it is saved completely`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var progress = Numbered.progress(holes: [Numbered.hole(5...9)])
            progress.startMicroseconds = 1
            progress.counts.skipped = 4
            let known = Self.file(1)
            progress.files[known.fileID] = known
            try await store.save(Numbered.batch(1...10, progress: progress), journal: "machine")
            let state = try await store.readingState(ofJournal: "machine")
            let gaps = try await store.gaps(after: 0, limit: 10)

            var later = Numbered.progress(holes: [Numbered.hole(20...21)])
            later.counts.skipped = 7
            later.files[ID128(high: 0, low: 2)] = Self.file(2)
            later.chains[Self.chain(1)] = ChainCoverage()
            let batch = Numbered.batch(9...5000, mayBeKnown: true, progress: later)
            // Gaps are written last.
            try await store.database.write { db in
                try db.execute(sql: "CREATE TRIGGER refuse BEFORE INSERT ON gaps BEGIN SELECT raise(ABORT, 'no'); END")
                try db.execute(sql: "CREATE TRIGGER refuse2 BEFORE UPDATE ON gaps BEGIN SELECT raise(ABORT, 'no'); END")
            }
            #expect(await storeError { try await store.save(batch, journal: "machine") } != nil)
            #expect(try await store.readingState(ofJournal: "machine") == state)
            #expect(try await store.gaps(after: 0, limit: 10) == gaps)
            #expect(try await store.statistics().entries == EntryCounts(stored: 10, skipped: 4))
            #expect(try await store.all().count == 10)
            #expect(store.feed.latest == 10)

            try await store.database.write { db in try db.execute(sql: "DROP TRIGGER refuse; DROP TRIGGER refuse2") }
            let saved = try await store.save(batch, journal: "machine")
            #expect(saved.counts == EntryCounts(stored: 4990, skipped: 7, duplicates: 2))
            #expect(saved.closedGaps == 1)
            #expect(try await store.readingState(ofJournal: "machine")?.files == [known, Self.file(2)])
            #expect(try await store.all().map(\.seqnum) == Array(1...5000))
            await store.close()
        }
    }
}
