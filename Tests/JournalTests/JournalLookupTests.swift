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
            let lookup = try JournalLookup(options: options(folder))
            let cursors = try cursors(in: folder)
            let repeated = try #require(try await lookup.fields(at: cursors[5]))
            #expect(
                Set(repeated.filter { $0.name == "SUBSYSTEM" }.map(\.value)) == [
                    Array("org.other".utf8), Array("com.example.twice".utf8),
                ])
            let binary = try #require(try await lookup.fields(at: cursors[4]))
            let message = try #require(binary.first { $0.name == "MESSAGE" })
            #expect(message.value.contains(0) && message.value.contains(0xFF) && !message.isCut)
        }
    }

    @Test func `long fields are cut`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = try JournalLookup(options: options(folder, maximumFieldBytes: 3))
            let fields = try #require(try await lookup.fields(at: try cursors(in: folder)[0]))
            let host = try #require(fields.first { $0.name == "_HOSTNAME" })
            #expect(host == JournalField(name: "_HOSTNAME", value: Array("web".utf8), isCut: true))
        }
    }

    @Test func `an entry that is gone is nil, one that was renumbered is found`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let lookup = try JournalLookup(options: options(folder))
            var cursor = try cursors(in: folder)[3]
            cursor.seqnumID = ID128(high: 1, low: 2)
            #expect(try await lookup.fields(at: cursor) != nil)
            cursor.xorHash ^= 1
            #expect(try await lookup.fields(at: cursor) == nil)
        }
    }
}
