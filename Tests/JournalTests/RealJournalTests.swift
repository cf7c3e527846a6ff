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

    private func session(_ journald: PrivateJournald, after position: JournalCursor? = nil) -> JournalSession {
        JournalSession(.namespace(journald.namespace), rules: [.subsystem(subsystem)], after: position)
    }

    private func reader(_ journald: PrivateJournald) async throws -> JournalReader {
        try await JournalReader(
            options: JournalOptions(
                location: .namespace(journald.namespace), start: .oldest, maximumFieldBytes: 1 << 20),
            rules: [.subsystem(subsystem)], resumeAfter: nil)
    }

    /// Writes entries whose message is their number.
    private func write(_ numbers: ClosedRange<Int>, to journald: PrivateJournald) throws {
        for number in numbers { try journald.send(["SUBSYSTEM": subsystem, "MESSAGE": "\(number)"]) }
        try journald.sync()
    }

    @Test func `a namespace is read, and what journald added is there`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...3, to: journald)
            let batch = try session(journald).readAll()
            #expect(batch.messages == ["1", "2", "3"])
            #expect(batch.entries.first?.pid == ProcessInfo.processInfo.processIdentifier)
            #expect(batch.entries.first?.origin.processUID == 0)
            let health = session(journald).health()
            #expect(health.problems.isEmpty && health.readableFiles == 1)
        }
    }

    @Test func `rotations while following lose and repeat nothing`() async throws {
        try await PrivateJournald.withOne { journald in
            let reader = try await reader(journald)
            let last = 400
            async let written: Void = {
                for start in stride(from: 1, through: last, by: 20) {
                    try write(start...start + 19, to: journald)
                    try journald.rotate()
                }
            }()
            var messages: [String] = []
            while messages.count < last {
                let batch = try await reader.nextBatch(limit: BatchLimit(maximumEntriesRead: 7), wait: .seconds(20))
                #expect(batch.gaps.isEmpty)
                if batch.entriesRead == 0 { break }
                messages += batch.messages
            }
            try await written
            #expect(messages == (1...last).map { "\($0)" })
        }
    }

    @Test func `vacuumed while down, it goes on at the oldest entry, with one gap that has both ends`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...10, to: journald)
            let before = try session(journald).read(BatchLimit(maximumEvents: 4))
            #expect(before.messages == ["1", "2", "3", "4"])
            let position = try #require(before.position)
            try journald.rotate()
            try write(11...20, to: journald)
            try journald.rotate()
            try write(21...30, to: journald)
            try journald.vacuum()

            let after = try session(journald, after: position).readAll()
            #expect(after.messages == (21...30).map { "\($0)" })
            let gap = try #require(after.gaps.first)
            #expect(after.gaps.count == 1 && gap.cause == .vacuumed && gap.entryIndex == 0)
            #expect(gap.from == position)
            let first = try #require(gap.to)
            #expect(gap.count == first.seqnum - position.seqnum - 1)
            #expect(try #require(gap.count) >= 16)

            let again = try session(journald, after: after.position).readAll()
            #expect(again.entriesRead == 0 && again.gaps.isEmpty)
        }
    }

    @Test func `everything vacuumed, nothing new yet: the first entry to come shows what is missing`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...10, to: journald)
            let whole = try session(journald).readAll()
            let early = try session(journald).read(BatchLimit(maximumEvents: 4)).position
            try journald.rotate()
            try journald.vacuum()

            let behindAll = session(journald, after: whole.position)
            let behindSome = session(journald, after: early)
            // journald itself may write to the new file, or not.
            var complete = try [behindAll.readAll(), behindAll.readAll()]
            var incomplete = try [behindSome.readAll(), behindSome.readAll()]
            #expect(complete.flatMap(\.entries).isEmpty && incomplete.flatMap(\.entries).isEmpty)
            try write(11...12, to: journald)
            complete.append(try behindAll.readAll())
            incomplete.append(try behindSome.readAll())
            #expect(complete.last?.messages == ["11", "12"])
            #expect(incomplete.last?.messages == ["11", "12"])
            let unread = complete.flatMap(\.gaps).compactMap(\.count).reduce(0, +)
            let missed = incomplete.flatMap(\.gaps).compactMap(\.count).reduce(0, +)
            #expect(missed >= unread + 6)
            #expect(incomplete.flatMap(\.gaps).map(\.cause) == [.vacuumed])
        }
    }

    @Test func `all files vacuumed while following neither stops nor repeats anything`() async throws {
        try await PrivateJournald.withOne { journald in
            let reader = try await reader(journald)
            for round in 0..<5 {
                let numbers = round * 10 + 1...round * 10 + 10
                try write(numbers, to: journald)
                var messages: [String] = []
                while messages.count < 10 {
                    let batch = try await reader.nextBatch(limit: BatchLimit(), wait: .seconds(20))
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

    @Test func `vacuumed while running but behind, what is missing is a gap`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...10, to: journald)
            let session = session(journald)
            #expect(try session.read(BatchLimit(maximumEvents: 4)).messages == ["1", "2", "3", "4"])
            try journald.rotate()
            try write(11...20, to: journald)
            try journald.vacuum()
            let batch = try session.readAll()
            #expect(batch.messages == (11...20).map { "\($0)" })
            #expect(batch.gaps.map(\.cause) == [.vacuumed])
            #expect(try #require(batch.gaps.first?.count) >= 6)
        }
    }

    @Test func `a killed and restarted reader gets every entry once`() async throws {
        try await PrivateJournald.withOne { journald in
            try write(1...50, to: journald)
            var position: JournalCursor?
            var messages: [String] = []
            while messages.count < 50 {
                let batch = try session(journald, after: position).read(BatchLimit(maximumEntriesRead: 3))
                #expect(batch.gaps.isEmpty)
                guard let last = batch.position else { break }
                messages += batch.messages
                position = last
            }
            #expect(messages == (1...50).map { "\($0)" })
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
            let batch = try session(journald).readAll()
            try #require(batch.entries.count == 3)
            #expect(batch.payload(batch.entries[0]) == Array(large.prefix(1 << 20)))
            #expect(batch.entries[0].flaws == .cut)
            #expect(batch.payload(batch.entries[1]) == binary)
            #expect(batch.entries.map(\.origin.subsystem) == [subsystem, subsystem, subsystem])
        }
    }

    @Test func `while it is polled, an entry comes without journald's notice`() async throws {
        try await PrivateJournald.withOne { journald in
            let reader = try await reader(journald)
            reader.setPolling(true)
            for number in 1...20 {
                try journald.send(["SUBSYSTEM": subsystem, "MESSAGE": "\(number)"])
                var batch = EntryBatch()
                while batch.entries.isEmpty {
                    batch = try await reader.nextBatch(limit: BatchLimit(), wait: .seconds(20))
                }
                #expect(batch.messages == ["\(number)"])
            }
        }
    }
}
