import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

/// Journals of several files, one of which is damaged: what is read and what gap records count is what was written.
@Suite struct JournalDamageTests {
    enum Damage: String, CaseIterable, Sendable {
        case flippedBit, flippedHeaderBit, randomBytes, zeroedPage, truncation
    }

    /// A machine's files, whose entries are numbered by one counter: the system's, and those of a user from the second on.
    private struct Journal {
        static let lastNumber: UInt64 = 360
        var files: [(name: String, builder: JournalFileBuilder)] = [
            ("system@1", .init(number: 1)), ("system@2", .init(.init(compression: .zstd), number: 2)),
            ("system", .init(number: 3)), ("user-1000", .init(number: 4, seqnumID: 9)),
        ]

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            for number in 1...Self.lastNumber {
                let isUsers = number > 130 && number % 5 == 0
                let filler = String(repeating: "x", count: Int.random(in: 0...900, using: &generator))
                files[isUsers ? 3 : Int((number - 1) / 120)].builder.add(
                    ["SUBSYSTEM=s", "_PID=\(number % 9)", "MESSAGE=\(number) \(filler)"].map { Array($0.utf8) },
                    seqnum: number, at: 1_700_000_000_000_000 + number)
            }
        }

        func write(to folder: URL) throws {
            for (name, builder) in files {
                try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
            }
        }
    }

    private func damage(
        _ damage: Damage, _ file: (name: String, builder: JournalFileBuilder), in folder: URL,
        _ generator: inout SeededGenerator
    ) throws {
        var bytes = file.builder.bytes
        let header = JournalFileBuilder.headerBytes
        let place = Int.random(in: header..<bytes.count, using: &generator)
        switch damage {
        case .flippedBit: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case .flippedHeaderBit:
            bytes[Int.random(in: 0..<208, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case .randomBytes:
            for index in place..<min(bytes.count, place + Int.random(in: 1...500, using: &generator)) {
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
        case .zeroedPage: for index in place..<min(bytes.count, place + 4096) { bytes[index] = 0 }
        case .truncation: bytes.removeLast(bytes.count - place)
        }
        let path = folder.appending(path: "\(file.name).journal")
        try Data(bytes).write(to: path)
        try FileManager.default.age(path)
    }

    @Test(arguments: Damage.allCases)
    func `what is read and what is missing is what was written`(kind: Damage) async throws {
        try await withTemporaryFolder { folder in
            for seed in FuzzBudget.seeds(20) {
                var generator = SeededGenerator(seed: seed)
                let journal = Journal(seed: seed)
                try journal.write(to: folder)
                let file = journal.files[Int.random(in: 0..<4, using: &generator)]
                try damage(kind, file, in: folder, &generator)
                let session = JournalSession(folder)
                let batch = session.readAll()
                // A file that is no longer a journal is named; nothing else knows what it had.
                if !session.condition.health.problems.isEmpty { continue }
                let found = batch.messages.compactMap { $0.split(separator: " ").first.flatMap { UInt64($0) } }
                let damaged = batch.entries.count { $0.flaws.contains(.damaged) }
                let exact = batch.gaps.compactMap(\.count).reduce(0, +)
                let atMost = batch.holes.compactMap(\.count).reduce(0, +)
                let comment = Comment(
                    rawValue:
                        "seed \(seed), \(file.name): \(batch.entries.count) read, \(exact) lost, \(atMost) at most, "
                        + "\(batch.gaps.map(\.message))")
                // None twice, none that was not written.
                #expect(Set(found).count == found.count && found.allSatisfy { 1...Journal.lastNumber ~= $0 }, comment)
                #expect(batch.entries.count - damaged <= found.count, comment)
                let accounted = UInt64(batch.entries.count) + exact
                #expect(accounted <= Journal.lastNumber, comment)
                #expect(accounted + atMost >= Journal.lastNumber, comment)
            }
        }
    }

    @Test func `what damage around the last entry that was read has taken is reported`() async throws {
        try await withTemporaryFolder { folder in
            for seed in FuzzBudget.seeds(20) {
                var generator = SeededGenerator(seed: seed)
                let journal = Journal(seed: seed)
                try journal.write(to: folder)
                let most = Int.random(in: 1...400, using: &generator)
                let before = JournalSession(folder).read(BatchLimit(maximumEntriesRead: most))
                let state = ReadingState(before.progress)
                let position = try #require(state.files.filter { $0.last != nil }.randomElement(using: &generator))
                let file = try #require(journal.files.first { position.path.hasSuffix("/\($0.name).journal") })
                var bytes = file.builder.bytes
                let last = Int(try #require(position.last).offset)
                let start = max(JournalFileBuilder.headerBytes, last - Int.random(in: -100...400, using: &generator))
                let end = min(bytes.count, last + Int.random(in: 8...2000, using: &generator))
                for index in start..<max(start, end) { bytes[index] = 0 }
                let path = folder.appending(path: "\(file.name).journal")
                try Data(bytes).write(to: path)
                try FileManager.default.age(path)
                let session = JournalSession(folder, from: state)
                let after = session.readAll()
                #expect(session.condition.health.problems.isEmpty)
                let found = (before.messages + after.messages).compactMap { text in
                    text.split(separator: " ").first.flatMap { UInt64($0) }
                }
                let exact = after.gaps.compactMap(\.count).reduce(0, +)
                let atMost = after.holes.compactMap(\.count).reduce(0, +)
                let read = UInt64(before.entries.count + after.entries.count)
                let comment = Comment(
                    rawValue: "seed \(seed), \(file.name): \(before.entries.count) read before, "
                        + "\(after.entries.count) after, \(exact) lost, \(atMost) at most")
                #expect(Set(found).count == found.count, comment)
                #expect(read + exact + atMost >= Journal.lastNumber, comment)
            }
        }
    }

    @Test func `what was read and what is missing of a file that went is what was written`() async throws {
        try await withTemporaryFolder { folder in
            for seed in FuzzBudget.seeds(20) {
                var generator = SeededGenerator(seed: seed)
                let journal = Journal(seed: seed)
                try journal.write(to: folder)
                let most = Int.random(in: 1...400, using: &generator)
                let before = JournalSession(folder).read(BatchLimit(maximumEntriesRead: most))
                let file = journal.files[Int.random(in: 0..<4, using: &generator)].name
                try FileManager.default.removeItem(at: folder.appending(path: "\(file).journal"))
                let after = JournalSession(folder, from: ReadingState(before.progress)).readAll()
                let exact = after.gaps.compactMap(\.count).reduce(0, +)
                let comment = Comment(rawValue: "seed \(seed), \(file) after \(before.entries.count)")
                #expect(UInt64(before.entries.count + after.entries.count) + exact == Journal.lastNumber, comment)
                // All of it was promised: nothing is missing twice.
                #expect(after.holes.isEmpty && before.holes.isEmpty, comment)
            }
        }
    }
}
