import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

/// Journals with fixed content.
enum FixedJournal {
    static let subsystem = "SUBSYSTEM=s"
    static let start: UInt64 = 1_700_000_000_000_000

    /// Writes a file of one machine, boot and counter, with an entry for each number, whose message is its number.
    static func write(
        _ name: String, _ numbers: some Sequence<UInt64>, file: UInt64, in folder: URL, seqnumID: UInt64 = 1
    ) throws {
        var builder = JournalFileBuilder(number: file, seqnumID: seqnumID)
        for number in numbers {
            builder.add(
                [subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }, seqnum: number,
                at: start + number % 1_000_000_000)
        }
        try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
    }

    static func messages(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

    /// The same of three machines in turns, as a collector writes into one file.
    static func writeMany(
        _ name: String, _ numbers: ClosedRange<UInt64>, file: UInt64, in folder: URL, seqnumID: UInt64 = 1
    ) throws {
        var builder = JournalFileBuilder(number: file, seqnumID: seqnumID)
        var random = SeededGenerator(seed: file)
        for number in numbers {
            builder.add(
                JournalFileBuilder.Entry(
                    seqnum: number, realtimeMicroseconds: start + number, monotonicMicroseconds: number,
                    bootID: ID128(high: 5, low: UInt64.random(in: 1...3, using: &random)),
                    fields: [subsystem, "MESSAGE=\(number)"].map { Array($0.utf8) }))
        }
        try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
    }
}
