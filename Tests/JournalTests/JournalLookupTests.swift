import Foundation
import Glibc
@testable import Journal
import Model
import TestSupport
import Testing

@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"))
struct JournalLookupTests {
    private func options(_ folder: URL, maximumFieldBytes: Int = 1 << 20) -> JournalOptions {
        var options = JournalOptions(
            location: .directory(folder.path(percentEncoded: false)), start: .oldest,
            maximumFieldBytes: maximumFieldBytes)
        options.entryKey = Self.key
        return options
    }

    private static let key = ID128(high: 3, low: 4)

    /// The places of all entries, as the store has them.
    private func places(in folder: URL) throws -> [EntryPlace] {
        try cursors(in: folder).map { cursor in
            var hash = SipHash(key: Self.key)
            let words = [
                cursor.bootID.high, cursor.bootID.low, cursor.monotonicMicroseconds, cursor.realtimeMicroseconds,
                try #require(cursor.xorHash),
            ]
            hash.update(words.span.bytes)
            return EntryPlace(cursor: cursor.withoutHash, entryHash: hash.finish())
        }
    }

    @Test func `an entry comes back with all of its fields`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            let places = try places(in: folder)
            let repeated = try #require(try await lookup.entry(at: places[5])?.fields)
            #expect(
                Set(repeated.filter { $0.name == "SUBSYSTEM" }.map(\.value)) == [
                    Array("org.other".utf8), Array("com.example.twice".utf8),
                ])
            let binary = try #require(try await lookup.entry(at: places[4])?.fields)
            let message = try #require(binary.first { $0.name == "MESSAGE" })
            #expect(message.value.contains(0) && message.value.contains(0xFF) && !message.isCut)
        }
    }

    @Test func `long fields are cut`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder, maximumFieldBytes: 3))
            let fields = try #require(try await lookup.entry(at: try places(in: folder)[0])?.fields)
            let host = try #require(fields.first { $0.name == "_HOSTNAME" })
            #expect(host == JournalField(name: "_HOSTNAME", value: Array("web".utf8), isCut: true))
        }
    }

    @Test func `fields that are more than asked for are counted only`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            let place = try places(in: folder)[0]
            let whole = try #require(try await lookup.entry(at: place))
            #expect(whole.bytes == whole.fields.reduce(0) { $0 + $1.value.count })
            let counted = try #require(try await lookup.entry(at: place, bytes: whole.bytes - 1))
            #expect(counted.fields.isEmpty && counted.bytes == whole.bytes)
            #expect(try await lookup.entry(at: place, bytes: whole.bytes)?.fields == whole.fields)
        }
    }

    /// The values of a field by the number of the entry, as texts.
    private func values(
        of field: String, _ places: [EntryPlace], in folder: URL, while isWanted: () -> Bool = { true }
    ) throws -> [[String]] {
        var found = Array(repeating: [String](), count: places.count)
        try JournalLookup(options: options(folder)).forEachValue(of: field, at: places, while: isWanted) {
            found[$0].append(String(decoding: $1, as: UTF8.self))
        }
        return found
    }

    @Test func `values of one field are found for many entries`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            let places = try places(in: folder)
            for field in ["SUBSYSTEM", "MESSAGE", "_HOSTNAME", "SUBSYS", "_PID"] {
                var wanted: [[String]] = []
                for place in places {
                    let fields = try #require(try await lookup.entry(at: place)?.fields)
                    wanted.append(
                        fields.filter { $0.name == field }.map { String(decoding: $0.value, as: UTF8.self) })
                }
                #expect(try values(of: field, places, in: folder) == wanted)
            }
            #expect(try values(of: "SUBSYSTEM", places, in: folder)[5].count == 2)
            var gone = places
            gone[1].cursor.seqnumID = ID128(high: 1, low: 2)
            gone[2].entryHash ^= 1
            let found = try values(of: "_HOSTNAME", gone, in: folder)
            #expect(found[1] == found[0] && found[2] == [] && !found[3].isEmpty)
            #expect(try values(of: "_HOSTNAME", places, in: folder, while: { false }).allSatisfy(\.isEmpty))
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try lookup.forEachValue(of: "MESSAGE", at: places, while: { true }) { _, _ in throw Stop() }
            }
        }
    }

    @Test func `of many files only some are open at the same time`() async throws {
        func openFiles() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        try await withTemporaryFolder { folder in
            for number in 1...100 as ClosedRange<UInt64> {
                var builder = JournalFileBuilder(number: number, seqnumID: number)
                builder.add([Array("MESSAGE=\(number)".utf8)], at: 1_000_000 + number)
                try Data(builder.bytes).write(to: folder.appending(path: "\(number).journal"))
            }
            let (places, before) = (try places(in: folder), try openFiles())
            // Twice, so that files are opened again.
            var (found, most) = (0, 0)
            try JournalLookup(options: options(folder)).forEachValue(
                of: "MESSAGE", at: places + places, while: { true }
            ) { _, _ in
                found += 1
                most = max(most, try openFiles() - before)
            }
            #expect(found == 200 && most <= 64, "\(most) more than before")
        }
    }

    @Test(arguments: ["", "@1"])
    func `entries of a file that gets another name meanwhile are found`(suffix: String) async throws {
        try await withTemporaryFolder { folder in
            func write(_ number: UInt64, _ name: String) throws {
                var builder = JournalFileBuilder(number: number, seqnumID: number)
                builder.add([Array("MESSAGE=\(number)".utf8)], at: 1_000_000 + number)
                try Data(builder.bytes).write(to: folder.appending(path: name))
            }
            // More than stay open.
            for number in 1...100 as ClosedRange<UInt64> { try write(number, "\(number)\(suffix).journal") }
            let places = try places(in: folder)
            let name = "\(places[99].cursor.seqnumID.low)\(suffix).journal"
            var found: Set<Int> = []
            try JournalLookup(options: options(folder)).forEachValue(
                of: "MESSAGE", at: places, while: { true }
            ) { number, _ in
                if found.isEmpty {
                    try FileManager.default.moveItem(
                        at: folder.appending(path: name), to: folder.appending(path: "archive@1.journal"))
                    try write(101, name)
                }
                found.insert(number)
            }
            #expect(found == Set(0..<100))
        }
    }

    @Test func `an entry that is gone is nil, one that was renumbered is found`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = JournalLookup(options: options(folder))
            var place = try places(in: folder)[3]
            let fields = try #require(try await lookup.entry(at: place)?.fields)
            place.cursor.seqnum -= 1
            #expect(try await lookup.entry(at: place)?.fields == fields)
            let hosts = fields.filter { $0.name == "_HOSTNAME" }.map { String(decoding: $0.value, as: UTF8.self) }
            #expect(try values(of: "_HOSTNAME", [place], in: folder) == [hosts])
            place.cursor.seqnumID = ID128(high: 1, low: 2)
            #expect(try await lookup.entry(at: place)?.fields == fields)
            place.entryHash ^= 1
            #expect(try await lookup.entry(at: place)?.fields == nil)
        }
    }

    @Test func `an entry that was renumbered is found in a file in which the clock was set back`() async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder()
            for minute in [0, 10, 20, 30, 40, 50, 60, 5] as [UInt64] {
                builder.add([Array("MESSAGE=\(minute)".utf8)], at: 36_000_000_000 + minute * 60_000_000)
            }
            try Data(builder.bytes).write(to: folder.appending(path: "1.journal"))
            let lookup = JournalLookup(options: options(folder))
            var place = try places(in: folder)[2]
            place.cursor.seqnumID = ID128(high: 1, low: 2)
            let fields = try await lookup.entry(at: place)?.fields
            #expect(fields?.map { String(decoding: $0.value, as: UTF8.self) } == ["20"])
            place.entryHash ^= 1
            #expect(try await lookup.entry(at: place) == nil)
        }
    }

    @Test func `an entry that may be where nothing can be read is not gone`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let place = try places(in: folder)[3]
            // No user may open it, not even root.
            let path = folder.appending(path: "0.journal").path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
            let lookup = JournalLookup(options: options(folder))
            #expect(try await lookup.entry(at: place) != nil)
            #expect(try values(of: "_HOSTNAME", [place], in: folder) == [["web1"]])
            var gone = place
            gone.entryHash ^= 1
            let unreadable = JournalError(call: "read \(path)", errno: ELOOP)
            await #expect(throws: unreadable) { try await lookup.entry(at: gone) }
            #expect(throws: unreadable) { try values(of: "_HOSTNAME", [gone], in: folder) }

            let missing = folder.appending(path: "missing")
            let error = await #expect(throws: JournalError.self) {
                try await JournalLookup(options: options(missing)).entry(at: place)
            }
            #expect(error?.call == "read \(missing.path)")
            #expect(throws: JournalError.self) { try values(of: "_HOSTNAME", [place], in: missing) }
        }
    }

    @Test func `an entry is gone when it could only be in a file that was never read`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            var gone = try places(in: folder)[3]
            gone.entryHash ^= 1
            // Not even root may read it.
            let unreadable = "/proc/sys/net/ipv4/route/flush"
            try #require(open(unreadable, O_RDONLY) < 0 && errno == EACCES)
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "user-1000.journal").path, withDestinationPath: unreadable)
            #expect(try await JournalLookup(options: options(folder)).entry(at: gone) == nil)
            #expect(try values(of: "_HOSTNAME", [gone], in: folder) == [[]])
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
            let places = try places(in: folder)
            #expect(places.count == 120)
            var found: Set<[String]> = []
            for place in places {
                var renumbered = place
                renumbered.cursor.seqnumID = ID128(high: 7, low: 7)
                renumbered.cursor.seqnum = 1
                for place in [place, renumbered] {
                    let fields = try #require(try await lookup.entry(at: place)).fields
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
            let place = try #require(try places(in: folder).first)
            var bytes = builder.bytes
            bytes[builder.places(of: .data)[0].upperBound - 1] ^= 1
            try Data(bytes).write(to: path)
            let lookup = JournalLookup(options: options(folder))
            let error = await #expect(throws: JournalError.self) { try await lookup.entry(at: place) }
            #expect(error?.call == "1 of the entry's fields in \(path.path)" && error?.reason == errnoText(EBADMSG))
        }
    }
}
