import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

@Suite struct ResumingTests {
    private static let name = "system.journal"

    private func builder(_ count: Int = 60) -> JournalFileBuilder {
        var builder = JournalFileBuilder()
        for number in 1...count {
            builder.add(["SUBSYSTEM=s", "MESSAGE=\(number)", "X=\(number / 7)"].map { Array($0.utf8) })
        }
        return builder
    }

    /// What is read of the first entries, and then by a new reader that is given the position, of the file as it is then.
    private func read(
        first: Int, of bytes: [UInt8], then changed: [UInt8], in folder: URL
    ) throws -> (before: [String], after: [String]) {
        let path = folder.appending(path: Self.name)
        try Data(bytes).write(to: path)
        let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
        _ = files.scan([path.path])
        let before =
            first == 0
            ? []
            : files.read(
                BatchLimit(maximumEntriesRead: first, maximumEvents: .max, maximumEventBytes: .max)
            ).messages
        try Data(changed).write(to: path)
        let again = FileSet(
            rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024),
            from: ReadingState(files.takeProgress()))
        _ = again.scan([path.path])
        return (before, again.read().messages)
    }

    @Test func `Reading continues behind any entry`() async throws {
        let bytes = builder().bytes
        try await withTemporaryFolder { folder in
            for first in 0...60 {
                let read = try read(first: first, of: bytes, then: bytes, in: folder)
                #expect(read.before + read.after == (1...60).map(String.init), "\(first)")
                #expect(read.before.count == first)
            }
        }
    }

    @Test func `where the last entry is damaged by then, Reading continues at the next one`() async throws {
        let builder = builder()
        try await withTemporaryFolder { folder in
            for (index, place) in builder.places(of: .entry).enumerated() {
                for byte in [0, 8, 16, 24, 40, 56] {
                    var changed = builder.bytes
                    changed[place.lowerBound + byte] ^= 0x40
                    let read = try read(first: index + 1, of: builder.bytes, then: changed, in: folder)
                    #expect(read.after == (index + 1..<60).map { String($0 + 1) }, "entry \(index + 1), byte \(byte)")
                }
            }
        }
    }

    @Test func `of a file that became shorter nothing is read twice`() async throws {
        let builder = builder()
        try await withTemporaryFolder { folder in
            for end in stride(from: 300, to: builder.bytes.count, by: 517) {
                let read = try read(
                    first: 30, of: builder.bytes, then: Array(builder.bytes.prefix(end)), in: folder)
                #expect(Set(read.before).isDisjoint(with: read.after), "\(end)")
            }
        }
    }

    /// Files of several users share one counter, so that the copy need not have the number of the last entry.
    @Test func `an older copy whose next numbers went to another file is read from its beginning`() async throws {
        let bytes = builder().bytes
        var copy = builder(25)
        for number in [26, 27, 28, 41, 42, 43, 44, 45, 46] as [UInt64] {
            copy.add(
                JournalFileBuilder.Entry(
                    seqnum: number, realtimeMicroseconds: 1_700_000_001_000_000 + number,
                    monotonicMicroseconds: 1_000_000 + number, bootID: ID128(high: 5, low: 6),
                    fields: ["SUBSYSTEM=s", "MESSAGE=\(100 + number)", "X=0"].map { Array($0.utf8) }))
        }
        try await withTemporaryFolder { folder in
            let read = try read(first: 30, of: bytes, then: copy.bytes, in: folder)
            #expect(read.before.count == 30)
            #expect(read.after.count == 34 && Set(read.after).isSuperset(of: ["126", "127", "128", "146"]))
        }
    }

    @Test(arguments: [0, 5, 30, 31, 90], [30, 60])
    func `an older copy is read from its beginning, whatever was written to it since`(
        count: Int, first: Int
    ) async throws {
        let bytes = builder().bytes
        var copy = builder(min(30, first - 1))
        for number in 0..<count {
            let time = 1_700_000_001_000_000 + UInt64(number)
            copy.add(["SUBSYSTEM=s", "MESSAGE=\(100 + number)", "X=0"].map { Array($0.utf8) }, at: time)
        }
        try await withTemporaryFolder { folder in
            let read = try read(first: first, of: bytes, then: copy.bytes, in: folder)
            #expect(read.before.count == first)
            #expect(read.after == (1...min(30, first - 1)).map(String.init) + (0..<count).map { String(100 + $0) })
        }
    }
}
