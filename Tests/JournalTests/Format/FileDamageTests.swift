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
            // A shared field is missing in every entry that has it, and is said to be damaged each time.
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
}
