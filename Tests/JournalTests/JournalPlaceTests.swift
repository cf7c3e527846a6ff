import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

/// Where reading goes on, on journals with fixed content.
@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"))
struct JournalPlaceTests {
    private func withJournal(_ names: [String], _ body: (URL) throws -> Void) async throws {
        try await JournalFixture.withJournal(of: names.map { try fixture($0) }) { try body($0) }
    }

    @Test func `several files and boots are read in order`() async throws {
        try await withJournal(["next-boot.txt", "shop.txt"]) { folder in
            let batch = try JournalSession(folder).readAll()
            #expect(batch.entriesRead == 10)
            #expect(batch.messages.suffix(2) == ["second boot, first", "second boot, second"])
            #expect(batch.gaps.isEmpty)
        }
    }

    @Test func `reading goes on behind the position, wherever it is`() async throws {
        try await withJournal(["shop.txt", "next-boot.txt"]) { folder in
            let all = try cursors(in: folder)
            for (index, position) in all.enumerated() {
                let batch = try JournalSession(folder, after: position).readAll()
                #expect(batch.entriesRead == all.count - index - 1)
                #expect(batch.gaps.isEmpty)
                #expect(batch.position == (index == all.count - 1 ? nil : all.last))
            }
        }
    }

    @Test func `batches of one entry each give every entry once`() async throws {
        try await withJournal(["shop.txt", "next-boot.txt"]) { folder in
            let whole = try JournalSession(folder).readAll()
            var messages: [String] = []
            var position: JournalCursor?
            while true {
                // Each entry by a session of its own, as if it were restarted every time.
                let batch = try JournalSession(folder, after: position).read(BatchLimit(maximumEntriesRead: 1))
                if batch.entriesRead == 0 { break }
                messages += batch.messages
                position = batch.position
            }
            #expect(messages == whole.messages)
        }
    }

