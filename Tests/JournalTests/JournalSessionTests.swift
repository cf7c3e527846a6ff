import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

/// Where reading goes on, and what is missing, on journals with fixed content.
@Suite struct JournalSessionTests {
    private static let subsystem = "SUBSYSTEM=s"
    private let start: UInt64 = 1_700_000_000_000_000

    /// Writes a file of one machine, boot and counter, with an entry for each number, whose message is its number.
    private func write(
        _ name: String, _ numbers: some Sequence<UInt64>, file: UInt64, in folder: URL, seqnumID: UInt64 = 1
    ) throws {
        var builder = JournalFileBuilder(number: file, seqnumID: seqnumID)
        for number in numbers {
            builder.add(
                [Self.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }, seqnum: number,
                at: start + number % 1_000_000_000)
        }
        try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
    }

    private func messages(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

    /// The same of three machines in turns, as a collector writes into one file.
    private func writeMany(_ name: String, _ numbers: ClosedRange<UInt64>, file: UInt64, in folder: URL) throws {
        var builder = JournalFileBuilder(number: file, seqnumID: 1)
        var random = SeededGenerator(seed: file)
        for number in numbers {
            builder.add(
                JournalFileBuilder.Entry(
                    seqnum: number, realtimeMicroseconds: start + number, monotonicMicroseconds: number,
                    bootID: ID128(high: 5, low: UInt64.random(in: 1...3, using: &random)),
                    fields: [Self.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }))
        }
        try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
    }

    // MARK: Going on

    @Test(arguments: [7, 10_000])
    func `boots that take turns in one file leave no holes, but a file of theirs that is gone does`(
        batch: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            try writeMany("remote@1", 1...2000, file: 1, in: folder)
            try writeMany("remote@3", 2101...2300, file: 3, in: folder)
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
            // Each boot has its own last number before it, and its own first one behind it.
            #expect(holes.count == 3 && holes.allSatisfy { $0.contains(2001) && $0.contains(2100) && $0.count < 130 })
        }
    }

    @Test func `batches of one entry each, and a restart after each, give every entry once`() async throws {
        try await withTemporaryFolder { folder in
            try write("system@1", 1...20, file: 1, in: folder)
            try write("system", 21...40, file: 2, in: folder)
            try write("user-1000", [], file: 3, in: folder)
            var (found, state) = ([String](), ReadingState?.none)
            while true {
                let batch = JournalSession(folder, from: state).read(BatchLimit(maximumEntriesRead: 1))
                state = state ?? ReadingState(startMicroseconds: 0)
                state?.add(batch.progress)
                #expect(batch.gaps.isEmpty && batch.holes.isEmpty)
                if batch.entriesRead == 0 { break }
                found += batch.messages
            }
            #expect(found == messages(1...40))
        }
    }

