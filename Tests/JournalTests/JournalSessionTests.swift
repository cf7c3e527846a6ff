import Foundation
@testable import Journal
import Model
import Synchronization
import TestSupport
import Testing

/// Where Reading continues, and how far it goes, on journals with fixed content.
@Suite struct JournalSessionTests {
    // MARK: Going on

    @Test(arguments: [7, 10_000])
    func `boots that take turns in one file leave no holes, but a file of theirs that is gone does`(
        batch: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.writeMany("remote@1", 1...2000, file: 1, in: folder)
            try FixedJournal.writeMany("remote@3", 2101...2300, file: 3, in: folder)
            var (state, entries, holes) = (ReadingState?.none, 0, Set<ClosedRange<UInt64>>())
            while true {
                let read = JournalSession(folder, from: state).read(BatchLimit(maximumEntriesRead: batch))
                state = state ?? ReadingState(startMicroseconds: 0)
                state?.add(read.progress)
                entries += read.entriesRead
                holes.formUnion(read.holes.compactMap(\.numbers))
                if read.entriesRead == 0 { break }
            }
            #expect(entries == 2200)
            #expect(holes == [2001...2100])
        }
    }

    @Test(arguments: [("remote@2", UInt64(1), 2001...2300 as ClosedRange<UInt64>), ("remote-12", 2, 1...300)])
    func `boots that take turns in two files leave no holes`(
        name: String, seqnumID: UInt64, numbers: ClosedRange<UInt64>
    ) async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.writeMany("remote@1", 1...2000, file: 1, in: folder)
            try FixedJournal.writeMany(name, numbers, file: 2, in: folder, seqnumID: seqnumID)
            let session = JournalSession(folder)
            let batch = session.readAll()
            #expect(batch.entriesRead == 2300 && batch.gaps.isEmpty && batch.holes.isEmpty)
            #expect(JournalSession(folder, from: ReadingState(batch.progress)).readAll().holes.isEmpty)
        }
    }

    @Test func `numbers of entries that are older than the start are not missing in other boots`() async throws {
        try await withTemporaryFolder { folder in
            // The clock of the second machine is behind.
            func write(_ name: String, _ numbers: ClosedRange<UInt64>, _ isSecond: (UInt64) -> Bool) throws {
                var builder = JournalFileBuilder(number: numbers.lowerBound, seqnumID: 1)
                for number in numbers {
                    let boot: UInt64 = isSecond(number) ? 2 : 1
                    builder.add(
                        JournalFileBuilder.Entry(
                            seqnum: number, realtimeMicroseconds: FixedJournal.start + number - boot * 1000,
                            monotonicMicroseconds: number, bootID: ID128(high: 5, low: boot),
                            fields: [FixedJournal.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }))
                }
                try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
            }
            try write("remote@1", 1...19) { $0 % 5 > 1 || $0 == 16 }
            try write("remote", 20...40) { $0 < 26 }
            let session = JournalSession(folder, start: .now, now: FixedJournal.start - 1500)
            let batch = session.readAll()
            #expect(batch.messages == ["1", "5", "6", "10", "11", "15"] + FixedJournal.messages(26...40))
            #expect(batch.holes.isEmpty && batch.gaps.isEmpty)
        }
    }

    @Test func `batches of one entry each, and a restart after each, give every entry once`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system@1", 1...20, file: 1, in: folder)
            try FixedJournal.write("system", 21...40, file: 2, in: folder)
            try FixedJournal.write("user-1000", [], file: 3, in: folder)
            var (found, state) = ([String](), ReadingState?.none)
            while true {
                let batch = JournalSession(folder, from: state).read(BatchLimit(maximumEntriesRead: 1))
                state = state ?? ReadingState(startMicroseconds: 0)
                state?.add(batch.progress)
                #expect(batch.gaps.isEmpty && batch.holes.isEmpty)
                if batch.entriesRead == 0 { break }
                found += batch.messages
            }
            #expect(found == FixedJournal.messages(1...40))
        }
    }

    @Test func `reading advances although no rule takes anything, and is counted`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
            let batch = JournalSession(folder, rules: []).readAll()
            #expect(batch.entries.isEmpty && batch.entriesRead == 20 && batch.progress.counts.skipped == 20)
            #expect(batch.lastRealtimeMicroseconds == FixedJournal.start + 20)
            let again = JournalSession(folder, from: ReadingState(batch.progress)).readAll()
            #expect(again.entriesRead == 0)
        }
    }

    @Test func `after a change of rules the first match behind the position is not skipped`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...3, file: 1, in: folder)
            let session = JournalSession(folder, rules: [.subsystem("other")])
            #expect(session.read(BatchLimit(maximumEntriesRead: 1)).entries.isEmpty)
            session.setRules([.subsystem("s")])
            #expect(session.readAll().messages == ["2", "3"])
        }
    }

    @Test func `a flush to another place under other numbers is read, and each entry may be known`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder, seqnumID: 1)
            let session = JournalSession(folder)
            let before = session.readAll()
            #expect(before.entries.count == 20 && before.entries.allSatisfy { !$0.mayBeKnown })
            try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            try FixedJournal.write("system", 1...25, file: 2, in: folder, seqnumID: 2)
            let after = session.readAll()
            #expect(after.entries.map(\.mayBeKnown) == (1...25).map { $0 <= 20 })
            #expect(after.entries.allSatisfy { !$0.wasRead })
            #expect(after.entries.prefix(20).map(\.uid) == before.entries.map(\.uid))
            #expect(after.gaps.isEmpty && after.holes.isEmpty)
        }
    }

    @Test func `a copy with another name is read, and each entry that was read before may be a copy`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
            let session = JournalSession(folder)
            let before = session.readAll()
            #expect(before.entries.count == 20 && before.entries.allSatisfy { !$0.mayBeCopy })
            // One that another program wrote has another counter.
            for (file, counter) in [(2, 1), (3, 9)] as [(UInt64, UInt64)] {
                try FixedJournal.write("copy-\(file)", 11...25, file: file, in: folder, seqnumID: counter)
            }
            let after = session.readAll()
            let known = after.entries.filter { $0.seqnum <= 20 }
            #expect(known.count == 20 && known.allSatisfy { $0.mayBeCopy && !$0.mayBeKnown })
            #expect(Set(known.map(\.uid)) == Set(before.entries.suffix(10).map(\.uid)))
            // What was not read before comes twice: files that are read side by side are not compared.
            let new = after.entries.filter { $0.seqnum > 20 }
            #expect(new.count == 10 && new.allSatisfy { !$0.mayBeCopy && !$0.mayBeKnown })
            // Files of other users begin later.
            try FixedJournal.write("user-1000", 26...30, file: 4, in: folder)
            #expect(session.readAll().entries.allSatisfy { !$0.mayBeCopy && !$0.mayBeKnown })
        }
    }

    /// - Parameters:
    ///   - copies: the numbers of the copies of 11 to 16, of which 14 to 16 were not read in /run.
    ///   - next: that of the entry that comes next, 17.
    ///   - counter: of the files in /run; that of the others is 1.
    @Test(arguments: [(17...22, 23, 3), (9...14, 17, 3), (9...14, 17, 1)] as [(ClosedRange<UInt64>, UInt64, UInt64)])
    func `what was flushed while nobody read is read, and no number is missing`(
        copies: ClosedRange<UInt64>, next: UInt64, counter: UInt64
    ) async throws {
        try await withTemporaryFolder { folder in
            func write(
                _ name: String, _ entries: [(number: UInt64, time: UInt64)], file: UInt64, counter: UInt64 = 1
            ) throws {
                var builder = JournalFileBuilder(number: file, seqnumID: counter)
                for (number, time) in entries {
                    builder.add(
                        .init(
                            seqnum: number, realtimeMicroseconds: FixedJournal.start + time,
                            monotonicMicroseconds: time,
                            bootID: ID128(high: 5, low: 6),
                            fields: [FixedJournal.subsystem, "MESSAGE=\(time)"].map { Array($0.utf8) }))
                }
                try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
            }
            let system = [1, 2, 3, 4, 6, 7, 8].map { (number: $0 as UInt64, time: $0) }
            try write("system", system, file: 1)
            try write("user-1000", [(5, 5), (9, 9), (10, 10)], file: 2)
            try write("system@run", [(11, 11), (12, 12), (13, 13)], file: 3, counter: counter)
            let before = JournalSession(folder).readAll()
            #expect(before.messages == FixedJournal.messages(1...13) && before.holes.isEmpty)
            try FileManager.default.removeItem(at: folder.appending(path: "system@run.journal"))
            try write("system", system + zip(copies, 11...16).map { ($0, $1) } + [(next, 17), (next + 3, 18)], file: 1)
            let after = JournalSession(folder, from: ReadingState(before.progress)).readAll()
            #expect(after.messages == FixedJournal.messages(11...18) && after.gaps.isEmpty)
            // Those that have numbers of others are looked for as well.
            let known = counter == 1 ? 15 : 13
            #expect(after.entries.map(\.mayBeKnown) == (11...18).map { $0 <= known })
            #expect(after.holes.map(\.numbers) == [next + 1...next + 2])
        }
    }

    @Test func `a file that went and comes back is read again, and each entry may be known`() async throws {
        try await withTemporaryFolder { folder in
            let (path, aside) = (folder.appending(path: "system@1.journal"), folder.appending(path: "aside"))
            try FixedJournal.write("system@1", 1...20, file: 1, in: folder)
            try FixedJournal.write("system", 21...30, file: 2, in: folder)
            var state = ReadingState(JournalSession(folder).readAll().progress)
            try FileManager.default.moveItem(at: path, to: aside)
            let without = JournalSession(folder, from: state).readAll()
            #expect(without.entriesRead == 0 && without.gaps.isEmpty && without.holes.isEmpty)
            state.add(without.progress)
            #expect(state.files.count == 1)
            try FileManager.default.moveItem(at: aside, to: path)
            let back = JournalSession(folder, from: state).readAll()
            #expect(back.messages == FixedJournal.messages(1...20))
            #expect(back.entries.allSatisfy { $0.mayBeKnown && $0.wasRead })
        }
    }

    /// Five equal lines of one write, the last of which begins a file.
    private func writeEqual(isLastHalfWritten: Bool, in folder: URL) throws {
        var (full, next) = (JournalFileBuilder(number: 1), JournalFileBuilder(number: 2))
        func entry(_ number: UInt64) -> JournalFileBuilder.Entry {
            JournalFileBuilder.Entry(
                seqnum: number, realtimeMicroseconds: FixedJournal.start, monotonicMicroseconds: 7,
                bootID: ID128(high: 5, low: 6),
                fields: [FixedJournal.subsystem, "MESSAGE=same"].map { Array($0.utf8) })
        }
        for number in 1...4 as ClosedRange<UInt64> {
            full.add(entry(number), isLinked: number < 4 || !isLastHalfWritten)
        }
        next.add(entry(5))
        next.add(
            [FixedJournal.subsystem, "MESSAGE=other"].map { Array($0.utf8) }, seqnum: 6, at: FixedJournal.start + 1)
        try Data(full.bytes).write(to: folder.appending(path: "system@1.journal"))
        try Data(next.bytes).write(to: folder.appending(path: "system.journal"))
    }

    @Test(arguments: [1, 2, 100]) func `an entry that a full file has half is read once, equal ones each`(
        limit: Int
    ) async throws {
        for isLastHalfWritten in [false, true] {
            try await withTemporaryFolder { folder in
                try writeEqual(isLastHalfWritten: isLastHalfWritten, in: folder)
                let session = JournalSession(folder)
                var (found, ordinals, counts) = ([String](), [UInt32](), EntryCounts())
                for _ in 0..<10 {
                    let batch = session.read(BatchLimit(maximumEntriesRead: limit))
                    found += batch.messages
                    ordinals += batch.entries.map(\.ordinal)
                    counts.add(batch.progress.counts)
                    #expect(batch.gaps.isEmpty && batch.holes.isEmpty)
                }
                let equal = isLastHalfWritten ? 4 : 5
                #expect(found == Array(repeating: "same", count: equal) + ["other"])
                #expect(ordinals == (0..<UInt32(equal)).map { $0 } + [0])
                #expect(counts.duplicates == (isLastHalfWritten ? 1 : 0))
            }
        }
    }

    // MARK: Beginning

    @Test func `begun now, only what comes later is read, and older entries of files that come later are not`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
            let session = JournalSession(folder, start: .now, now: FixedJournal.start + 20)
            let first = session.readAll()
            // At that very microsecond it could be either.
            #expect(first.entriesRead == 1 && first.progress.startMicroseconds == FixedJournal.start + 20)
            try FixedJournal.write("late", 5...30, file: 2, in: folder, seqnumID: 9)
            #expect(session.readAll().messages == FixedJournal.messages(20...30))
            var state = ReadingState(first.progress)
            state.files = []
            #expect(JournalSession(folder, from: state).readAll().messages == ["20"] + FixedJournal.messages(20...30))
        }
    }

    /// - Parameter old: the number of entries that were there before.
    @Test(arguments: [0, 5] as [UInt64], [false, true])
    func `begun now by a clock that is set back then, what is written behind what was there is read`(
        old: UInt64, isRestarted: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let clock = Mutex(FixedJournal.start + 1_000_000)
            func session(from state: ReadingState?) -> JournalSession {
                JournalSession(folder, from: state, start: .now) { clock.withLock { $0 } }
            }
            if old > 0 { try FixedJournal.write("system", 1...old, file: 1, in: folder) }
            var reader = session(from: nil)
            let first = reader.readAll()
            #expect(first.entriesRead == 0 && first.progress.startMicroseconds == FixedJournal.start + 1_000_000)
            clock.withLock { $0 = FixedJournal.start + 10 }
            if isRestarted { reader = session(from: ReadingState(first.progress)) }
            try FixedJournal.write("system", 1...9, file: 1, in: folder)
            try FixedJournal.write("user-1000", 10...10, file: 2, in: folder)
            // Of files that come late, what is older than what was read by then is not read.
            try FixedJournal.write("late", 1...old + 1, file: 3, in: folder, seqnumID: 9)
            let second = reader.readAll()
            #expect(Set(second.messages) == Set((old + 1...10).map(String.init)))
            #expect(second.progress.startMicroseconds == (old > 0 ? FixedJournal.start + old + 1 : 0))
            #expect(second.holes.isEmpty && second.gaps.isEmpty)
            let third = reader.readAll()
            #expect(third.entriesRead == 0 && third.progress.startMicroseconds == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a clock that is set back while older entries are passed lets none of them be read`(isRestarted: Bool)
        async throws
    {
        try await withTemporaryFolder { folder in
            let clock = Mutex(FixedJournal.start + 1_000_000)
            func session(from state: ReadingState?) -> JournalSession {
                JournalSession(folder, from: state, start: .now) { clock.withLock { $0 } }
            }
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
            var reader = session(from: nil)
            let first = reader.read(BatchLimit(maximumEntriesRead: 5))
            #expect(first.entriesPassed == 5 && first.entriesRead == 0 && !first.reachedEnd)
            clock.withLock { $0 = FixedJournal.start + 100 }
            try FixedJournal.write("system", 1...25, file: 1, in: folder)
            if isRestarted { reader = session(from: ReadingState(first.progress)) }
            let second = reader.readAll()
            #expect(second.messages == FixedJournal.messages(21...25) && second.holes.isEmpty && second.gaps.isEmpty)
            #expect(second.progress.startMicroseconds == FixedJournal.start + 21)
        }
    }

    /// The clock was ahead at the first start, was set back, and is past that time again when the journal is read.
    @Test(arguments: [false, true])
    func `what is written to a file after reading it began is read, whatever its time`(isRestarted: Bool) async throws {
        try await withTemporaryFolder { folder in
            func session(from state: ReadingState?) -> JournalSession {
                JournalSession(folder, from: state, start: .now, now: FixedJournal.start + 1_000_000)
            }
            try FixedJournal.write("system", 1...5, file: 1, in: folder)
            var reader = session(from: nil)
            let first = reader.readAll()
            #expect(first.entriesRead == 0)
            if isRestarted { reader = session(from: ReadingState(first.progress)) }
            try FixedJournal.write("system", 1...9, file: 1, in: folder)
            #expect(reader.readAll().messages == ["6", "7", "8", "9"])
        }
    }

    @Test func `begun some time ago, what is younger is read`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", stride(from: 0, to: 100_000_000, by: 10_000_000), file: 1, in: folder)
            let now = FixedJournal.start + 100_000_000
            for (seconds, expected) in [(5, 0), (25, 2), (500, 10), (Int64.max, 10)] {
                let batch = JournalSession(folder, start: .ago(.seconds(seconds)), now: now).readAll()
                #expect(batch.entriesRead == expected)
            }
        }
    }

    /// The clock of a boot was wrong, or what one of several machines had kept back came late.
    @Test func `begun some time ago, what is younger is read, also before and behind older entries`() async throws {
        try await withTemporaryFolder { folder in
            let seconds: [UInt64] = [10, 20, 80, 81, 5, 6, 7, 8, 9, 10, 11, 85, 30, 86]
            var builder = JournalFileBuilder()
            for (index, second) in seconds.enumerated() {
                builder.add(
                    [FixedJournal.subsystem, "MESSAGE=\(second)"].map { Array($0.utf8) }, seqnum: UInt64(index) + 1,
                    at: FixedJournal.start + second * 1_000_000)
            }
            try Data(builder.bytes).write(to: folder.appending(path: "remote.journal"))
            let session = JournalSession(
                folder, start: .ago(.seconds(30)), now: FixedJournal.start + 100_000_000)
            let batch = session.readAll()
            #expect(batch.messages == ["80", "81", "85", "86"] && batch.entriesRead == 4)
            #expect(batch.gaps.isEmpty && batch.holes.isEmpty)

            let options = JournalOptions(
                location: .directory(folder.path), start: .oldest, maximumFieldBytes: 1 << 20)
            let state = ReadingState(JournalSession(folder).readAll().progress)
            for (since, expected) in [(50, batch.messages), (85, ["85", "86"])] as [(UInt64, [String])] {
                let audit = JournalAudit(
                    options: options, rules: [.subsystem("*")], state: state,
                    since: FixedJournal.start + since * 1_000_000)
                _ = await audit.begin()
                #expect(await audit.nextBatch()?.messages == expected)
            }
        }
    }

    @Test(arguments: [StartPoint.oldest, .now, .ago(.seconds(60))])
    func `an empty journal is read from its first entry on`(point: StartPoint) async throws {
        try await withTemporaryFolder { folder in
            let session = JournalSession(folder, start: point, now: 1_600_000_000_000_000)
            let nothing = session.readAll()
            #expect(nothing.entriesRead == 0 && nothing.reachedEnd)
            try FixedJournal.write("system", 1...8, file: 1, in: folder)
            #expect(session.readAll().entriesRead == 8)
        }
    }

    // MARK: How far it goes

    @Test func `how far the journal goes is reported, whatever times its headers have`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system@1", 1...20, file: 1, in: folder)
            try FixedJournal.write("system", 21...30, file: 2, in: folder)
            let session = JournalSession(folder, now: FixedJournal.start + 25)
            session.look()
            #expect(session.condition.unreadEntries == 30 && session.condition.health.readableFiles == 2)
            // Of times in the future nobody knows how they came to be.
            #expect(session.condition.newestMicroseconds == FixedJournal.start + 25)
            #expect(session.condition.oldestUnreadMicroseconds == FixedJournal.start + 1)
            _ = session.readAll()
            #expect(session.condition.unreadEntries == 0 && session.condition.oldestUnreadMicroseconds == nil)
        }
        try await withTemporaryFolder { folder in
            let session = JournalSession(folder)
            session.look()
            #expect(session.condition.newestMicroseconds == nil)
        }
    }
}
