import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"))
struct JournalLookupTests {
    private func options(_ folder: URL, maximumFieldBytes: Int = 1 << 20) -> JournalOptions {
        JournalOptions(
            location: .directory(folder.path(percentEncoded: false)), start: .oldest,
            maximumFieldBytes: maximumFieldBytes)
    }

    @Test func `an entry comes back with all of its fields`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            let cursors = try cursors(in: folder)
            let repeated = try #require(try await lookup.entry(at: cursors[5])?.fields)
            #expect(
                Set(repeated.filter { $0.name == "SUBSYSTEM" }.map(\.value)) == [
                    Array("org.other".utf8), Array("com.example.twice".utf8),
                ])
            let binary = try #require(try await lookup.entry(at: cursors[4])?.fields)
            let message = try #require(binary.first { $0.name == "MESSAGE" })
            #expect(message.value.contains(0) && message.value.contains(0xFF) && !message.isCut)
        }
    }

    @Test func `long fields are cut`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder, maximumFieldBytes: 3))
            let fields = try #require(try await lookup.entry(at: try cursors(in: folder)[0])?.fields)
            let host = try #require(fields.first { $0.name == "_HOSTNAME" })
            #expect(host == JournalField(name: "_HOSTNAME", value: Array("web".utf8), isCut: true))
        }
    }

    @Test func `fields that are more than asked for are counted only`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            let cursor = try cursors(in: folder)[0]
            let whole = try #require(try await lookup.entry(at: cursor))
            #expect(whole.bytes == whole.fields.reduce(0) { $0 + $1.value.count })
            let counted = try #require(try await lookup.entry(at: cursor, bytes: whole.bytes - 1))
            #expect(counted.fields.isEmpty && counted.bytes == whole.bytes)
            #expect(try await lookup.entry(at: cursor, bytes: whole.bytes)?.fields == whole.fields)
        }
    }

    /// The values of a field by the number of the entry, as texts.
    private func values(
        of field: String, _ cursors: [JournalCursor], in folder: URL, while isWanted: () -> Bool = { true }
    ) throws -> [[String]] {
        var found = Array(repeating: [String](), count: cursors.count)
        try JournalLookup(options: options(folder)).forEachValue(of: field, at: cursors, while: isWanted) {
            found[$0].append(String(decoding: $1, as: UTF8.self))
        }
        return found
    }

    @Test func `values of one field are found for many entries`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            let cursors = try cursors(in: folder)
            for field in ["SUBSYSTEM", "MESSAGE", "_HOSTNAME", "SUBSYS", "_PID"] {
                var wanted: [[String]] = []
                for cursor in cursors {
                    let fields = try #require(try await lookup.entry(at: cursor)?.fields)
                    wanted.append(
                        fields.filter { $0.name == field }.map { String(decoding: $0.value, as: UTF8.self) })
                }
                #expect(try values(of: field, cursors, in: folder) == wanted)
            }
            #expect(try values(of: "SUBSYSTEM", cursors, in: folder)[5].count == 2)
            var gone = cursors
            gone[1].seqnumID = ID128(high: 1, low: 2)
            gone[2].xorHash ^= 1
            let found = try values(of: "_HOSTNAME", gone, in: folder)
            #expect(found[1] == found[0] && found[2] == [] && !found[3].isEmpty)
            #expect(try values(of: "_HOSTNAME", cursors, in: folder, while: { false }).allSatisfy(\.isEmpty))
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try lookup.forEachValue(of: "MESSAGE", at: cursors, while: { true }) { _, _ in throw Stop() }
            }
        }
    }

    @Test func `an entry that is gone is nil, one that was renumbered is found`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            var cursor = try cursors(in: folder)[3]
            cursor.seqnumID = ID128(high: 1, low: 2)
            #expect(try await lookup.entry(at: cursor)?.fields != nil)
            cursor.xorHash ^= 1
            #expect(try await lookup.entry(at: cursor)?.fields == nil)
        }
    }

    @Test(arguments: JournalFileBuilder.Options.all)
    func `every entry of many files is found, with the fields that it was written with`(
        options format: JournalFileBuilder.Options
    ) async throws {
        try await withTemporaryFolder { folder in
            var builders: [JournalFileBuilder] = []
            for number in 0..<3 as Range<UInt64> {
                var builder = JournalFileBuilder(format, number: number)
                for entry in 0..<40 {
                    // Ten each have the same time.
                    let fields = ["MESSAGE=\(number) \(entry)", "X=\(String(repeating: "y", count: entry * 30))"]
                    builder.add(fields.map { Array($0.utf8) }, at: 1_000_000 * (number + 1) + UInt64(entry / 10))
                }
                try Data(builder.bytes).write(to: folder.appending(path: "\(number).journal"))
                builders.append(builder)
            }
            let lookup = JournalLookup(options: options(folder))
            let cursors = try cursors(in: folder)
            #expect(cursors.count == 120)
            var found: Set<[String]> = []
            for cursor in cursors {
                var renumbered = cursor
                renumbered.seqnumID = ID128(high: 7, low: 7)
                renumbered.seqnum = 1
                for cursor in [cursor, renumbered] {
                    let fields = try #require(try await lookup.entry(at: cursor)).fields
                    found.insert(fields.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }.sorted())
                }
            }
            let written = builders.flatMap(\.entries).map {
                $0.fields.map { String(decoding: $0, as: UTF8.self) }.sorted()
            }
            #expect(found == Set(written))
        }
    }

    @Test func `a damaged field is an error that says where`() async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder()
            builder.add([Array("MESSAGE=one".utf8), Array("X=1".utf8)])
            let path = folder.appending(path: "1.journal")
            try Data(builder.bytes).write(to: path)
            let cursor = try #require(try cursors(in: folder).first)
            var bytes = builder.bytes
            bytes[builder.places(of: .data)[0].upperBound - 1] ^= 1
            try Data(bytes).write(to: path)
            let lookup = JournalLookup(options: options(folder))
            let error = await #expect(throws: JournalError.self) { try await lookup.entry(at: cursor) }
            #expect(error?.call == "1 of the entry's fields in \(path.path)" && error?.errno == EBADMSG)
        }
    }
}