    @Test func `a position moves on although no rule takes anything`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let batch = try JournalSession(folder, rules: []).readAll()
            #expect(batch.entries.isEmpty)
            let last = try cursors(in: folder).last
            #expect(batch.position == last)
        }
    }

    @Test func `after a change of rules the first match behind the position is not skipped`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let session = JournalSession(folder, rules: [.subsystem("com.example.shop", category: "ActivityLog")])
            #expect(try session.read(BatchLimit(maximumEntriesRead: 1)).entries.count == 1)
            session.setRules([.subsystem("com.example.cart")])
            #expect(try session.readAll().entries.map(\.origin.subsystem) == ["com.example.cart"])

            let first = try cursors(in: folder)[0]
            let restarted = JournalSession(folder, rules: [.subsystem("com.example.cart")], after: first)
            #expect(try restarted.readAll().entries.map(\.origin.subsystem) == ["com.example.cart"])
        }
    }

    @Test func `a renumbered journal is read on behind the same entry`() async throws {
        try await withJournal(["shop.txt"]) { old in
            let positions = try cursors(in: old)
            try write("shop.txt", to: old)
            let renumbered = try cursors(in: old)
            #expect(renumbered[0].seqnumID != positions[0].seqnumID)
            for index in positions.indices {
                let batch = try JournalSession(old, after: positions[index]).readAll()
                #expect(batch.entriesRead == positions.count - index - 1)
                #expect(batch.gaps.isEmpty)
            }
        }

        func write(_ name: String, to folder: URL) throws {
            try FileManager.default.removeItem(at: folder.appending(path: "1.journal"))
            try JournalFixture.write(try fixture(name), to: folder.appending(path: "1.journal"))
        }
    }

    @Test func `a position gone from a renumbered journal goes on by the boot's clock, with a gap`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let all = try cursors(in: folder)
            var position = all[2]
            position.seqnumID = ID128(high: 1, low: 2)
            position.xorHash = 0
            let batch = try JournalSession(folder, after: position).readAll()
            #expect(batch.gaps.map(\.cause) == [.renumbered])
            #expect(batch.gaps[0].from == position)
            #expect(batch.gaps[0].to == all[2])
            // The entry at the same time is another one now: it is read.
            #expect(batch.entriesRead == all.count - 2)
        }
    }

    @Test func `a position of another boot and numbering goes on by the clock, five seconds early`() async throws {
        try await withJournal(["shop.txt", "next-boot.txt"]) { folder in
            let all = try cursors(in: folder)
            let position = JournalCursor(
                seqnumID: ID128(high: 1, low: 2), seqnum: 99, bootID: ID128(high: 3, low: 4), monotonicMicroseconds: 5,
                realtimeMicroseconds: all[8].realtimeMicroseconds - 4_000_000, xorHash: 6)
            let batch = try JournalSession(folder, after: position).readAll()
            #expect(batch.entriesRead == 2)
            #expect(batch.gaps.map(\.cause) == [.renumbered])

            var early = position
            early.realtimeMicroseconds = all[3].realtimeMicroseconds
            #expect(try JournalSession(folder, after: early).readAll().entriesRead == all.count)
        }
    }

    @Test func `a cursor older than the journal starts at the oldest entry`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let position = JournalCursor(
                seqnumID: ID128(high: 1, low: 2), seqnum: 99, bootID: ID128(high: 3, low: 4), monotonicMicroseconds: 5,
                realtimeMicroseconds: 6, xorHash: 7)
            let batch = try JournalSession(folder, after: position).readAll()
            #expect(batch.entriesRead == 8)
            #expect(batch.gaps.map(\.cause) == [.renumbered])
            let oldest = try cursors(in: folder)[0]
            #expect(batch.gaps[0].to == oldest)
        }
    }

    @Test func `of a cursor from the future the journal's own numbering tells what was read`() async throws {
        try await withJournal(["shop.txt", "next-boot.txt"]) { folder in
            let all = try cursors(in: folder)
            // Everything up to all[7] has this numbering and a lower number, what follows is of another file.
            var position = all[7]
            position.seqnum += 1000
            position.bootID = ID128(high: 3, low: 4)
            position.realtimeMicroseconds = all[9].realtimeMicroseconds + 86_400_000_000
            let batch = try JournalSession(folder, after: position).readAll()
            #expect(batch.messages == ["second boot, first", "second boot, second"])
            #expect(batch.gaps.map(\.cause) == [.renumbered])
            #expect(batch.gaps[0].from == position)

            let again = try JournalSession(folder, after: batch.position).readAll()
            #expect(again.entriesRead == 0 && again.gaps.isEmpty)
        }
    }

    @Test func `a cursor from the future of a journal that was replaced reads all of it, once`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let position = JournalCursor(
                seqnumID: ID128(high: 1, low: 2), seqnum: 99, bootID: ID128(high: 3, low: 4), monotonicMicroseconds: 5,
                realtimeMicroseconds: 1_800_000_000_000_000, xorHash: 7)
            let session = JournalSession(folder, after: position)
            let batch = try session.readAll()
            #expect(batch.entriesRead == 8)
            #expect(batch.gaps.map(\.cause) == [.renumbered])
            #expect(try session.readAll().entriesRead == 0)
            #expect(try JournalSession(folder, after: batch.position).readAll().gaps.isEmpty)
        }
    }

    @Test func `a newest entry that alone is gone leaves no gap, and the next number none either`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            var position = try #require(try cursors(in: folder).last)
            position.seqnum += 1
            position.monotonicMicroseconds += 1
            position.realtimeMicroseconds += 1
            let session = JournalSession(folder, after: position)
            let nothing = try session.readAll()
            #expect(nothing.entriesRead == 0 && nothing.gaps.isEmpty && nothing.position == nil)
        }
    }

    @Test(arguments: [(10, nil), (11, 1), (15, 5)] as [(UInt64, UInt64?)])
    func `what the sequence numbers miss is counted`(next: UInt64, missing: UInt64?) {
        let position = JournalCursor(
            seqnumID: ID128(high: 1, low: 2), seqnum: 9, bootID: ID128(high: 3, low: 4), monotonicMicroseconds: 5,
            realtimeMicroseconds: 6, xorHash: 7)
        var entry = position
        entry.seqnum = next
        let gap = Gap.behind(position, first: entry, numbered: entry, now: 8)
        #expect(gap?.count == missing)
        #expect(gap?.cause == missing.map { _ in .vacuumed })
    }

    // MARK: Without a position

    @Test func `started now, only what comes later is read, and the position is known at once`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let session = JournalSession(folder, start: .now)
            let batch = try session.readAll()
            #expect(batch.entriesRead == 0)
            let last = try cursors(in: folder).last
            #expect(batch.position == last)
            try JournalFixture.write(try fixture("next-boot.txt"), to: folder.appending(path: "2.journal"))
            #expect(try session.readAll().entriesRead == 2)
        }
    }

    @Test func `started some time ago, what is younger is read`() async throws {
        try await withJournal(["shop.txt", "next-boot.txt"]) { folder in
            let now: UInt64 = 1_700_000_100_000_005
            for (seconds, expected) in [(50, 2), (500, 10), (Int64.max, 10)] {
                let batch = try JournalSession(folder, start: .ago(.seconds(seconds)), now: now).readAll()
                #expect(batch.entriesRead == expected)
            }
        }
    }

    @Test(arguments: [StartPoint.oldest, .now, .ago(.seconds(60))])
    func `an empty journal is read from its first entry on`(start: StartPoint) async throws {
        try await withTemporaryFolder { folder in
            let session = JournalSession(folder, start: start, now: 1_600_000_000_000_000)
            let nothing = try session.readAll()
            #expect(nothing.entriesRead == 0 && nothing.position == nil && nothing.reachedEnd)
            try JournalFixture.write(try fixture("shop.txt"), to: folder.appending(path: "1.journal"))
            #expect(try session.readAll().entriesRead == 8)
        }
    }

    @Test func `an empty journal keeps the position until it can be judged`() async throws {
        try await withJournal(["shop.txt"]) { folder in
            let all = try cursors(in: folder)
            let file = folder.appending(path: "1.journal")
            let aside = folder.appending(path: "1.aside")
            try FileManager.default.moveItem(at: file, to: aside)
            let session = JournalSession(folder, after: all[4])
            #expect(try session.readAll().entriesRead == 0)
            try FileManager.default.moveItem(at: aside, to: file)
            let batch = try session.readAll()
            #expect(batch.entriesRead == all.count - 5)
            #expect(batch.gaps.isEmpty)
        }
    }
}