    @Test func `what is read goes on although no rule takes anything, and is counted`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", 1...20, file: 1, in: folder)
            let batch = JournalSession(folder, rules: []).readAll()
            #expect(batch.entries.isEmpty && batch.entriesRead == 20 && batch.progress.counts.passed == 20)
            #expect(batch.lastRealtimeMicroseconds == start + 20)
            let again = JournalSession(folder, from: ReadingState(batch.progress)).readAll()
            #expect(again.entriesRead == 0)
        }
    }

    @Test func `after a change of rules the first match behind the position is not skipped`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", 1...3, file: 1, in: folder)
            let session = JournalSession(folder, rules: [.subsystem("other")])
            #expect(session.read(BatchLimit(maximumEntriesRead: 1)).entries.isEmpty)
            session.setRules([.subsystem("s")])
            #expect(session.readAll().messages == ["2", "3"])
        }
    }

    @Test func `a flush to another place under other numbers is read, and each entry may be known`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", 1...20, file: 1, in: folder, seqnumID: 1)
            let session = JournalSession(folder)
            let before = session.readAll()
            #expect(before.entries.count == 20 && before.entries.allSatisfy { !$0.mayBeKnown })
            try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            try write("system", 1...25, file: 2, in: folder, seqnumID: 2)
            let after = session.readAll()
            #expect(after.entries.map(\.mayBeKnown) == (1...25).map { $0 <= 20 })
            #expect(after.entries.prefix(20).map(\.uid) == before.entries.map(\.uid))
            #expect(after.gaps.isEmpty && after.holes.isEmpty)
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
                            seqnum: number, realtimeMicroseconds: start + time, monotonicMicroseconds: time,
                            bootID: ID128(high: 5, low: 6),
                            fields: [Self.subsystem, "MESSAGE=\(time)"].map { Array($0.utf8) }))
                }
                try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
            }
            let system = [1, 2, 3, 4, 6, 7, 8].map { (number: $0 as UInt64, time: $0) }
            try write("system", system, file: 1)
            try write("user-1000", [(5, 5), (9, 9), (10, 10)], file: 2)
            try write("system@run", [(11, 11), (12, 12), (13, 13)], file: 3, counter: counter)
            let before = JournalSession(folder).readAll()
            #expect(before.messages == messages(1...13) && before.holes.isEmpty)
            try FileManager.default.removeItem(at: folder.appending(path: "system@run.journal"))
            try write("system", system + zip(copies, 11...16).map { ($0, $1) } + [(next, 17), (next + 3, 18)], file: 1)
            let after = JournalSession(folder, from: ReadingState(before.progress)).readAll()
            #expect(after.messages == messages(11...18) && after.gaps.isEmpty)
            // Those that have numbers of others are looked for as well.
            let known = counter == 1 ? 15 : 13
            #expect(after.entries.map(\.mayBeKnown) == (11...18).map { $0 <= known })
            #expect(after.holes.map(\.numbers) == [next + 1...next + 2])
        }
    }

    @Test func `a file that went and comes back is read again, and each entry may be known`() async throws {
        try await withTemporaryFolder { folder in
            let (path, aside) = (folder.appending(path: "system@1.journal"), folder.appending(path: "aside"))
            try write("system@1", 1...20, file: 1, in: folder)
            try write("system", 21...30, file: 2, in: folder)
            var state = ReadingState(JournalSession(folder).readAll().progress)
            try FileManager.default.moveItem(at: path, to: aside)
            let without = JournalSession(folder, from: state).readAll()
            #expect(without.entriesRead == 0 && without.gaps.isEmpty && without.holes.isEmpty)
            state.add(without.progress)
            #expect(state.files.count == 1)
            try FileManager.default.moveItem(at: aside, to: path)
            let back = JournalSession(folder, from: state).readAll()
            #expect(back.messages == messages(1...20) && back.entries.allSatisfy(\.mayBeKnown))
        }
    }

    /// Five equal lines of one write, the last of which begins a file.
    private func writeEqual(isLastHalfWritten: Bool, in folder: URL) throws {
        var (full, next) = (JournalFileBuilder(number: 1), JournalFileBuilder(number: 2))
        func entry(_ number: UInt64) -> JournalFileBuilder.Entry {
            JournalFileBuilder.Entry(
                seqnum: number, realtimeMicroseconds: start, monotonicMicroseconds: 7, bootID: ID128(high: 5, low: 6),
                fields: [Self.subsystem, "MESSAGE=same"].map { Array($0.utf8) })
        }
        for number in 1...4 as ClosedRange<UInt64> {
            full.add(entry(number), isLinked: number < 4 || !isLastHalfWritten)
        }
        next.add(entry(5))
        next.add([Self.subsystem, "MESSAGE=other"].map { Array($0.utf8) }, seqnum: 6, at: start + 1)
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
            try write("system", 1...20, file: 1, in: folder)
            let session = JournalSession(folder, start: .now, now: start + 20)
            let first = session.readAll()
            // At that very microsecond it could be either.
            #expect(first.entriesRead == 1 && first.progress.startMicroseconds == start + 20)
            try write("late", 5...30, file: 2, in: folder, seqnumID: 9)
            #expect(session.readAll().messages == messages(20...30))
            var state = ReadingState(first.progress)
            state.files = []
            #expect(JournalSession(folder, from: state).readAll().messages == ["20"] + messages(20...30))
        }
    }

    @Test func `begun some time ago, what is younger is read`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", stride(from: 0, to: 100_000_000, by: 10_000_000), file: 1, in: folder)
            let now = start + 100_000_000
            for (seconds, expected) in [(5, 0), (25, 2), (500, 10), (Int64.max, 10)] {
                let batch = JournalSession(folder, start: .ago(.seconds(seconds)), now: now).readAll()
                #expect(batch.entriesRead == expected)
            }
        }
    }

    @Test(arguments: [StartPoint.oldest, .now, .ago(.seconds(60))])
    func `an empty journal is read from its first entry on`(point: StartPoint) async throws {
        try await withTemporaryFolder { folder in
            let session = JournalSession(folder, start: point, now: 1_600_000_000_000_000)
            let nothing = session.readAll()
            #expect(nothing.entriesRead == 0 && nothing.reachedEnd)
            try write("system", 1...8, file: 1, in: folder)
            #expect(session.readAll().entriesRead == 8)
        }
    }

    // MARK: What is missing

    @Test func `a file that nobody saw is missing, once, and no more when it comes`() async throws {
        try await withTemporaryFolder { folder in
            try write("system@1", 1...20, file: 1, in: folder)
            try write("system", 31...40, file: 3, in: folder)
            let session = JournalSession(folder)
            let batch = session.readAll()
            let gap = try #require(batch.holes.first)
            #expect(batch.holes.count == 1 && batch.gaps.isEmpty && batch.readUntilMicroseconds != nil)
            #expect(gap.cause == .missing && gap.certainty == .atMost && gap.count == 10 && gap.numbers == 21...30)
            #expect(gap.from?.seqnum == 20 && gap.to?.seqnum == 31 && gap.entryIndex == 20)
            #expect(session.readAll().progress.holes.isEmpty, "it is known")
            // Also to one that is started again.
            let again = JournalSession(folder, from: ReadingState(batch.progress)).readAll()
            #expect(again.holes.map(\.numbers) == [21...30])
            // A part of it comes, then all of it.
            try write("system@2", 21...25, file: 2, in: folder)
            let part = session.readAll()
            #expect(part.messages == messages(21...25) && part.holes.map(\.numbers) == [26...30])
            try write("system@2b", 26...30, file: 4, in: folder)
            let rest = session.readAll()
            #expect(rest.messages == messages(26...30))
            #expect(rest.progress.holes.count == 1 && rest.holes.isEmpty)
        }
    }

    @Test func `a file that was deleted while nobody read it is missing as far as its header promised`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", 1...20, file: 1, in: folder)
            let some = JournalSession(folder).read(BatchLimit(maximumEntriesRead: 4))
            try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            try write("system", 26...30, file: 2, in: folder)
            let batch = JournalSession(folder, from: ReadingState(some.progress)).readAll()
            #expect(batch.messages == messages(26...30))
            let gap = try #require(batch.gaps.first)
            #expect(batch.gaps.count == 1 && gap.cause == .deleted && gap.certainty == .exact && gap.count == 16)
            #expect(gap.from?.seqnum == 4)
            // What it may have had beyond that is not certain.
            #expect(batch.holes.map(\.numbers) == [21...25])
        }
    }

    @Test(arguments: [("system@1", false), ("system", true)])
    func `behind a file that went, one number is missing unless the file was known to be whole`(
        name: String, isMissing: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            try write(name, 1...10, file: 1, in: folder)
            let before = JournalSession(folder).readAll()
            try FileManager.default.removeItem(at: folder.appending(path: "\(name).journal"))
            try write("system", 12...20, file: 3, in: folder)
            let after = JournalSession(folder, from: ReadingState(before.progress)).readAll()
            #expect(after.messages == messages(12...20) && after.gaps.isEmpty)
            #expect(after.holes.map(\.numbers) == (isMissing ? [11...11] : []))
            #expect(after.holes.allSatisfy { $0.certainty == .atMost && $0.count == 1 })
            var state = ReadingState(before.progress)
            state.add(after.progress)
            let again = JournalSession(folder, from: state)
            #expect(again.readAll().holes.map(\.numbers) == (isMissing ? [11...11] : []))
            try write("system@2", 11...11, file: 2, in: folder)
            let late = again.readAll()
            #expect(late.messages == messages(11...11) && late.holes.isEmpty)
        }
    }

    @Test func `what is lost of one boot is no hole of another`() async throws {
        try await withTemporaryFolder { folder in
            func write(_ name: String, _ numbers: ClosedRange<UInt64>, file: UInt64) throws {
                var builder = JournalFileBuilder(number: file)
                for number in numbers {
                    builder.add(
                        .init(
                            seqnum: number, realtimeMicroseconds: start + number, monotonicMicroseconds: number,
                            bootID: ID128(high: 5, low: number <= 100 ? 1 : 2),
                            fields: [Self.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }))
                }
                var bytes = builder.bytes
                // One entry of the second file is none any more.
                if file == 2 { bytes[builder.places(of: .entry)[49].lowerBound] = 0 }
                try Data(bytes).write(to: folder.appending(path: "\(name).journal"))
            }
            try write("system@1", 1...100, file: 1)
            try write("system", 101...200, file: 2)
            let batch = JournalSession(folder).readAll()
            #expect(batch.entries.count == 199 && batch.gaps.map(\.count) == [1] && batch.holes.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `times that nothing can come after stop nothing`() async throws {
        try await withTemporaryFolder { folder in
            for file in [1, 2] as [UInt64] {
                var builder = JournalFileBuilder(number: file, seqnumID: file)
                for number in 1...3 as ClosedRange<UInt64> {
                    builder.add([Array(Self.subsystem.utf8)], seqnum: number, at: .max)
                }
                try Data(builder.bytes).write(to: folder.appending(path: "host\(file).journal"))
            }
            #expect(JournalSession(folder).readAll().entriesRead == 6)
        }
    }

    @Test func `beside a copy, the file that is written to is read`() async throws {
        try await withTemporaryFolder { folder in
            // As `cp system.journal system.journal~` makes one, whatever the folder gives first.
            let copies = ["system.journal~", "a.journal"]
            try write("system", 1...10, file: 1, in: folder)
            let session = JournalSession(folder)
            #expect(session.readAll().messages == messages(1...10))
            for copy in copies {
                try FileManager.default.copyItem(
                    at: folder.appending(path: "system.journal"), to: folder.appending(path: copy))
            }
            #expect(session.readAll().entriesRead == 0)
            try write("more", 1...20, file: 1, in: folder)
            let (old, new) = (folder.appending(path: "system.journal"), folder.appending(path: "more.journal"))
            try FileHandle(forWritingTo: old).write(contentsOf: Data(contentsOf: new))
            try FileManager.default.removeItem(at: new)
            #expect(session.readAll().messages == messages(11...20))
            // Also to one that sees them all for the first time.
            #expect(JournalSession(folder).readAll().messages == messages(1...20))
        }
    }

    @Test func `links to nothing and other strangers do not keep what is missing from being counted`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", 1...20, file: 1, in: folder)
            let some = JournalSession(folder).read(BatchLimit(maximumEntriesRead: 4))
            try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "link.journal").path, withDestinationPath: "/nothing")
            try Data(repeating: 7, count: 4096).write(to: folder.appending(path: "stranger.journal"))
            let session = JournalSession(folder, from: ReadingState(some.progress))
            #expect(session.readAll().gaps.map(\.count) == [16])
            #expect(session.condition.health.problems.count == 2)
        }
    }

    @Test func `numbers that no counter reaches stop nothing`() async throws {
        try await withTemporaryFolder { folder in
            try write("system@1", [1, 2, UInt64.max - 1, .max].map { $0 }, file: 1, in: folder)
            let session = JournalSession(folder)
            let some = session.read(BatchLimit(maximumEntriesRead: 3))
            #expect(some.entries.count == 3)
            var state = ReadingState(some.progress)
            state.files[0].last?.cursor.seqnum = .max
            try FileManager.default.removeItem(at: folder.appending(path: "system@1.journal"))
            let batch = JournalSession(folder, from: state).readAll()
            #expect(batch.gaps.map(\.count) == [1])
        }
    }

    @Test func `entries of a truncated file are missing, exactly, and no number is missing twice`() async throws {
        try await withTemporaryFolder { folder in
            try write("system@1", 1...60, file: 1, in: folder)
            try write("system", 61...70, file: 2, in: folder)
            let path = folder.appending(path: "system@1.journal").path
            let bytes = try Data(contentsOf: URL(filePath: path)).count
            try #require(truncate(path, off_t(bytes * 2 / 3)) == 0)
            let batch = JournalSession(folder).readAll()
            let lost = try #require(batch.gaps.first?.count)
            #expect(batch.gaps.count == 1 && batch.gaps[0].cause == .damaged && batch.gaps[0].part?.path == path)
            #expect(lost > 0 && batch.entries.count + Int(lost) == 70)
            #expect(batch.holes.isEmpty && batch.messages.suffix(10) == messages(61...70)[...])
        }
    }

    @Test func `a field that all entries share and that is damaged is one gap of all of them`() async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder(number: 1)
            for number in 1...50 { builder.add([Self.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }) }
            var bytes = builder.bytes
            let place = try #require(bytes.firstRange(of: Array(Self.subsystem.utf8)))
            bytes[place.lowerBound + 10] ^= 1
            try Data(bytes).write(to: folder.appending(path: "system.journal"))
            let batch = JournalSession(folder).readAll()
            #expect(batch.entries.isEmpty && batch.entriesRead == 50 && batch.progress.counts.passed == 0)
            #expect(batch.gaps.count == 1 && batch.gaps[0].count == 50 && batch.gaps[0].certainty == .exact)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `while a file may not be read, nothing is said to be missing`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try write("system@1", 1...20, file: 1, in: folder)
            try write("system@2", 21...30, file: 2, in: folder)
            try write("system", 31...40, file: 3, in: folder)
            // Root may read everything; a link that leads nowhere it may not.
            let (path, aside) = (folder.appending(path: "system@2.journal"), folder.appending(path: "aside"))
            try FileManager.default.moveItem(at: path, to: aside)
            try FileManager.default.createSymbolicLink(atPath: path.path, withDestinationPath: path.path)
            let session = JournalSession(folder)
            let batch = session.readAll()
            #expect(batch.entries.count == 30 && batch.holes.isEmpty && batch.readUntilMicroseconds != nil)
            #expect(session.condition.health.problems.map(\.path) == [path.path])
            try FileManager.default.removeItem(at: path)
            #expect(session.readAll().holes.map(\.numbers) == [21...30])
            try FileManager.default.moveItem(at: aside, to: path)
            let rest = session.readAll()
            #expect(rest.entries.count == 10 && rest.holes.isEmpty && rest.progress.holes.count == 1)
        }
    }

    @Test func `numbers that a user's files have are not missing from the system's`() async throws {
        try await withTemporaryFolder { folder in
            try write("system@1", 1...20, file: 1, in: folder)
            try write("user-1000", 21...30, file: 2, in: folder, seqnumID: 2)
            try write("system", 31...40, file: 3, in: folder)
            let batch = JournalSession(folder).readAll()
            #expect(batch.messages == messages(1...40) && batch.holes.isEmpty)
        }
    }

    // MARK: How far it goes

    @Test func `how far the journal goes is said, whatever times its headers have`() async throws {
        try await withTemporaryFolder { folder in
            try write("system@1", 1...20, file: 1, in: folder)
            try write("system", 21...30, file: 2, in: folder)
            let session = JournalSession(folder, now: start + 25)
            session.look()
            #expect(session.condition.unreadEntries == 30 && session.condition.health.readableFiles == 2)
            // Of times in the future nobody knows how they came to be.
            #expect(session.condition.newestMicroseconds == start + 25)
            #expect(session.condition.oldestUnreadMicroseconds == start + 1)
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

@Suite struct JournalAuditTests {
    @Test func `a journal is read once more as far as it was read before`() async throws {
        try await withTemporaryFolder { folder in
            for file in 1...3 as ClosedRange<UInt64> {
                var builder = JournalFileBuilder(number: file)
                for number in file * 100 + 1...file * 100 + 20 {
                    builder.add(
                        ["SUBSYSTEM=s", "MESSAGE=\(number)"].map { Array($0.utf8) }, seqnum: number,
                        at: 1_700_000_000_000_000 + number)
                }
                try Data(builder.bytes).write(to: folder.appending(path: "system@\(file).journal"))
            }
            let session = JournalSession(folder)
            let before = session.read(BatchLimit(maximumEntriesRead: 45))
            let options = JournalOptions(
                location: .directory(folder.path), start: .oldest, maximumFieldBytes: 1 << 20)
            for (since, expected) in [(UInt64(0), 45), (1_700_000_000_000_201, 25)] {
                let audit = JournalAudit(
                    options: options, rules: [.subsystem("*")], state: ReadingState(before.progress), since: since)
                let extent = await audit.begin()
                #expect(extent.entries == UInt64(expected) && extent.unread == 15)
                let batch = try #require(await audit.nextBatch())
                #expect(batch.messages == before.messages.suffix(expected))
                #expect(await audit.nextBatch() == nil)
                let holes = await audit.holes().map(\.numbers)
                #expect(holes.last == 221...300 && holes.count == (since == 0 ? 2 : 1))
                #expect(await audit.unreadable().isEmpty)
            }
        }
    }
}
