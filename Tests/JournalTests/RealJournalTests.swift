import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

/// Against a real journald: what files of fixed content cannot show.
@Suite(
    .enabled(if: PrivateJournald.reasonToSkip == nil, "root and systemd-journald are needed"), .timeLimit(.minutes(2)))
struct RealJournalTests {
    private let subsystem = "com.example.real"

    private func session(_ journald: PrivateJournald, from state: ReadingState? = nil) -> JournalSession {
        JournalSession(.namespace(journald.namespace), rules: [.subsystem(subsystem)], from: state)
    }

    private func reader(_ journald: PrivateJournald) async -> JournalReader {
        await JournalReader(
            options: JournalOptions(
                location: .namespace(journald.namespace), start: .oldest, maximumFieldBytes: 1 << 20),
            rules: [.subsystem(subsystem)], from: nil)
    }

    /// Writes entries whose message is their number.
    private func write(_ numbers: ClosedRange<Int>, to journald: PrivateJournald) throws {
        for number in numbers { try journald.send(["SUBSYSTEM": subsystem, "MESSAGE": "\(number)"]) }
        try journald.sync()
    }

    @Test func `a namespace is read, and what journald added is there`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...3, to: journald)
            let batch = session(journald).readAll()
            #expect(batch.messages == ["1", "2", "3"])
            #expect(batch.entries.first?.pid == ProcessInfo.processInfo.processIdentifier)
            #expect(batch.entries.first?.origin[.processUID] == "0")
            let session = session(journald)
            session.look()
            #expect(session.condition.health.problems.isEmpty && session.condition.health.readableFiles == 1)
        }
    }

    @Test func `rotations while following lose and repeat nothing`() async throws {
        try await PrivateJournald.withOne { journald in
            let reader = await reader(journald)
            let last = 400
            async let written: Void = {
                for start in stride(from: 1, through: last, by: 20) {
                    try write(start...start + 19, to: journald)
                    try journald.rotate()
                }
            }()
            var messages: [String] = []
            while messages.count < last {
                let batch = await reader.nextBatch(limit: BatchLimit(maximumEntriesRead: 7), wait: .seconds(20))
                #expect(batch.gaps.isEmpty)
                if batch.entriesRead == 0 { break }
                messages += batch.messages
            }
            try await written
            #expect(messages == (1...last).map { "\($0)" })
        }
    }

    /// What is missing by gap records, and what journald wrote itself.
    private func missing(_ batch: EntryBatch) -> UInt64 {
        (batch.gaps + batch.holes).compactMap(\.count).reduce(0, +)
    }

    @Test func `vacuumed while down, what the files had promised is missing exactly, and the rest at most`()
        async throws
    {
        try await PrivateJournald.withOne { journald in
            try write(1...10, to: journald)
            let before = session(journald).read(BatchLimit(maximumEvents: 4))
            #expect(before.messages == ["1", "2", "3", "4"])
            var state = ReadingState(before.progress)
            try journald.rotate()
            try write(11...20, to: journald)
            try journald.rotate()
            try write(21...30, to: journald)
            try journald.vacuum()

            let after = session(journald, from: state).readAll()
            #expect(after.messages == (21...30).map { "\($0)" })
            #expect(after.gaps.map(\.cause) == [.deleted] && after.gaps.first?.certainty == .exact)
            #expect(try #require(after.gaps.first?.count) >= 6)
            #expect(after.holes.map(\.cause) == [.missing] && after.holes.first?.certainty == .atMost)
            let (first, last) = (try #require(after.gaps.first?.from), try #require(after.holes.first?.to))
            // journald may write of its own in between, all of which is gone as well.
            #expect(missing(after) == last.seqnum - first.seqnum - 1 && missing(after) >= 16)

            state.add(after.progress)
            let again = session(journald, from: state).readAll()
            #expect(again.entriesRead == 0 && again.gaps.isEmpty && again.progress.holes.isEmpty)
        }
    }

    @Test func `everything vacuumed, nothing new yet: what was promised is missing at once, the rest shows later`()
        async throws
    {
        try await PrivateJournald.withOne { journald in
            try write(1...10, to: journald)
            let whole = ReadingState(session(journald).readAll().progress)
            let some = ReadingState(session(journald).read(BatchLimit(maximumEvents: 4)).progress)
            try journald.rotate()
            try journald.vacuum()

            let sessions = [session(journald, from: whole), session(journald, from: some)]
            let promised = sessions.map { $0.readAll() }
            #expect(promised.flatMap(\.entries).isEmpty)
            // What journald writes at a rotation may be in neither.
            #expect(missing(promised[1]) >= missing(promised[0]) + 6)
            try write(11...12, to: journald)
            let rest = sessions.map { $0.readAll() }
            #expect(rest.map(\.messages) == [["11", "12"], ["11", "12"]])
            #expect(rest.flatMap(\.gaps).isEmpty && missing(rest[0]) == missing(rest[1]))
        }
    }

    @Test func `all files vacuumed while following neither stops nor repeats anything`() async throws {
        try await PrivateJournald.withOne { journald in
            let reader = await reader(journald)
            for round in 0..<5 {
                let numbers = round * 10 + 1...round * 10 + 10
                try write(numbers, to: journald)
                var messages: [String] = []
                while messages.count < 10 {
                    let batch = await reader.nextBatch(limit: BatchLimit(), wait: .seconds(20))
                    #expect(batch.gaps.isEmpty)
                    if batch.entriesRead == 0 { break }
                    messages += batch.messages
                }
                #expect(messages == numbers.map { "\($0)" })
                try journald.rotate()
                try journald.vacuum()
            }
        }
    }

    @Test func `vacuumed while running but behind, what is open is read to its end`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...10, to: journald)
            let session = session(journald)
            #expect(session.read(BatchLimit(maximumEvents: 4)).messages == ["1", "2", "3", "4"])
            try journald.rotate()
            try write(11...20, to: journald)
            try journald.vacuum()
            let batch = session.readAll()
            #expect(batch.messages == (5...20).map { "\($0)" })
            #expect(batch.gaps.isEmpty && batch.holes.isEmpty)
        }
    }

    @Test func `a file that is deleted by hand is read as long as journald writes to it`() async throws {
        try await PrivateJournald.withOne { journald in
            let session = session(journald)
            func read() throws -> [String] {
                try journald.sync()
                session.checkSoon()
                let batch = session.readAll()
                #expect(batch.gaps.isEmpty && batch.holes.isEmpty)
                return batch.messages
            }
            try write(1...10, to: journald)
            #expect(try read() == (1...10).map { "\($0)" })
            for name in try FileManager.default.contentsOfDirectory(atPath: journald.folder.path) {
                try FileManager.default.removeItem(at: journald.folder.appending(path: name))
            }
            for start in [11, 21, 31] {
                try write(start...start + 9, to: journald)
                #expect(try read() == (start...start + 9).map { "\($0)" })
            }
            // It makes another one, which has the name.
            try write(41...45, to: journald)
            try journald.rotate()
            try write(46...50, to: journald)
            #expect(try read() == (41...50).map { "\($0)" })
            _ = try read()
            #expect(session.condition.health.readableFiles == 1)
        }
    }

    @Test func `a killed and restarted reader gets every entry once`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...50, to: journald)
            var (state, messages) = (ReadingState?.none, [String]())
            while messages.count < 50 {
                let batch = session(journald, from: state).read(BatchLimit(maximumEntriesRead: 3))
                #expect(batch.gaps.isEmpty)
                if batch.entriesRead == 0 { break }
                messages += batch.messages
                state = state ?? ReadingState(startMicroseconds: 0)
                state?.add(batch.progress)
            }
            #expect(messages == (1...50).map { "\($0)" })
        }
    }

    @Test func `equal lines of one write are distinct`() async throws {
        try await PrivateJournald.withOne { journald in
            let lines = Array(repeating: "SUBSYSTEM=\(subsystem)\nMESSAGE=same\n", count: 5).joined(separator: "\n")
            try journald.send(datagram: Array(lines.utf8))
            try journald.sync()
            let batch = session(journald).readAll()
            #expect(batch.messages == Array(repeating: "same", count: 5))
            #expect(Set(batch.entries.map(\.monotonicMicroseconds)).count == 1)
            #expect(batch.entries.map(\.ordinal) == [0, 1, 2, 3, 4] && Set(batch.entries.map(\.uid)).count == 5)
            // The same for a reader that begins in the middle.
            var (state, uids) = (ReadingState?.none, [EventUID]())
            for _ in 0..<20 {
                let batch = session(journald, from: state).read(BatchLimit(maximumEntriesRead: 1))
                uids += batch.entries.map(\.uid)
                state = state ?? ReadingState(startMicroseconds: 0)
                state?.add(batch.progress)
            }
            #expect(uids == batch.entries.map(\.uid))
        }
    }

    @Test func `large, binary and repeated fields come through as they were sent`() async throws {
        try await PrivateJournald.withOne { journald in
            let large = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let binary: [UInt8] = [0, 0x0A, 0xFF, 0x0A, 0]
            try journald.send([("SUBSYSTEM", Array(subsystem.utf8)), ("MESSAGE", large)])
            try journald.send([("SUBSYSTEM", Array(subsystem.utf8)), ("MESSAGE", binary), ("MESSAGE", [0x41])])
            try journald.send([
                ("SUBSYSTEM", Array("other".utf8)), ("SUBSYSTEM", Array(subsystem.utf8)), ("MESSAGE", []),
            ])
            try journald.sync()
            let batch = session(journald).readAll()
            try #require(batch.entries.count == 3)
            #expect(batch.payload(batch.entries[0]) == Array(large.prefix(1 << 20)))
            #expect(batch.entries[0].flaws == .cut)
            #expect(batch.payload(batch.entries[1]) == binary)
            #expect(batch.entries.map(\.origin.subsystem) == [subsystem, subsystem, subsystem])
        }
    }

    @Test func `while it is polled, an entry comes without journald's notice`() async throws {
        try await PrivateJournald.withOne { journald in
            let reader = await reader(journald)
            reader.setPolling(true)
            var early = 0
            for number in 1...20 {
                let sent = ContinuousClock.now
                try journald.send(["SUBSYSTEM": subsystem, "MESSAGE": "\(number)"])
                var batch = EntryBatch()
                while batch.entries.isEmpty {
                    batch = await reader.nextBatch(limit: BatchLimit(), wait: .seconds(20))
                }
                #expect(batch.messages == ["\(number)"])
                if .now - sent < .milliseconds(200) { early += 1 }
            }
            // journald's notice comes after 250 ms.
            #expect(early > 10)
        }
    }
}
