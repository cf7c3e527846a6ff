import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Journal

/// What is made of files by the reader under test, beside what is made of them by libsystemd.
@Suite struct EntryReaderTests {
    private static let key = ID128(high: 1, low: 2)

    private static let rules: [[SourceRule]] = [
        [.subsystem("*")],
        [
            .subsystem("com.example.cart"),
            .match(["_SYSTEMD_UNIT": "nginx.service"], as: .init(subsystem: "org.nginx", category: "access")),
            .subsystem("com.example.*", category: "ActivityLog"), .subsystem("com.*", category: "A*"),
        ],
        [.subsystem("*", category: "")], [.subsystem("org.other")], [.subsystem("com.example.twice")],
        [.match(["A": "b"], as: .init(subsystem: "s", category: "c"), payload: "A"), .subsystem("*")],
        [.match(["_SYSTEMD_UNIT": "*"], as: .init(subsystem: "s", category: "c"), payload: "NOT_THERE")],
        [.match(["MESSAGE": "*e*"], as: .init(subsystem: "s", category: "c"))],
        [SourceRule(excluding: [.init(field: "CATEGORY", value: Glob("A*"))], text: "none"), .subsystem("*")],
        [.subsystem("nothing")],
    ]

    @Test(.enabled(if: JournalFixture.reasonToSkip == nil), arguments: ["loss.txt", "next-boot.txt", "shop.txt"])
    func `files of systemd's own code give the same events as by libsystemd`(name: String) async throws {
        try await JournalFixture.withJournal(of: [try fixture(name)]) { folder in
            let bytes = try Array(Data(contentsOf: folder.appending(path: "1.journal")))
            for rules in Self.rules {
                try expectSame(bytes, in: folder, rules)
            }
        }
    }

    @Test(arguments: JournalFileBuilder.Options.all)
    func `files of every form give the same events as by libsystemd`(
        options: JournalFileBuilder.Options
    ) async throws {
        var builder = JournalFileBuilder(options)
        builder.addEvents(120, seed: 11)
        try await withTemporaryFolder { folder in
            try Data(builder.bytes).write(to: folder.appending(path: "1.journal"))
            for rules in Self.rules {
                try expectSame(builder.bytes, in: folder, rules)
                try expectSame(builder.bytes, in: folder, rules, maximumFieldBytes: 1024)
            }
        }
    }

    @Test func `an entry with names without end takes nothing from the next one`() throws {
        var builder = JournalFileBuilder()
        let shared = ["_HOSTNAME=web1", "SUBSYSTEM=s", "CATEGORY=c"].map { Array($0.utf8) }
        let endless = (0..<20).map { Array("CATEGORY=\($0)\(String(repeating: "x", count: 900))".utf8) }
        builder.add(endless)
        builder.add(shared)
        // By then all of them are shared; the order is that of the file.
        builder.add(endless + shared)
        builder.add(shared)
        var reader = EntryReader(rules: [.subsystem("s")], maximumFieldBytes: 1024, entryKey: Self.key)
        let batch = try reader.readAll(builder.bytes)
        #expect(batch.entries.count == 3 && batch.entries.allSatisfy { $0.origin[.host] == "web1" })
        let last = try #require(batch.entries.last)
        #expect(last.origin[.host] == "web1" && last.origin.subsystem == "s" && last.origin.category == "c")
    }

