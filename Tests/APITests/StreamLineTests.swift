import Foundation
import Model
import Testing

@testable import API

struct StreamLineTests {
    @Test func `every kind of line is read back`() throws {
        let cursor = Sample.event().cursor
        let gap = GapRecord(
            id: 3, afterEventID: 4711,
            gap: Gap(
                cause: .rateLimited, realtimeMicroseconds: 1_795_222_800_000_000, from: cursor, count: 17,
                message: "journald dropped \"17\" messages"))
        let problem = Problem(status: 503, title: "Busy", detail: "a\nb", parameter: "n")
        var writer = StreamLineWriter()
        writer.append(Sample.event())
        writer.append(gap)
        writer.append(missed: 12)
        writer.append(problem)
        let lines = writer.bytes.split(separator: UInt8(ascii: "\n"))
        try #require(lines.count == 4)
        guard case .event(let event) = try StreamLine.parse(Array(lines[0])) else {
            Issue.record("not an event")
            return
        }
        #expect(event.id == 4711)
        #expect(try StreamLine.parse(Array(lines[1])) == .gap(GapLine(gap)))
        #expect(try StreamLine.parse(Array(lines[2])) == .missed(count: 12))
        #expect(try StreamLine.parse(Array(lines[3])) == .error(problem))
    }

    @Test func `a gap line is what the documentation says`() {
        var writer = StreamLineWriter()
        writer.append(
            GapRecord(
                id: 1, afterEventID: 0, gap: Gap(cause: .vacuumed, realtimeMicroseconds: 0, message: "gone")))
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"type":"gap","id":1,"after":0,"cause":"vacuumed","#
                + #""time":"1970-01-01T00:00:00.000000Z","message":"gone"}"#
                + "\n")
    }

    @Test func `a type of a later version is passed on by name`() throws {
        #expect(try StreamLine.parse(Array(#"{"type":"bookmark","x":[1]}"#.utf8)) == .other(type: "bookmark"))
    }

    @Test(arguments: [
        "", "[]", "{", #"{"type":1}"#, #"{"id":1}"#, #"{"type":"event","id":1}"#, #"{"type":"missed","count":"1"}"#,
        #"{"type":"missed","count":1.5}"#, #"{"type":"missed","count":99999999999999999999}"#,
    ])
    func `what is no such line is an error, never a crash`(text: String) {
        #expect(throws: StreamLineError.self) { try StreamLine.parse(Array(text.utf8)) }
    }

    @Test func `an event's detail is read back with its payload untouched`() throws {
        let event = Sample.event(payload: #"{"id":12345678901234567890}"#)
        let journal = EventDetail.Journal.fields([
            JournalField(name: "MESSAGE", value: Array("a\"b".utf8)), JournalField(name: "X", value: [0xFF, 0]),
            JournalField(name: "X", value: []), JournalField(name: "Y", value: Array("be".utf8), isCut: true),
            JournalField(name: "Z", value: [0xFF, 0xFF, 0xFF, 0xFF], isCut: true),
        ])
        let bytes = try EventDetail.encode(event, definition: nil, journal: journal)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes)) }
        let detail = try EventDetail.parse(bytes)
        #expect(detail.event.content == .payload(Array(#"{"id":12345678901234567890}"#.utf8)))
        #expect(detail.source == "subsystem: com.example.*")
        #expect(detail.definition == nil)
        #expect(detail.journal == journal)
        for other in [EventDetail.Journal.gone, .unreadable("Permission denied")] {
            #expect(try EventDetail.parse(EventDetail.encode(event, definition: nil, journal: other)).journal == other)
        }
    }

    @Test func `a value that was cut in the middle of a character is still text`() throws {
        let cut = JournalField(name: "X", value: Array("保存".utf8.dropLast()), isCut: true)
        let bytes = try EventDetail.encode(
            Sample.event(payload: "{}"), definition: nil, journal: .fields([cut]))
        let expected = JournalField(name: "X", value: Array("保".utf8), isCut: true)
        #expect(try EventDetail.parse(bytes).journal == .fields([expected]))
    }
}

extension EventDetail {
    fileprivate static func encode(_ event: Event, definition: DefinitionReply?, journal: Journal) throws -> [UInt8] {
        var writer = try EventDetailWriter(event, definition: definition)
        writer.finish(journal)
        return Array(writer.take().joined())
    }
}
