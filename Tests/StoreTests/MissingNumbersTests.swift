import Model
import Testing

@testable import Store

/// Tests that gap records are updated to what is known to be missing.
struct MissingNumbersTests {
    private struct Record: Equatable {
        var id: Int64
        var after: Int64
        var numbers: ClosedRange<UInt64>?
    }

    private func withStore(_ body: (EventStore) async throws -> Void) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await store.save(Numbered.batch(1...3), journal: "machine")
            try await body(store)
            await store.close()
        }
    }

    /// - Returns: The number of records that were closed.
    @discardableResult
    private func save(
        _ holes: [Gap], of boot: BootOfMachine = Numbered.ofMachine, in store: EventStore
    ) async throws -> Int {
        try await store.save(
            ResolvedBatch(progress: Numbered.progress(holes: holes, of: boot)), journal: "machine"
        ).closedGaps
    }

    private func records(_ store: EventStore) async throws -> [Record] {
        try await store.gaps(after: 0, limit: 100).map {
            Record(id: $0.id, after: $0.afterEventID, numbers: $0.gap.numbers)
        }
    }

    @Test func `missing numbers are recorded at their place, with all known fields`() async throws {
        try await withStore { store in
            var holes = [Numbered.hole(10...19), Numbered.hole(UInt64.max - 1...UInt64.max)]
            for place in 0...1 { holes[place].entryIndex = place + 1 }
            let batch = Numbered.batch(4...5, progress: Numbered.progress(holes: holes))
            let saved = try await store.save(batch, journal: "machine")
            #expect(saved.closedGaps == 0)
            for place in 0...1 { holes[place].entryIndex = 0 }
            #expect(try await store.gaps(after: 0, limit: 9).map(\.gap) == holes)
            let newest = try await store.statistics().newestEventID
            #expect(try await records(store).map(\.after) == [newest - 1, newest])
        }
    }

    @Test func `a part of a file is returned with its gap`() async throws {
        try await withStore { store in
            let part = Gap.FilePart(
                fileID: Journal.file, path: "/é/system.journal", range: 0..<UInt64.max, lastSeqnum: .max)
            let gap = Gap(cause: .damaged, realtimeMicroseconds: newYear, certainty: .atMost, part: part, message: "m")
            try await store.save(ResolvedBatch(gaps: [gap]), journal: "machine")
            #expect(try await store.gaps(after: 0, limit: 9).map(\.gap) == [gap])
        }
    }

    @Test func `an unchanged hole keeps its record, and its changed fields are updated`() async throws {
        try await withStore { store in
            try await save([Numbered.hole(10...19), Numbered.hole(30...39)], in: store)
            try await store.save(Numbered.batch(4...5), journal: "machine")
            let changed = [Numbered.hole(10...19), Numbered.hole(30...39, count: 3, message: "3 of them")]
            for _ in 0..<2 { #expect(try await save(changed, in: store) == 0) }
            #expect(try await store.gaps(after: 0, limit: 9).map(\.gap) == changed)
            #expect(
                try await records(store) == [
                    Record(id: 1, after: 3, numbers: 10...19), Record(id: 2, after: 3, numbers: 30...39),
                ])
            #expect(try await store.gapsEverSeen() == 2)
        }
    }

    @Test func `a late file shrinks a record, splits it in two, and closes it`() async throws {
        try await withStore { store in
            try await save([Numbered.hole(10...19)], in: store)
            try await store.save(Numbered.batch(4...5), journal: "machine")
            #expect(try await save([Numbered.hole(12...19)], in: store) == 0)
            #expect(try await records(store) == [Record(id: 1, after: 3, numbers: 12...19)])
            #expect(try await save([Numbered.hole(12...13), Numbered.hole(18...19)], in: store) == 0)
            #expect(
                try await records(store) == [
                    Record(id: 1, after: 3, numbers: 12...13), Record(id: 2, after: 5, numbers: 18...19),
                ])
            #expect(try await save([Numbered.hole(18...19)], in: store) == 1)
            #expect(try await records(store) == [Record(id: 2, after: 5, numbers: 18...19)])
            #expect(try await save([], in: store) == 1)
            #expect(try await records(store).isEmpty)
            #expect(try await store.gapsEverSeen() == 2, "those that were closed stay counted")
        }
    }

    @Test func `an overlapping hole does not take an equal record, and merged records are not counted as closed`()
        async throws
    {
        try await withStore { store in
            try await save([Numbered.hole(10...19), Numbered.hole(30...39)], in: store)
            #expect(try await save([Numbered.hole(5...12), Numbered.hole(10...19)], in: store) == 1)
            #expect(try await records(store).map(\.numbers) == [10...19, 5...12])
            #expect(try await save([Numbered.hole(1...99)], in: store) == 0)
            #expect(try await records(store).map(\.numbers) == [1...99])
        }
    }

    @Test func `holes whose records were removed, since there were too many, are not recorded again`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            let holes = (1...201).map { Numbered.hole(UInt64($0) * 10...UInt64($0) * 10 + 1) }
            for (count, ids) in [(200, 73...200 as ClosedRange<Int64>), (201, 74...201), (200, 74...200)] {
                try await save(Array(holes.prefix(count)), in: store)
                try await store.tidyAll()
                #expect(try await store.gaps(after: 0, limit: 1000).map(\.id) == Array(ids))
            }
            #expect(try await store.gapsEverSeen() == 201)
            await store.close()
        }
    }

    @Test func `records of other boots and of other causes do not change`() async throws {
        try await withStoreFolder { folder in
            var store = try await EventStore.open(folder)
            let otherBoot = BootOfMachine(machineID: Numbered.machine, bootID: ID128(high: 9, low: 9))
            let otherMachine = BootOfMachine(machineID: ID128(high: 9, low: 9), bootID: Numbered.boot)
            let limited = Gap(cause: .rateLimited, realtimeMicroseconds: newYear, message: "m")
            try await store.save(ResolvedBatch(gaps: [limited]), journal: "machine")
            for boot in [Numbered.ofMachine, otherBoot, otherMachine] {
                try await save([Numbered.hole(10...19)], of: boot, in: store)
            }
            await store.close()
            store = try await EventStore.open(folder)
            #expect(try await save([Numbered.hole(30...31), Numbered.hole(11...19)], in: store) == 0)
            #expect(try await save([], of: otherBoot, in: store) == 1)
            #expect(
                try await records(store) == [
                    Record(id: 1, after: 0, numbers: nil), Record(id: 2, after: 0, numbers: 11...19),
                    Record(id: 4, after: 0, numbers: 10...19), Record(id: 5, after: 0, numbers: 30...31),
                ])
            // The next start is told all of them.
            var progress = ReadingProgress()
            progress.startMicroseconds = 1
            try await store.save(ResolvedBatch(progress: progress), journal: "machine")
            let state = try await store.readingState(ofJournal: "machine")
            let numbers = state?.missing.mapValues { $0.map(\.numbers) }
            #expect(numbers == [Numbered.ofMachine: [11...19, 30...31], otherMachine: [10...19]])
            let counters = Set(state?.missing.values.flatMap { $0.map(\.seqnumID) } ?? [])
            #expect(counters == [Numbered.entry(1).cursor.seqnumID])
            await store.close()
        }
    }

    @Test func `a file that returns closes the record that it was deleted`() async throws {
        try await withStore { store in
            func gap(_ cause: Gap.Cause, _ number: UInt64) -> Gap {
                let part = Gap.FilePart(fileID: ID128(high: 0, low: number), path: "/system.journal", range: 8..<99)
                return Gap(cause: cause, realtimeMicroseconds: newYear, count: 7, part: part, message: "m")
            }
            func progress(_ file: FilePosition?, _ number: UInt64) -> ReadingProgress {
                var progress = ReadingProgress()
                progress.files.updateValue(file, forKey: ID128(high: 0, low: number))
                return progress
            }
            let file = FilePosition(
                fileID: ID128(high: 0, low: 1), path: "/var/log/journal/m/system.journal",
                machineID: ID128(high: 0, low: 11), seqnumID: ID128(high: 0, low: 12),
                entries: 0, offset: 8, last: nil, promisedEntries: 7, promisedSeqnums: 7...7)
            func save(_ file: FilePosition?, gaps: [Gap] = []) async throws -> Int {
                try await store.save(ResolvedBatch(gaps: gaps, progress: progress(file, 1)), journal: "machine")
                    .closedGaps
            }
            var closed = [try await save(file)]
            closed.append(try await save(file, gaps: [gap(.deleted, 2), gap(.damaged, 1)]))
            closed.append(try await save(nil, gaps: [gap(.deleted, 1)]))
            closed.append(try await save(file))
            #expect(try await records(store).map(\.id) == [1, 2])
            closed.append(try await save(file))
            #expect(closed == [0, 0, 0, 1, 0])
            // It appeared and was deleted since the last batch.
            closed = [try await save(nil), try await save(file, gaps: [gap(.deleted, 1)])]
            #expect(closed == [0, 0])
            #expect(try await records(store).map(\.id) == [1, 2, 4])
            // An older copy does not have all of them.
            var copy = file
            copy.promisedEntries = 6
            closed = [try await save(nil), try await save(copy), try await save(nil), try await save(file)]
            #expect(closed == [0, 0, 0, 1])
        }
    }

    @Test func `a file that returns closes the record of its rest when the last of that is read`() async throws {
        try await withStore { store in
            let id = ID128(high: 0, low: 1)
            func progress(_ read: UInt64?) -> ReadingProgress {
                var progress = ReadingProgress()
                let file = read.map { read in
                    // Most numbers belong to another file.
                    FilePosition(
                        fileID: id, path: "/system.journal", machineID: Numbered.machine,
                        seqnumID: ID128(high: 5, low: 1), entries: read / 10, offset: read,
                        last: .init(cursor: Numbered.entry(read).cursor, offset: read), promisedEntries: 60,
                        promisedSeqnums: 10...read)
                }
                progress.files.updateValue(file, forKey: id)
                return progress
            }
            func lose(from read: UInt64) async throws {
                let part = Gap.FilePart(fileID: id, path: "/system.journal", range: 8..<8, lastSeqnum: 1000)
                let gap = Gap(
                    cause: .deleted, realtimeMicroseconds: newYear + 1_000_000_000, from: Numbered.entry(read).cursor,
                    count: 50, part: part, message: "m")
                try await store.save(ResolvedBatch(gaps: [gap], progress: progress(nil)), journal: "machine")
                #expect(try await store.gaps(after: 0, limit: 9).map(\.gap) == [gap])
            }
            func closed(_ reads: [UInt64]) async throws -> [Int] {
                var closed: [Int] = []
                for read in reads {
                    let batch = ResolvedBatch(progress: progress(read))
                    closed.append(try await store.save(batch, journal: "machine").closedGaps)
                }
                return closed
            }
            try await lose(from: 500)
            // An older copy goes on with entries that are written after the loss. Then the whole file is in its place.
            #expect(try await closed([600, 1010, 990, 1000, 1000]) == [0, 0, 0, 1, 0])
            try await lose(from: 500)
            #expect(try await closed([1000]) == [1])
        }
    }

    @Test(arguments: [(7, 1), (8, 0)] as [(UInt64, Int)])
    func `a record that does not say where the file ended is closed if the file may have so many entries`(
        last: UInt64, closed: Int
    ) async throws {
        try await withStore { store in
            let id = ID128(high: 0, low: 1)
            let gap = Gap(
                cause: .deleted, realtimeMicroseconds: newYear, from: Numbered.entry(5).cursor, count: last - 5,
                part: .init(fileID: id, path: "/system.journal", range: 8..<99), message: "m")
            try await store.save(ResolvedBatch(gaps: [gap]), journal: "machine")
            var progress = ReadingProgress()
            progress.files[id] = FilePosition(
                fileID: id, path: "/system.journal", machineID: Numbered.machine, seqnumID: ID128(high: 5, low: 1),
                entries: 0, offset: 8, last: nil, promisedEntries: 7, promisedSeqnums: 1...7)
            let saved = try await store.save(ResolvedBatch(progress: progress), journal: "machine")
            #expect(saved.closedGaps == closed)
        }
    }

    @Test func `readers are woken when a record is closed`() async throws {
        try await withStore { store in
            // On a busy machine, a reader may begin to wait only after the record was closed.
            for attempt in 1...10 {
                try await save([Numbered.hole(10...19)], in: store)
                let latest = store.feed.latest
                let waiting = Task {
                    await store.feed.wait(after: latest)
                    return !Task.isCancelled
                }
                try await Task.sleep(for: .milliseconds(20 * attempt))
                try await save([], in: store)
                try await Task.sleep(for: .milliseconds(20 * attempt))
                waiting.cancel()
                if await waiting.value { return }
            }
            Issue.record("a reader slept on")
        }
    }
}
