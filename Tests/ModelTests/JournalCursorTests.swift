import Model
import Testing

@Suite struct JournalCursorTests {
    static let text =
        "s=0639584d43d8401ca9bd4b0b1a9a8ab6;i=7d;b=a4c1ee2ee3f84e6d8d3b6c9b1c1f7f22;m=fffffffffffffffe;t=5d3a;x=8000000000000001"

    @Test func `a cursor's text survives being taken apart`() throws {
        let cursor = try #require(JournalCursor(Self.text))
        #expect(cursor.seqnum == 0x7d)
        #expect(cursor.monotonicMicroseconds == UInt64.max - 1)
        #expect(cursor.xorHash == 0x8000_0000_0000_0001)
        #expect(cursor.description == Self.text)
        #expect(JournalCursor(cursor.withoutHash.description) == cursor.withoutHash)
        #expect(!cursor.withoutHash.description.contains("x="))
    }

    @Test(arguments: [
        "", "s=1", "garbage", text + ";z=1", String(text.dropLast(26)), text.replacing("i=7d", with: "i=xyz"),
        text.replacing("m=f", with: "m=ff"), text.replacing("i=7d;", with: "i=;"),
    ])
    func `what is no cursor is refused`(text: String) {
        #expect(JournalCursor(text) == nil)
    }

    @Test func `an entry keeps its identity when the journal is renumbered`() throws {
        let cursor = try #require(JournalCursor(Self.text))
        var renumbered = cursor
        renumbered.seqnum = 1
        renumbered.seqnumID = ID128(high: 1, low: 2)
        #expect(cursor.isSameEntry(as: renumbered))
        renumbered.xorHash = 1
        #expect(!cursor.isSameEntry(as: renumbered))
    }

    @Test func `without the hash, equal numbers of one counter tell entries of one time apart`() throws {
        let cursor = try #require(JournalCursor(Self.text))
        var other = cursor.withoutHash
        #expect(cursor.isSameEntry(as: other))
        other.seqnum += 1
        #expect(!cursor.isSameEntry(as: other))
        other.seqnumID = ID128(high: 1, low: 2)
        #expect(cursor.isSameEntry(as: other))
        other.realtimeMicroseconds += 1
        #expect(!cursor.isSameEntry(as: other))
    }

    private func uid(_ ordinal: UInt32 = 0, entryHash: UInt64 = 0x8000_0000_0000_0001) -> EventUID {
        EventUID(bootID: ID128(high: 1, low: 2), monotonicMicroseconds: 3, entryHash: entryHash, ordinal: ordinal)
    }

    @Test func `a uid is 32 hexadecimal digits and reads back`() {
        let uid = uid()
        #expect(uid != self.uid(entryHash: 7))
        #expect(uid.description.count == 32)
        #expect(EventUID(uid.description) == uid)
    }

    @Test func `entries that are equal but for their place get uids of their own`() {
        let uids = (0..<1000 as Range<UInt32>).map { uid($0) }
        #expect(uids[0] == uid())
        #expect(Set(uids).count == 1000)
        // The ordinal reaches half of the bits: hashes that differ in a few do not meet.
        for uid in uids.dropFirst() {
            #expect((8...56).contains((uid.value.low ^ uids[0].value.low).nonzeroBitCount))
        }
    }
}
