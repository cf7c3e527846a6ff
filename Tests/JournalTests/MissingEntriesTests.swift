import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

/// What of a journal is missing.
@Suite struct MissingEntriesTests {
    @Test func `a file that nobody saw is missing, once, and no more when it comes`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system@1", 1...20, file: 1, in: folder)
            try FixedJournal.write("system", 31...40, file: 3, in: folder)
            let session = JournalSession(folder)
            let batch = session.readAll()
            let gap = try #require(batch.holes.first)
            #expect(batch.holes.count == 1 && batch.gaps.isEmpty && batch.readUntilMicroseconds != nil)
            #expect(gap.cause == .missing && gap.certainty == .atMost && gap.count == 10 && gap.numbers == 21...30)
            #expect(gap.from?.seqnum == 20 && gap.to?.seqnum == 31 && gap.entryIndex == 20)
            #expect(session.readAll().progress.holes.isEmpty, "it is known")
            // Also to one that is started again.
            let again = JournalSession(folder, from: ReadingState(batch.progress)).readAll()
            #expect(again.progress.holes.isEmpty)
            // A part of it comes, then all of it.
            try FixedJournal.write("system@2", 21...25, file: 2, in: folder)
            let part = session.readAll()
            #expect(part.messages == FixedJournal.messages(21...25) && part.holes.map(\.numbers) == [26...30])
            try FixedJournal.write("system@2b", 26...30, file: 4, in: folder)
            let rest = session.readAll()
            #expect(rest.messages == FixedJournal.messages(26...30))
            #expect(rest.progress.holes.count == 1 && rest.holes.isEmpty)
        }
    }

    @Test func `a file that was deleted while nobody read it is missing as far as its header promised`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
            let some = JournalSession(folder).read(BatchLimit(maximumEntriesRead: 4))
            try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            try FixedJournal.write("system", 26...30, file: 2, in: folder)
            let batch = JournalSession(folder, from: ReadingState(some.progress)).readAll()
            #expect(batch.messages == FixedJournal.messages(26...30))
            let gap = try #require(batch.gaps.first)
            #expect(batch.gaps.count == 1 && gap.cause == .deleted && gap.certainty == .exact && gap.count == 16)
            #expect(gap.from?.seqnum == 4 && gap.part?.lastSeqnum == 20)
            // What it may have had beyond that is not certain.
            #expect(batch.holes.map(\.numbers) == [21...25])
        }
    }

    @Test(arguments: [("system@1", false), ("system", true)])
    func `behind a file that went, one number is missing unless the file was known to be whole`(
        name: String, isMissing: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write(name, 1...10, file: 1, in: folder)
            let before = JournalSession(folder).readAll()
            try FileManager.default.removeItem(at: folder.appending(path: "\(name).journal"))
            try FixedJournal.write("system", 12...20, file: 3, in: folder)
            let after = JournalSession(folder, from: ReadingState(before.progress)).readAll()
            #expect(after.messages == FixedJournal.messages(12...20) && after.gaps.isEmpty)
            #expect(after.holes.map(\.numbers) == (isMissing ? [11...11] : []))
            #expect(after.holes.allSatisfy { $0.certainty == .atMost && $0.count == 1 })
            var state = ReadingState(before.progress)
            state.add(after.progress)
            let again = JournalSession(folder, from: state)
            #expect(again.readAll().progress.holes.isEmpty)
            try FixedJournal.write("system@2", 11...11, file: 2, in: folder)
            let late = again.readAll()
            #expect(late.messages == FixedJournal.messages(11...11) && late.holes.isEmpty)
            #expect(late.progress.holes.count == (isMissing ? 1 : 0))
        }
    }

    /// Calls `body` with a journal whose numbers 11 to 20 are missing, and what is saved of it when its chains were forgotten.
    private func withForgottenBoot(_ body: (_ folder: URL, _ state: ReadingState) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system@1", 1...10, file: 1, in: folder)
            try FixedJournal.write("system", 21...30, file: 3, in: folder)
            let before = JournalSession(folder).readAll()
            #expect(before.holes.map(\.numbers) == [11...20])
            var state = ReadingState(before.progress)
            state.chains = [:]
            try await body(folder, state)
        }
    }

    @Test func `of a forgotten boot, what comes late is not missing any more, and the rest still is`() async throws {
        try await withForgottenBoot { folder, state in
            // Nothing new is known of the numbers that are missing.
            try FixedJournal.write("system@4", 31...40, file: 4, in: folder)
            let other = JournalSession(folder, from: state).readAll()
            #expect(other.messages == FixedJournal.messages(31...40) && other.progress.holes.isEmpty)
            try FileManager.default.removeItem(at: folder.appending(path: "system@4.journal"))

            let session = JournalSession(folder, from: state)
            try FixedJournal.write("system@2", 11...15, file: 2, in: folder)
            #expect(session.readAll().holes.map(\.numbers) == [16...20])
            try FixedJournal.write("system@2b", 16...20, file: 5, in: folder)
            let rest = session.readAll()
            #expect(rest.progress.holes.count == 1 && rest.holes.isEmpty)
        }
    }

    @Test func `what a forgotten counter misses is not found by another that reaches its numbers`() async throws {
        try await withForgottenBoot { folder, state in
            let numbers: [UInt64] = [5, 6, 25, 26]
            try FixedJournal.write("user-1000", numbers, file: 4, in: folder, seqnumID: 9)
            let session = JournalSession(folder, from: state)
            let batch = session.readAll()
            #expect(batch.entries.count == 4 && batch.progress.holes.isEmpty)
            try FixedJournal.write("system@2", 11...20, file: 2, in: folder)
            let late = session.readAll()
            #expect(late.entries.count == 10 && late.progress.holes.count == 1 && late.holes.isEmpty)
        }
    }

    @Test func `what is lost of one boot is no hole of another`() async throws {
        try await withTemporaryFolder { folder in
            func write(_ name: String, _ numbers: ClosedRange<UInt64>, file: UInt64) throws {
                var builder = JournalFileBuilder(number: file)
                for number in numbers {
                    builder.add(
                        .init(
                            seqnum: number, realtimeMicroseconds: FixedJournal.start + number,
                            monotonicMicroseconds: number,
                            bootID: ID128(high: 5, low: number <= 100 ? 1 : 2),
                            fields: [FixedJournal.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }))
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
                    builder.add([Array(FixedJournal.subsystem.utf8)], seqnum: number, at: .max)
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
            try FixedJournal.write("system", 1...10, file: 1, in: folder)
            let session = JournalSession(folder)
            #expect(session.readAll().messages == FixedJournal.messages(1...10))
            for copy in copies {
                try FileManager.default.copyItem(
                    at: folder.appending(path: "system.journal"), to: folder.appending(path: copy))
            }
            #expect(session.readAll().entriesRead == 0)
            try FixedJournal.write("more", 1...20, file: 1, in: folder)
            let (old, new) = (folder.appending(path: "system.journal"), folder.appending(path: "more.journal"))
            try FileHandle(forWritingTo: old).write(contentsOf: Data(contentsOf: new))
            try FileManager.default.removeItem(at: new)
            #expect(session.readAll().messages == FixedJournal.messages(11...20))
            // Also to one that sees them all for the first time.
            #expect(JournalSession(folder).readAll().messages == FixedJournal.messages(1...20))
        }
    }

    @Test func `links to nothing and other strangers do not keep what is missing from being counted`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
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
            try FixedJournal.write("system@1", [1, 2, UInt64.max - 1, .max].map { $0 }, file: 1, in: folder)
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
            try FixedJournal.write("system@1", 1...60, file: 1, in: folder)
            try FixedJournal.write("system", 61...70, file: 2, in: folder)
            let path = folder.appending(path: "system@1.journal").path
            let bytes = try Data(contentsOf: URL(filePath: path)).count
            try #require(truncate(path, off_t(bytes * 2 / 3)) == 0)
            try FileManager.default.age(URL(filePath: path))
            let batch = JournalSession(folder).readAll()
            let lost = try #require(batch.gaps.first?.count)
            #expect(batch.gaps.count == 1 && batch.gaps[0].cause == .damaged && batch.gaps[0].part?.path == path)
            #expect(lost > 0 && batch.entries.count + Int(lost) == 70)
            #expect(batch.holes.isEmpty && batch.messages.suffix(10) == FixedJournal.messages(61...70)[...])
        }
    }

    @Test func `a field that all entries share and that is damaged is one gap of all of them`() async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder(number: 1)
            for number in 1...50 { builder.add([FixedJournal.subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }) }
            var bytes = builder.bytes
            let place = try #require(bytes.firstRange(of: Array(FixedJournal.subsystem.utf8)))
            bytes[place.lowerBound + 10] ^= 1
            try Data(bytes).write(to: folder.appending(path: "system.journal"))
            let batch = JournalSession(folder).readAll()
            #expect(batch.entries.isEmpty && batch.entriesRead == 50 && batch.progress.counts.skipped == 0)
            #expect(batch.gaps.count == 1 && batch.gaps[0].count == 50 && batch.gaps[0].certainty == .exact)
        }
    }

    @Test func `while a file may not be read, nothing is reported as missing`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system@1", 1...20, file: 1, in: folder)
            try FixedJournal.write("system@2", 21...30, file: 2, in: folder)
            try FixedJournal.write("system", 31...40, file: 3, in: folder)
            // Root may read everything, but no link that leads to itself.
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
            try FixedJournal.write("system@1", 1...20, file: 1, in: folder)
            try FixedJournal.write("user-1000", 21...30, file: 2, in: folder, seqnumID: 2)
            try FixedJournal.write("system", 31...40, file: 3, in: folder)
            let batch = JournalSession(folder).readAll()
            #expect(batch.messages == FixedJournal.messages(1...40) && batch.holes.isEmpty)
        }
    }
}
