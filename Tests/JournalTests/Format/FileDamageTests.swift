import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

@Suite struct FileDamageTests {
    @Test(arguments: ObjectHead.Kind.allCases, [false, true])
    func `one flipped bit costs one entry at most`(kind: ObjectHead.Kind, isCompact: Bool) throws {
        var options = JournalFileBuilder.Options(compression: .zstd)
        options.isCompact = isCompact
        let builder = JournalFileBuilder.random(options, seed: 11, entries: 60)
        let places = builder.places(of: kind)
        try #require(!places.isEmpty || kind == .field || kind == .tag)
        guard !places.isEmpty else { return }
        let written = Dictionary(uniqueKeysWithValues: builder.entries.map { ($0.seqnum, $0) })
        var generator = SeededGenerator(seed: UInt64(kind.rawValue))
        for trial in 0..<80 {
            let place = places[Int.random(in: 0..<places.count, using: &generator)]
            // Half of them in its head.
            let range = trial % 2 == 0 ? place.prefix(16) : place
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
            let byte = Int.random(in: range, using: &generator)
            var bytes = builder.bytes
            bytes[byte] ^= bit
            let contents = try FileContents(bytes)
            let whole = contents.entries.count { entry in written[entry.seqnum] == entry }
            // A shared field is missing in every entry that has it, and is reported as damaged each time.
            let touched = contents.entries.count - whole
            #expect(UInt64(contents.entries.count) + contents.lostEntries == 60, "byte \(byte), bit \(bit)")
            #expect(contents.lostEntries <= 1, "byte \(byte), bit \(bit)")
            #expect(touched <= max(1, contents.damagedFields.count), "byte \(byte), bit \(bit)")
        }
    }

    @Test func `whatever is in a file, reading it ends, and nothing is invented`() throws {
        for seed in UInt64(1)...60 {
            var generator = SeededGenerator(seed: seed)
            let options = JournalFileBuilder.Options.all[Int(seed) % JournalFileBuilder.Options.all.count]
            let builder = JournalFileBuilder.random(options, seed: seed, entries: 30)
            var bytes = builder.bytes
            switch seed % 4 {
            case 0: bytes.removeLast(Int.random(in: 1..<bytes.count - FileHeader.maximumBytes, using: &generator))
            case 1:
                let start = Int.random(in: FileHeader.maximumBytes..<bytes.count - 4096, using: &generator)
                bytes.replaceSubrange(start..<start + 4096, with: [UInt8](repeating: 0, count: 4096))
            case 2:
                for _ in 0..<200 {
                    bytes[Int.random(in: FileHeader.maximumBytes..<bytes.count, using: &generator)] =
                        UInt8.random(in: 0...255, using: &generator)
                }
            default:
                for _ in 0..<3 { bytes[Int.random(in: 88..<200, using: &generator)] ^= 0x40 }
            }
            guard let contents = try? FileContents(bytes) else { continue }
            #expect(contents.entries.count <= 30 || seed % 4 >= 2, "seed \(seed)")
            // Each field has its hash: what is read was written.
            let written = Set(builder.entries.flatMap(\.fields))
            let invented = contents.entries.flatMap(\.fields).filter { !written.contains($0) }
            #expect(invented == [], "seed \(seed)")
        }
    }

    @Test(.enabled(if: Tool.journalctl.reasonToSkip == nil), .timeLimit(.minutes(10)))
    func `no entry is lost that journalctl can read`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "system.journal")
            for seed in FuzzBudget.seeds(60) {
                var generator = SeededGenerator(seed: seed)
                let options = JournalFileBuilder.Options.all[Int(seed % UInt64(JournalFileBuilder.Options.all.count))]
                let builder = JournalFileBuilder.random(options, seed: seed, entries: 40)
                var bytes = builder.bytes
                let place = Int.random(in: FileHeader.maximumBytes..<bytes.count - 4096, using: &generator)
                switch seed % 4 {
                case 0: bytes.removeLast(bytes.count - place)
                case 1: bytes.replaceSubrange(place..<place + 4096, with: [UInt8](repeating: 0, count: 4096))
                case 2: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                default:
                    for byte in place..<place + 256 { bytes[byte] = UInt8.random(in: 0...255, using: &generator) }
                }
                try Data(bytes).write(to: file)
                let ours = Set(try FileContents(bytes).entries.map(\.seqnum))
                let theirs = try seqnumsByJournalctl(file.path(percentEncoded: false))
                #expect(theirs.subtracting(ours) == [], "seed \(seed): \(ours.count) and \(theirs.count)")
            }
        }
    }

    @Test func `where each 64 KiB has 256 damaged bytes, nearly all of what they leave is read`() throws {
        for seed in FuzzBudget.seeds(3) {
            let builder = JournalFileBuilder.random(seed: seed, entries: 4000)
            var generator = SeededGenerator(seed: seed)
            var bytes = builder.bytes
            let damaged = stride(from: 64 << 10, to: bytes.count - 256, by: 64 << 10).map { $0..<$0 + 256 }
            for byte in damaged.joined() { bytes[byte] = UInt8.random(in: 0...255, using: &generator) }
            var last = 0
            // An entry's own fields stand before it, behind the entry before.
            let whole = builder.places(of: .entry).count { place in
                defer { last = place.upperBound }
                return !damaged.contains { $0.overlaps(last..<place.upperBound) }
            }
            let contents = try FileContents(bytes)
            #expect(contents.entries.count * 100 >= whole * 99, "seed \(seed): \(contents.entries.count) of \(whole)")
            #expect(UInt64(contents.entries.count) + contents.lostEntries == 4000, "seed \(seed)")
        }
    }
}