    /// journald's hash has no key, so that it gives away what was hidden of an entry. Of two keys nothing is the same.
    @Test func `what identifies an entry outside says nothing of its fields`() throws {
        var builder = JournalFileBuilder()
        builder.add(["SUBSYSTEM=s", "MESSAGE=secret"].map { Array($0.utf8) })
        let hash = try #require(builder.entries.first).fields.reduce(UInt64(0)) { hash, field in
            var jenkins = JenkinsHash(length: field.count)
            jenkins.update(field.span.bytes)
            return hash ^ jenkins.finish()
        }
        func entry(_ key: ID128) throws -> Entry {
            var reader = EntryReader(rules: [.subsystem("s")], maximumFieldBytes: 1024, entryKey: key)
            return try #require(try reader.readAll(builder.bytes).entries.first)
        }
        let (one, other) = (try entry(Self.key), try entry(ID128(high: 1, low: 3)))
        #expect(one.uid == (try entry(Self.key).uid) && one.uid != other.uid)
        #expect(one.uid.value.low != hash && one.uid.value.low ^ other.uid.value.low != 0)
        #expect(one.cursor == other.cursor && one.cursor.xorHash == nil)
    }

    /// A file in memory, of which one byte cannot be read at first.
    private final class FailingOnce: ByteSource {
        private let file: ByteArray
        private var failing: UInt64?

        init(_ bytes: [UInt8], failing: Int) { (file, self.failing) = (ByteArray(bytes: bytes), UInt64(failing)) }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FormatError) -> Int {
            if let failing, (offset..<offset + UInt64(buffer.count)).contains(failing) {
                self.failing = nil
                throw .io(errno: EIO)
            }
            return try file.read(into: buffer, at: offset)
        }
    }

    @Test(arguments: [0, 1])
    func `an entry whose payload could not be read is read again as if for the first time`(failing: Int) throws {
        var builder = JournalFileBuilder()
        // Longer than what is in memory of a file.
        let texts = ["a", "b"].map { String(repeating: $0, count: 300_000) }
        let stream = ["SUBSYSTEM=s", "_STREAM_ID=1"]
        builder.add((stream + ["_LINE_BREAK=line-max", "MESSAGE=\(texts[0])"]).map { Array($0.utf8) })
        builder.add((stream + ["MESSAGE=\(texts[1])"]).map { Array($0.utf8) })
        let payloads = builder.places(of: .data).filter { $0.count > 300_000 }
        let header = try builder.bytes.withUnsafeBytes { bytes throws(FormatError) in
            try FileHeader(UnsafeRawBufferPointer(rebasing: bytes.prefix(FileHeader.maximumBytes)).bytes)
        }
        var file = FileReading(
            FailingOnce(builder.bytes, failing: payloads[failing].lowerBound + 150_000), number: 1, header,
            end: UInt64(builder.bytes.count), windowBytes: 1 << 16)
        var reader = EntryReader(rules: [.subsystem("s")], maximumFieldBytes: 1 << 20, entryKey: Self.key)
        var (batch, failures) = (EntryBatch(), 0)
        while case .entry(let entry) = try file.next() {
            let before = (batch.entries.count, batch.bytes.count, batch.originBytes)
            do throws(FormatError) {
                _ = try reader.read(entry, of: &file, into: &batch)
            } catch {
                #expect((batch.entries.count, batch.bytes.count, batch.originBytes) == before)
                failures += 1
                _ = try reader.read(entry, of: &file, into: &batch)
            }
        }
        #expect(failures == 1)
        #expect(batch.entries.map { $0.flaws.intersection([.split, .continued]) } == [.split, .continued])
        #expect(batch.entries.map { String(decoding: batch.payload($0), as: UTF8.self) } == texts)
    }

    private func expectSame(
        _ bytes: [UInt8], in folder: URL, _ rules: [SourceRule], maximumFieldBytes: Int = 1 << 20,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let contents = try FileContents(
            libsystemd: folder.appending(path: "1.journal").path, isSorted: false)
        let expected = ReferenceReader(contents.entries, rules: rules, maximumFieldBytes: maximumFieldBytes).events
        var reader = EntryReader(rules: rules, maximumFieldBytes: maximumFieldBytes, entryKey: Self.key)
        for isKnown in [false, true] {
            let batch = try reader.readAll(bytes)
            #expect(batch.entriesRead == contents.entries.count, sourceLocation: sourceLocation)
            let difference = events(of: batch, isKnown).difference(from: isKnown ? expected.map(\.begun) : expected)
            #expect(difference.isEmpty, sourceLocation: sourceLocation)
        }
    }

    /// - Parameter isKnown: whether all of it was read before, which may have ended in the middle of a line.
    private func events(of batch: EntryBatch, _ isKnown: Bool) -> [ReferenceReader.Event] {
        batch.entries.map { entry in
            let origin = entry.origin
            let event = ReferenceReader.Event(
                subsystem: origin.subsystem, category: origin.category, host: origin[.host] ?? "",
                identifier: origin[.identifier], unit: origin[.unit],
                processUID: origin[.processUID].flatMap { UInt32($0) }, source: origin.source,
                level: entry.level, pid: entry.pid, seqnum: entry.seqnum, payload: batch.payload(entry),
                flaws: entry.flaws)
            return isKnown ? event.begun : event
        }
    }
}

extension ReferenceReader.Event {
    /// Without what depends on the entries before.
    fileprivate var begun: Self {
        var event = self
        event.flaws.remove(.continued)
        return event
    }
}

extension EntryReader {
    mutating func readAll(_ bytes: [UInt8]) throws -> EntryBatch {
        let header = try bytes.withUnsafeBytes { bytes throws(FormatError) in
            try FileHeader(UnsafeRawBufferPointer(rebasing: bytes.prefix(FileHeader.maximumBytes)).bytes)
        }
        var file = FileReading(
            ByteArray(bytes: bytes), number: 1, header, end: UInt64(bytes.count), windowBytes: 1 << 16)
        var batch = EntryBatch()
        reading: while true {
            switch try file.next() {
            case .end: break reading
            case .lost(let count, _): Issue.record("\(count) entries are lost")
            case .entry(let entry):
                batch.entriesRead += 1
                #expect(try read(entry, of: &file, into: &batch) != .damaged)
            }
        }
        return batch
    }
}

extension JournalFileBuilder {
    /// Entries as applications send them, some of them events, with values that repeat and values that do not.
    mutating func addEvents(_ count: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<count {
            var fields = [
                "PRIORITY=\(Int.random(in: 0...8, using: &generator))",
                "_PID=\(Int.random(in: 1...20, using: &generator))",
                "_HOSTNAME=web1", "_SYSTEMD_UNIT=\(["shop", "nginx"].randomElement(using: &generator)!).service",
                "SYSLOG_IDENTIFIER=shop", "_UID=1000", "_SOURCE_REALTIME_TIMESTAMP=\(number)",
                "MESSAGE=the message \(number) \(String(repeating: "é", count: Int.random(in: 0...900, using: &generator)))",
            ]
            if Bool.random(using: &generator) {
                fields.append("SUBSYSTEM=com.example.\(["shop", "cart", "twice"].randomElement(using: &generator)!)")
                if Bool.random(using: &generator) {
                    fields.append("CATEGORY=\(["ActivityLog", "Audit", ""].randomElement(using: &generator)!)")
                }
            }
            if number % 7 == 0 { fields += ["SUBSYSTEM=org.other", "A=b"] }
            if number % 11 == 0 { fields.append("_STREAM_ID=\(number % 3)") }
            if number % 22 == 0 { fields.append("_LINE_BREAK=line-max") }
            if number % 50 == 0 { fields.append("A=\(String(repeating: "x", count: 3000))") }
            if number % 13 == 0 { fields.append("NOT_THERE=") }
            // An entry has each field once.
            add(Set(fields).sorted().map { Array($0.utf8) })
        }
    }
}
