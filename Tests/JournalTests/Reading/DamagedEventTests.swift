import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

@Suite struct DamagedEventTests {
    private static let count = 80

    private static func builder(_ options: JournalFileBuilder.Options) -> JournalFileBuilder {
        var builder = JournalFileBuilder(options)
        for number in 1...count {
            let text = "\(number) " + String(repeating: "ab", count: number % 5 == 0 ? 400 : 3)
            builder.add(["SUBSYSTEM=s", "CATEGORY=c", "_PID=\(number / 9)", "MESSAGE=\(text)"].map { Array($0.utf8) })
        }
        return builder
    }

    @Test(arguments: JournalFileBuilder.Options.all)
    func `every entry of a damaged file is an event, whole or flagged, or counted as lost`(
        options: JournalFileBuilder.Options
    ) async throws {
        let builder = Self.builder(options)
        let whole = Set(
            builder.entries.compactMap { $0.fields.first { $0.starts(with: Array("MESSAGE=".utf8)) }?.dropFirst(8) }
                .map(Array.init))
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "system.journal")
            for seed in FuzzBudget.seeds(60) {
                var generator = SeededGenerator(seed: seed)
                var bytes = builder.bytes
                let place = Int.random(in: JournalFileBuilder.headerBytes..<bytes.count, using: &generator)
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                try Data(bytes).write(to: path)
                let files = FileSet(rules: [.subsystem("s")], options: .test(maximumFieldBytes: 1 << 20))
                #expect(files.scan([path.path]).isEmpty)
                let batch = files.read()
                let lost = batch.gaps.compactMap(\.count).reduce(0, +)
                #expect(batch.gaps.allSatisfy { $0.cause == .damaged && $0.part?.path == path.path })
                #expect(batch.entries.count + Int(lost) == Self.count, "seed \(seed), byte \(place)")
                for entry in batch.entries where !entry.flaws.contains(.damaged) {
                    #expect(whole.contains(batch.payload(entry)), "seed \(seed), byte \(place)")
                }
            }
        }
    }
}
