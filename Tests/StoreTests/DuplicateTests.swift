import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// Entries that are read again from another file, and entries that arrive too late.
struct DuplicateTests {
    private func withStore(
        maximumAge: Duration? = nil, now: UInt64 = newYear, _ body: (EventStore) async throws -> Void
    ) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumAge: maximumAge, clock: { now })
            try await body(store)
            await store.close()
        }
    }

    private func save(_ batch: ResolvedBatch, in store: EventStore) async throws -> EntryCounts {
        try await store.save(batch, journal: "machine").counts
    }

    @Test func `an event that may be known and is stored in any block is refused and counted`() async throws {
        try await withStore { store in
            // Two blocks and open events. Some entries are missing before, between and after the stored ones.
            let stored = (100...9500 as ClosedRange<UInt64>).filter { $0 % 100 != 7 }
            for start in stride(from: 0, to: stored.count, by: 700) {
                try await store.save(Numbered.batch(stored[start...].prefix(700)), journal: "machine")
            }
            let before = try await store.all().map(\.seqnum)
            let again = try await save(Numbered.batch(50...9600, mayBeKnown: true), in: store)
            let new = (50...9600 as ClosedRange<UInt64>).filter { $0 < 100 || $0 > 9500 || $0 % 100 == 7 }
            #expect(again == EntryCounts(stored: Int64(new.count), duplicates: Int64(stored.count)))
            #expect(try await store.all().map(\.seqnum) == before + new)
            #expect(try await save(Numbered.batch(50...9600, mayBeKnown: true), in: store).stored == 0)
        }
    }

    @Test func `events with the times of damaged entries are stored once, and found, too`() async throws {
        try await withStore { store in
            var batch = Numbered.batch(1...4, mayBeKnown: true)
            let times: [UInt64] = [0, 1 << 63, .max, 1 << 63 | 1_763_950_000_000_000]
            for (place, time) in times.enumerated() {
                batch.events[place].entry.realtimeMicroseconds = time
            }
            let (first, again) = (try await save(batch, in: store), try await save(batch, in: store))
            #expect(first.stored == 4 && again.stored == 0 && again.duplicates == 4)
            let uids = Set(batch.events.map(\.entry.uid))
            #expect(try await store.storedUIDs(among: uids, times: times) == uids)
        }
    }

    @Test func `an event that is known to be new is not searched for`() async throws {
        try await withStore { store in
            for _ in 0..<2 {
                let counts = try await save(Numbered.batch(1...5), in: store)
                #expect(counts == EntryCounts(stored: 5))
            }
        }
    }

    @Test func `after the store was opened again the open events are searched as well`() async throws {
        try await withStoreFolder { folder in
            var store = try await EventStore.open(folder)
            try await store.save(Numbered.batch(1...5), journal: "machine")
            await store.close()
            store = try await EventStore.open(folder)
            let batch = Numbered.batch(4...7, mayBeKnown: true)
            #expect(try await store.save(batch, journal: "machine").counts == EntryCounts(stored: 2, duplicates: 2))
            await store.close()
        }
    }

    @Test func `the first of two equal events in one batch is stored`() async throws {
        try await withStore { store in
            let batch = Numbered.batch([
                Numbered.entry(1), Numbered.entry(2, mayBeKnown: true), Numbered.entry(1, mayBeKnown: true),
                Numbered.entry(2, mayBeKnown: true), Numbered.entry(3, mayBeKnown: true),
            ])
            let counts = try await save(batch, in: store)
            #expect(counts == EntryCounts(stored: 3, duplicates: 2))
            #expect(try await store.all().map(\.seqnum) == [1, 2, 3])
        }
    }

    @Test func `equal entries with different ordinals are different events`() async throws {
        try await withStore { store in
            let entries = [0, 1, 2, 70_000].map { Numbered.entry(1, ordinal: $0, mayBeKnown: true) }
            let first = try await save(Numbered.batch(entries), in: store)
            #expect(first == EntryCounts(stored: 4))
            let more = entries + [Numbered.entry(1, ordinal: 3, mayBeKnown: true)]
            let second = try await save(Numbered.batch(more), in: store)
            #expect(second == EntryCounts(stored: 1, duplicates: 4))
            #expect(try await store.all().map(\.ordinal) == [0, 1, 2, 70_000, 3])
        }
    }

    @Test func `an event that is no longer stored is stored again, unless its number was read before`() async throws {
        try await withStore(maximumAge: .seconds(3600), now: newYear + 120_000_000) { store in
            try await store.save(Numbered.batch(1...100), journal: "machine")
            while try await store.maintain(now: newYear + 7_200_000_000) {}
            #expect(try await store.all().isEmpty)
            try await store.save(Numbered.batch(101...110), journal: "machine")
            var batch = Numbered.batch(50...120, mayBeKnown: true)
            // These numbers are new: the events come late.
            let late = (60...69 as ClosedRange<UInt64>)
            for place in batch.events.indices {
                batch.events[place].entry.wasRead = !late.contains(batch.events[place].entry.seqnum)
            }
            // Of the rest, 50 to 100 were removed, and no source took 111 to 120 before.
            let counts = try await save(batch, in: store)
            #expect(counts == EntryCounts(stored: 20, duplicates: 10, expired: 41))
            #expect(try await store.all().map(\.seqnum) == Array(101...110) + late + Array(111...120))
            // What is older than what was removed, and is stored, has not expired.
            for place in batch.events.indices { batch.events[place].entry.wasRead = true }
            #expect(try await save(batch, in: store) == EntryCounts(duplicates: 30, expired: 41))
        }
    }

    @Test func `a removed event with a time in the future says nothing of those before it`() async throws {
        try await withStore(now: newYear + 99_000_000) { store in
            try await store.save(Numbered.batch(1...100), journal: "machine")
            store.use([Self.rule("match", keep: .seconds(3600))])
            while try await store.maintain(now: newYear + 7_200_000_000) {}
            #expect(try await store.removedUntil().latest == newYear + 100_000_000)
            var batch = Numbered.batch(50...60, mayBeKnown: true)
            for place in batch.events.indices { batch.events[place].entry.wasRead = true }
            #expect(try await save(batch, in: store) == EntryCounts(stored: 11))
        }
    }

    @Test func `an event that was removed and is read again after its source was renamed has expired`() async throws {
        try await withStore(now: newYear + 120_000_000) { store in
            store.use([Self.rule("match", keep: .seconds(3600))])
            try await store.save(Numbered.batch(1...100), journal: "machine")
            while try await store.maintain(now: newYear + 7_200_000_000) {}
            #expect(try await store.all().isEmpty)
            var batch = Numbered.batch(91...110, mayBeKnown: true)
            for place in batch.events.indices {
                let origin = batch.events[place].entry.origin
                batch.events[place].entry.origin = Origin(
                    origin.fields, bootID: origin.bootID, seqnumID: origin.seqnumID, source: "renamed")
                batch.events[place].entry.wasRead = true
            }
            // While the other source is there, the removals are of its events.
            store.use([Self.rule("match"), Self.rule("renamed")])
            let some = try await store.save(Numbered.batch([batch.events[0].entry]), journal: "machine").counts
            #expect(some == EntryCounts(stored: 1))
            store.use([Self.rule("renamed")])
            #expect(try await save(batch, in: store) == EntryCounts(stored: 10, duplicates: 1, expired: 9))
        }
    }

    private static func rule(_ text: String, keep: Duration? = nil) -> SourceRule {
        SourceRule(conditions: [], name: nil, text: text, retention: SourceRetention(maximumAge: keep))
    }

    @Test func `an event that has expired is counted and not stored`() async throws {
        try await withStore(maximumAge: .seconds(60)) { store in
            var old = (0..<3 as Range<UInt64>).map { Numbered.entry($0) }
            // The clock of the store is at the beginning of the new year.
            old[0].realtimeMicroseconds = newYear - 60_000_001
            old[1].realtimeMicroseconds = newYear - 60_000_000
            old[2].realtimeMicroseconds = 0
            old[2].mayBeKnown = true
            let counts = try await save(Numbered.batch(old), in: store)
            #expect(counts == EntryCounts(stored: 1, expired: 2))
            #expect(try await store.all().map(\.seqnum) == [1])
            #expect(try await store.statistics().newestEventID == 1)
        }
    }

    @Test(arguments: [true, false])
    func `an event that has expired unread is stored if a sink waits for it`(hasSink: Bool) async throws {
        try await withStore(maximumAge: .seconds(60)) { store in
            let known = newYear - 100_000_000
            if hasSink { _ = try await store.openSinks([("up", .now)], now: known) }
            var entries = (0..<6 as Range<UInt64>).map { Numbered.entry($0) }
            for place in entries.indices { entries[place].realtimeMicroseconds = newYear - 90_000_000 }
            // From before there was a sink; what may have been stored, delivered and removed before; young enough.
            entries[0].realtimeMicroseconds = known - 1
            entries[1].realtimeMicroseconds = known
            entries[2].mayBeKnown = true
            entries[3].realtimeMicroseconds = newYear
            // A copy only if it is stored.
            entries[5].mayBeCopy = true
            let counts = try await save(Numbered.batch(entries), in: store)
            #expect(counts == (hasSink ? EntryCounts(stored: 4, expired: 2) : EntryCounts(stored: 1, expired: 5)))
            #expect(try await store.all().map(\.seqnum) == (hasSink ? [1, 3, 4, 5] : [3]))
            guard hasSink else { return }
            #expect(try await save(Numbered.batch([entries[5]]), in: store) == EntryCounts(duplicates: 1))
            // It goes as soon as it was delivered.
            while try await store.maintain(now: newYear) {}
            #expect(try await store.all().count == 4)
            _ = try await store.pass("up", to: 4)
            while try await store.maintain(now: newYear + 3_600_000_000) {}
            #expect(try await store.all().isEmpty)
        }
    }

    @Test func `gaps are placed after the entries before them`() async throws {
        try await withStore(maximumAge: .seconds(60)) { store in
            try await store.save(Numbered.batch([2, 4]), journal: "machine")
            var entries = (1...6 as ClosedRange<UInt64>).map { Numbered.entry($0, mayBeKnown: true) }
            entries[0].realtimeMicroseconds = 1
            let gaps = [-1, 0, 1, 2, 3, 4, 5, 6, 99].map {
                Gap(cause: .damaged, realtimeMicroseconds: newYear, message: "a part", entryIndex: $0)
            }
            // 1 is too old, 2 and 4 are stored already: 3, 5 and 6 become the events 3 to 5.
            let counts = try await save(Numbered.batch(entries, gaps: gaps), in: store)
            #expect(counts == EntryCounts(stored: 3, duplicates: 2, expired: 1))
            #expect(try await store.all().map(\.seqnum) == [2, 4, 3, 5, 6])
            #expect(try await store.gaps(after: 0, limit: 20).map(\.afterEventID) == [2, 2, 2, 2, 3, 3, 4, 5, 5])
        }
    }

    @Test func `each entry that was read is counted once`() async throws {
        try await withStore(maximumAge: .seconds(60)) { store in
            var random = SeededGenerator(seed: 5)
            var wanted = EntryCounts()
            for _ in 0..<40 {
                var entries = (0..<random.next() % 60).map { _ in
                    Numbered.entry(random.next() % 500, mayBeKnown: true)
                }
                for index in entries.indices where random.next() % 9 == 0 { entries[index].realtimeMicroseconds = 1 }
                var progress = ReadingProgress()
                // The reader has already counted some of them.
                progress.counts = EntryCounts(
                    stored: 1000, skipped: Int64(random.next() % 9), duplicates: Int64(random.next() % 3), expired: 9)
                let read = Int64(entries.count) + progress.counts.skipped + progress.counts.duplicates
                let counts = try await save(Numbered.batch(entries, progress: progress), in: store)
                #expect(counts.read == read && counts.skipped == progress.counts.skipped)
                wanted.add(counts)
            }
            #expect(try await store.statistics().entries == wanted)
            #expect(wanted.stored > 300 && wanted.duplicates > 300 && wanted.expired > 50 && wanted.skipped > 50)
            #expect(try await store.all().count == Int(wanted.stored))
            #expect(Set(try await store.all().map(\.uid)).count == Int(wanted.stored))
        }
    }

    @Test(arguments: [Duration.zero, .seconds(3600)])
    func `stored events are found in short turns`(_ turnTime: Duration) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, turnTime: turnTime)
            for start in stride(from: 0 as UInt64, to: 20_000, by: 2000) {
                try await store.save(Numbered.batch(start..<start + 2000), journal: "machine")
            }
            let numbers: [UInt64] = [0, 4095, 4096, 12_000, 19_999, 20_000, 1 << 40]
            let uids = Set(numbers.map { Numbered.entry($0).uid } + [Numbered.entry(7, ordinal: 1).uid])
            func found(_ times: [UInt64]) async throws -> Set<EventUID> {
                try await store.storedUIDs(among: uids, times: times)
            }
            let times = numbers.map { Numbered.entry($0).realtimeMicroseconds }
            let stored = Set(numbers.prefix(5).map { Numbered.entry($0).uid })
            #expect(try await found(times) == stored)
            #expect(
                try await found([newYear + 4_095_000_000, newYear])
                    == Set(
                        stored.filter { uid in
                            uid == Numbered.entry(0).uid || uid == Numbered.entry(4095).uid
                        }))
            #expect(try await found([0, newYear - 1]).isEmpty)
            #expect(try await store.storedUIDs(among: [], times: times).isEmpty)
            await store.close()
        }
    }
}
