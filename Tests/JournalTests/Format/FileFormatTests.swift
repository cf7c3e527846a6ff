import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

@Suite struct FileFormatTests {
    @Test(arguments: JournalFileBuilder.Options.all)
    func `every entry is read as it was written, and as libsystemd reads it`(
        options: JournalFileBuilder.Options
    ) async throws {
        let builder = JournalFileBuilder.random(options, seed: 7, entries: 200)
        let contents = try FileContents(builder.bytes)
        #expect(contents.lostEntries == 0 && contents.damagedFields == [])
        #expect(contents.entries == builder.entries)
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "system.journal")
            try Data(builder.bytes).write(to: file)
            #expect(try FileContents(libsystemd: file.path(percentEncoded: false)).entries == builder.entries)
        }
    }

    @Test(arguments: [JournalFileBuilder.Options(), .init(compression: .zstd, isCompact: true)])
    func `an entry of a thousand fields, and one with a field of 64 MiB, are read as libsystemd reads them`(
        options: JournalFileBuilder.Options
    ) async throws {
        var builder = JournalFileBuilder(options)
        builder.add((0..<1000).map { Array("FIELD_\($0)=\($0)".utf8) })
        builder.add([Array("MESSAGE=".utf8) + [UInt8](repeating: 0x61, count: 64 << 20), Array("LAST=1".utf8)])
        builder.add([Array("MESSAGE=behind".utf8)])
        let contents = try FileContents(builder.bytes, limit: 65 << 20)
        #expect(contents.lostEntries == 0 && contents.damagedFields == [] && contents.cutFields == 0)
        #expect(contents.entries == builder.entries)
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "system.journal")
            try Data(builder.bytes).write(to: file)
            #expect(try FileContents(libsystemd: file.path(percentEncoded: false)).entries == contents.entries)
        }
    }

    @Test(.enabled(if: JournalFixture.reasonToSkip == nil), arguments: ["loss.txt", "next-boot.txt", "shop.txt"])
    func `a file that systemd's own code wrote is read as libsystemd reads it`(name: String) async throws {
        try await JournalFixture.withJournal(of: [try fixture(name)]) { folder in
            let file = folder.appending(path: "1.journal")
            let contents = try FileContents(Array(Data(contentsOf: file)))
            let expected = try FileContents(libsystemd: file.path(percentEncoded: false))
            #expect(!expected.entries.isEmpty && contents.entries == expected.entries)
            #expect(contents.lostEntries == 0 && contents.damagedFields == [])
        }
    }

    @Test(arguments: JournalFileBuilder.Options.all)
    func `of a long field only the beginning is kept, and all of it is verified`(
        options: JournalFileBuilder.Options
    ) throws {
        var builder = JournalFileBuilder(options)
        let field = Array("MESSAGE=".utf8) + (0..<300_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        builder.add([field])
        let contents = try FileContents(builder.bytes, limit: 1000)
        #expect(contents.entries.map(\.fields) == [[Array(field.prefix(1000))]] && contents.cutFields == 1)

        // Behind what is kept, where it is not compressed.
        var bytes = builder.bytes
        let object = try #require(builder.places(of: .data).first)
        bytes[object.upperBound - 20] ^= 0x10
        let damaged = try FileContents(bytes, limit: 1000)
        #expect(damaged.entries.map(\.fields) == [[]] && damaged.damagedFields.count == 1)
    }

    @Test func `hashes are those of their authors`() {
        var sip = SipHash(key: ID128(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F))
        for byte in UInt8(0)..<15 { [byte].withUnsafeBytes { sip.update($0.bytes) } }
        #expect(sip.finish() == 0xA129_CA61_49BE_45E5)

        let text = Array("Four score and seven years ago".utf8)
        for cut in 0...text.count {
            var jenkins = JenkinsHash(length: text.count)
            text[..<cut].withUnsafeBytes { jenkins.update($0.bytes) }
            text[cut...].withUnsafeBytes { jenkins.update($0.bytes) }
            #expect(jenkins.finish() == 0x1777_0551_CE72_26E6, "cut at \(cut)")
        }
        #expect(JenkinsHash(length: 0).finish() == 0xDEAD_BEEF_DEAD_BEEF)
    }

    @Test func `what is no journal file, or not yet, or not for this reader, says so`() throws {
        var bytes = JournalFileBuilder().bytes
        func header(_ bytes: [UInt8]) -> FormatError? {
            bytes.withUnsafeBytes { bytes in
                do throws(FormatError) {
                    _ = try FileHeader(bytes.bytes)
                    return nil
                } catch {
                    return error
                }
            }
        }
        #expect(header([]) == .incomplete && header([UInt8](repeating: 0, count: 4096)) == .incomplete)
        #expect(header(Array(bytes.prefix(100))) == .incomplete)
        #expect(header([UInt8](repeating: 0x41, count: 4096)) == .notAJournal)
        #expect(header(bytes) == nil)
        bytes[12] |= 0x20
        #expect(header(bytes) == .unsupported(flags: 0x20))
    }

    @Test(arguments: 0..<64) func `a damaged length of the header costs nothing`(bit: Int) throws {
        var bytes = JournalFileBuilder.random(seed: 5, entries: 20).bytes
        let whole = try FileContents(bytes)
        bytes[88 + bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(try FileContents(bytes) == whole)
    }
}
