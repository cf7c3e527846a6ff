import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// Batches that do not fit into the store, even when it is empty.
struct BatchPartsTests {
    /// Returns a batch whose events each have their own sender, a name of a kilobyte, and findings.
    private func batch(_ count: Int, _ journal: inout Journal) -> ResolvedBatch {
        var generator = SeededGenerator(seed: 3)
        var batch = journal.batch(
            count, gaps: [Gap(cause: .damaged, realtimeMicroseconds: newYear, message: "x", entryIndex: count - 1)])
        for place in batch.events.indices {
            let origin = batch.events[place].entry.origin
            batch.events[place].entry.origin = Origin(
                [
                    .subsystem: String(decoding: generator.letters(1024), as: UTF8.self), .category: "c",
                    .host: origin[.host],
                ], bootID: origin.bootID, seqnumID: origin.seqnumID, source: origin.source)
        }
        return batch
    }

    private func saveAll(_ batch: ResolvedBatch, _ store: EventStore) async throws -> Int {
        var (rest, parts) = (ResolvedBatch?.some(batch), 0)
        while let batch = rest {
            rest = try await store.save(batch, journal: "machine").rest
            parts += 1
        }
        return parts
    }

    @Test func `the first part is saved, then the rest, and the progress only with the last`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20, whenFull: .dropOldest)
            let batch = batch(2500, &journal)
            let first = try await store.save(batch, journal: "machine")
            var rest = try #require(first.rest)
            #expect(Int(first.counts.stored) + rest.events.count == 2500 && first.counts.stored >= 78)
            let state = try #require(try await store.readingState(ofJournal: "machine"))
            let last = batch.events.prefix(Int(first.counts.stored)).map(\.entry.realtimeMicroseconds).max()
            #expect(state.files.isEmpty)
            #expect(state.knownUntilMicroseconds ?? 0 >= last ?? .max)
            #expect(state.startMicroseconds == batch.progress.startMicroseconds)
            #expect(try await store.gaps(after: 0, limit: 9).isEmpty)
            rest.progress.counts.skipped = 7
            let parts = try await saveAll(rest, store)
            #expect(parts > 1)
            let done = try #require(try await store.readingState(ofJournal: "machine"))
            #expect(done.files == batch.progress.files.values.compactMap(\.self) && done.knownUntilMicroseconds == nil)
            let statistics = try await store.statistics()
            #expect(statistics.seen.values.reduce(0, +) == 2500 && statistics.entries.skipped == 7)
            let stored = try await store.all()
            #expect(stored.map(\.seqnum) == batch.events.suffix(stored.count).map(\.entry.seqnum) && stored.count > 100)
            #expect(try await store.gaps(after: 0, limit: 9).map(\.afterEventID) == [2499])
            await store.close()
        }
    }

    @Test func `gaps and missing numbers are saved with the rest, at their places`() {
        func gap(_ place: Int) -> Gap {
            Gap(cause: .damaged, realtimeMicroseconds: newYear, message: "x", entryIndex: place)
        }
        var holes = [Numbered.hole(200...201), Numbered.hole(300...301)]
        for place in 0...1 { holes[place].entryIndex = [10, 60][place] }
        let batch = Numbered.batch(0...99, gaps: [gap(20), gap(70)], progress: Numbered.progress(holes: holes))
        func places(_ batch: ResolvedBatch) -> [[Int]] {
            [batch.gaps, batch.progress.holes[Numbered.ofMachine] ?? []].map { $0.map(\.entryIndex) }
        }
        let (first, rest) = batch.parted(at: 50)
        #expect(places(first) == [[], []] && places(rest) == [[0, 20], [0, 10]])
        var (quarter, half) = first.parted(at: 25)
        half.append(rest)
        #expect(places(quarter) == [[], []] && places(half) == [[25, 45], [25, 35]])
        quarter.append(half)
        #expect(quarter.events.count == 100 && places(quarter) == [[50, 70], [50, 60]])
    }

    @Test func `a time until which everything may be known outlives a batch in parts`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20, whenFull: .dropOldest)
            var batch = batch(2500, &journal)
            let known = (batch.events.map(\.entry.realtimeMicroseconds).max() ?? 0) + 1_000_000
            batch.progress.knownUntilMicroseconds = known
            #expect(try await saveAll(batch, store) > 1)
            #expect(try await store.readingState(ofJournal: "machine")?.knownUntilMicroseconds == known)
            await store.close()
        }
    }

    @Test func `if the program ends in between, entries that are read again are not stored twice`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder, maximumBytes: 8 << 20)
            var batch = batch(4000, &journal)
            let first = try await store.save(batch, journal: "machine")
            #expect(first.rest != nil && first.counts.stored > 0)
            await store.close()

            store = try await EventStore.open(folder, maximumBytes: 64 << 20)
            let known = try #require(try await store.readingState(ofJournal: "machine")?.knownUntilMicroseconds)
            for place in batch.events.indices where batch.events[place].entry.realtimeMicroseconds <= known {
                batch.events[place].entry.mayBeKnown = true
            }
            #expect(try await saveAll(batch, store) == 1)
            #expect(try await store.all().map(\.seqnum) == batch.events.map(\.entry.seqnum))
            await store.close()
        }
    }

    @Test(arguments: [Resolution.resolved, .plain])
    func `an event that does not fit alone is cut and flagged`(resolution: Resolution) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            try await store.save(journal.batch(100), journal: "machine")
            var generator = SeededGenerator(seed: 4)
            let payload = Array("{\"x\":\"".utf8) + generator.letters(3 << 20) + Array("\"}".utf8)
            let large = journal.single(payload, name: "tap", resolution: resolution)
            #expect(try await saveAll(large, store) == 2, "the progress follows")
            let stored = try #require(try await store.all().last)
            #expect(stored.payload.count >= 32 << 10 && payload.starts(with: stored.payload))
            #expect(stored.findings?.warnings == [.cut])
            #expect(stored.resolution == (resolution == .plain ? .plain : .malformed))
            #expect(stored.findings?.reason?.hasPrefix("cut at ") ?? (resolution == .plain))
            #expect(stored.uid == large.events[0].entry.uid)
            await store.close()
        }
    }

    @Test func `an event that fits alone is not cut because of the progress that is saved with it`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            func fits(_ batch: ResolvedBatch) async throws -> Bool {
                try await store.change { db, state in
                    try store.fitsWhenEmpty(store.cost(of: CountedBatch(batch), db, state), db, state)
                }
            }
            var generator = SeededGenerator(seed: 4)
            let payload = Array("{\"x\":\"".utf8) + generator.letters(80_000) + Array("\"}".utf8)
            var batch = journal.single(payload, name: "tap", resolution: .resolved)
            let ranges = (0..<400 as Range<UInt64>).map { UInt64.max / 2 + $0 * 1000...UInt64.max / 2 + $0 * 1000 + 7 }
            while try await fits(batch) {
                let chain = ChainID(
                    machineID: Numbered.machine, seqnumID: ID128(high: 0, low: UInt64(batch.progress.chains.count)),
                    bootID: Numbered.boot, name: "system")
                batch.progress.chains[chain] = ChainCoverage(
                    numbers: NumberRanges(ranges), spans: NumberRanges(ranges), latestRealtimeMicroseconds: 1)
            }
            #expect(try await saveAll(batch, store) == 2)
            #expect(same(try await store.all(), journal.events))
            let state = try await store.readingState(ofJournal: "machine")
            #expect(state?.chains.count == batch.progress.chains.count && state?.knownUntilMicroseconds == nil)
            await store.close()
        }
    }

    @Test func `a text that is shorter than the payload made of it is kept whole, with what is said of its entry`() {
        var journal = Journal()
        let payload = Array(#"{"a":true,"b":true,"c":true}"#.utf8)
        var batch = journal.single(payload, resolution: .resolved)
        batch.events[0].text = MessageText(Array("a b c".utf8))
        batch.events[0].findings = Findings(warnings: [.payloadField, .senderCut, .obsoleteEvent])
        let cut = batch.cut(toPayload: 20)
        #expect(cut.bytes[cut.events[0].entry.payload] == Array("a b c".utf8)[...])
        #expect(cut.events[0].text == nil && cut.events[0].resolution == .malformed)
        #expect(cut.events[0].findings?.warnings == [.cut, .payloadField, .senderCut])
    }

    @Test func `a batch without events to split is refused`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            try await store.save(journal.batch(100), journal: "machine")
            let gap = Gap(
                cause: .damaged, realtimeMicroseconds: newYear, message: String(repeating: "x", count: 3 << 20))
            let error = await storeError { try await store.save(ResolvedBatch(gaps: [gap]), journal: "machine") }
            #expect(error?.kind == .full && error?.description.contains("too large") == true)
            #expect(try await store.all().count == 100, "nothing is removed for it")
            await store.close()
        }
    }
}
