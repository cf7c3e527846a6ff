import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

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
                #expect(extent.entries == 45 && extent.unread == 15)
                let batch = try #require(await audit.nextBatch())
                #expect(batch.messages == before.messages.suffix(expected) && batch.entriesPassed == 45 - expected)
                #expect(await audit.nextBatch() == nil)
                let holes = await audit.holes().map(\.numbers)
                #expect(holes.last == 221...300 && holes.count == (since == 0 ? 2 : 1))
                #expect(await audit.unreadable().isEmpty)
            }
        }
    }

    @Test func `what is missing of many boots is found, although few of them are remembered`() async throws {
        try await withTemporaryFolder { folder in
            let boots: UInt64 = 60
            for (file, numbers) in [(1, 1...boots * 5), (2, boots * 6 + 1...boots * 9)]
                as [(UInt64, ClosedRange<UInt64>)]
            {
                var builder = JournalFileBuilder(number: file, seqnumID: 1)
                for number in numbers {
                    builder.add(
                        JournalFileBuilder.Entry(
                            seqnum: number, realtimeMicroseconds: FixedJournal.start + number,
                            monotonicMicroseconds: number, bootID: ID128(high: 5, low: number % boots + 1),
                            fields: ["SUBSYSTEM=s", "MESSAGE=\(number)"].map { Array($0.utf8) }))
                }
                try Data(builder.bytes).write(to: folder.appending(path: "remote@\(file).journal"))
            }
            let state = ReadingState(JournalSession(folder).readAll().progress)
            func holes(_ chains: Int) async -> [JournalHole] {
                let options = JournalOptions(
                    location: .directory(folder.path), start: .oldest, maximumFieldBytes: 1 << 20,
                    maximumChains: chains)
                let audit = JournalAudit(options: options, rules: [.subsystem("*")], state: state, since: 0)
                _ = await audit.begin()
                while await audit.nextBatch() != nil {}
                return await audit.holes()
            }
            let all = await holes(4096)
            #expect(all.map(\.numbers) == [boots * 5 + 1...boots * 6])
            #expect(await holes(8) == all)
        }
    }
}
