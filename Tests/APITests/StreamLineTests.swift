import Foundation
import JSON
import Model
import TestSupport
import Testing

@testable import API

struct StreamLineTests {
    @Test func `a verification's lines are read as they were written`() throws {
        var found = JournalVerification()
        (found.stored, found.skipped, found.duplicates, found.expired, found.damaged) = (1, 20, 300, 4000, 50_000)
        (found.unexplained, found.missing, found.unexplainedNumbers) = (600_000, 7, 8)
        (found.unread, found.unreadableFiles) = (9, 10)
        var writer = StreamLineWriter()
        writer.append(found, percent: 12.345)
        found.examples = ["\"a\"\n", ""]
        writer.append(found)
        let lines = writer.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        try #require(lines.count == 2)
        #expect(try VerificationLine.parse(lines[1]) == .result(found))
        found.examples = []
        #expect(try VerificationLine.parse(lines[0]) == .progress(percent: 12.3, found))
        #expect(String(decoding: lines[0], as: UTF8.self).contains(#""entries":654321,"#))
        #expect(try VerificationLine.parse(Array(#"{"type":"new"}"#.utf8)) == .other)
        for wrong in [#"{"type":"verification"}"#, #"{"type":"progress","percent":"1"}"#, "[]"] {
            #expect(throws: StreamLineError.self) { try VerificationLine.parse(Array(wrong.utf8)) }
        }
    }

    @Test func `the end of an answer to a statement is known by its last line`() {
        let row = #"{"type":"row","values":["{\"type\":\"end\","]}"#
        let end = #"{"type":"end","rows":1,"cut":false}"#
        let error = #"{"type":"error","problem":{}}"#
        for (lines, isEnd) in [
            ("\(row)\n\(end)\n", true), ("\(end)\n", true), (end, false), ("\(end)\n\(row)\n", false),
            ("\(row)\n", false), ("\(row)\n\(error)\n", true), ("\(error)\n", true), (error, false),
            ("", false), ("\n", false), ("\(row)\(end)\n", false),
        ] {
            #expect(SQLLine.isEnd(of: Array(lines.utf8)) == isEnd, "\(lines)")
        }
    }

    @Test func `lines are the same, whatever was written and taken before them`() {
        var other = SampleEvent.event(key: EventKey(category: "shop", name: "\"tap\""))
        other.kind = EventKind(dictionary: "a dictionary", definitionsVersion: nil, key: other.kind.key)
        let events = [SampleEvent.event(), other, SampleEvent.event(resolution: .plain)]
        let lines = events.map { event in
            var writer = StreamLineWriter()
            writer.append(event)
            return writer.bytes
        }
        // The objects are the same for each, and the places of their members differ.
        var writer = StreamLineWriter()
        for round in [[0, 0, 1], [2, 1, 0, 1, 2], [1], [0, 1]] {
            for number in round { writer.append(events[number]) }
            #expect(writer.bytes == round.flatMap { lines[$0] })
            _ = writer.take()
        }
    }

    @Test func `a line has the members that are asked for, as among all`() throws {
        var program = SampleEvent.event(findings: SampleEvent.findings)
        program.program = ProgramFacts(level: .err, timeMicroseconds: 1_795_222_800_000_001)
        let keyed = SampleEvent.event(key: EventKey(category: "recipe_detail", name: "tap"))
        let plain = SampleEvent.event(
            resolution: .plain, bytes: [0xFF, 0x41], findings: Findings(reason: "byte 1: expected a value"))
        var seen: Set<String> = []
        for (event, isHighlighted) in [(program, true), (keyed, false), (plain, true)] {
            func line(_ members: LineMembers) throws -> [String: NSObject] {
                var writer = StreamLineWriter(of: members)
                for _ in 0..<2 { writer.append(event, isHighlighted: isHighlighted) }
                let lines = writer.bytes.split(separator: UInt8(ascii: "\n"))
                #expect(lines.count == 2 && lines[0] == lines[1])
                return try #require(try JSONSerialization.jsonObject(with: Data(lines[0])) as? [String: NSObject])
            }
            let whole = try line(.all)
            seen.formUnion(whole.keys)
            for name in LineMembers.names {
                for names in [[name], LineMembers.names.filter { $0 != name }] {
                    let members = try #require(LineMembers(list: names.joined(separator: ",")))
                    let wanted = Set(names + ["type", "id"])
                    // The bytes of a message come with it.
                    let expected = whole.filter { wanted.contains($0.key == "raw_base64" ? "message" : $0.key) }
                    #expect(try line(members) == expected, "\(names)")
                }
            }
        }
        #expect(seen == Set(LineMembers.names))
    }

    @Test func `a line that has fewer members is read as far as it goes`() throws {
        let event = SampleEvent.event(key: EventKey(category: "recipe_detail", name: "tap"))
        func read(_ members: LineMembers, as asked: LineMembers) throws -> EventLine? {
            var (writer, reader) = (StreamLineWriter(of: members), StreamLineReader(asked))
            writer.append(event)
            guard case .event(let line) = try reader.read(writer.bytes) else { return nil }
            return line
        }
        let whole = try #require(try read(.all, as: .all))
        let few = LineMembers(toRead: ["category", "payload"])
        var expected = whole
        (expected.uid, expected.cursor, expected.pid) = ("", "", nil)
        expected.kind = EventKind(dictionary: nil, definitionsVersion: nil, key: nil)
        expected.origin = EventLine.Origin(bootID: "", sender: SenderValues { $0 == .category ? "ActivityLog" : nil })
        #expect(try read(few, as: few) == expected)
        #expect(try read(.all, as: few)?.content == whole.content)
        // Nothing that was asked for may be absent.
        #expect(throws: StreamLineError.self) { try read(few, as: .all) }
    }

    @Test func `every kind of line is read back`() throws {
        let cursor = SampleEvent.event().cursor
        let gap = GapRecord(
            id: 3, afterEventID: 4711,
            gap: Gap(
                cause: .rateLimited, realtimeMicroseconds: 1_795_222_800_000_000, from: cursor, count: 17,
                message: "journald dropped \"17\" messages"))
        let problem = Problem(status: 503, title: "Busy", detail: "a\nb", parameter: "n")
        var writer = StreamLineWriter()
        writer.append(SampleEvent.event())
        try writer.append(gap)
        writer.append(missed: 12)
        try writer.append(problem)
        writer.append(late: 4711)
        let lines = writer.bytes.split(separator: UInt8(ascii: "\n"))
        try #require(lines.count == 5)
        guard case .event(let event) = try StreamLine.parse(Array(lines[0])) else {
            Issue.record("not an event")
            return
        }
        #expect(event.id == 4711)
        #expect(try StreamLine.parse(Array(lines[1])) == .gap(GapLine(gap)))
        #expect(try StreamLine.parse(Array(lines[2])) == .missed(count: 12))
        #expect(try StreamLine.parse(Array(lines[3])) == .error(problem))
        #expect(try StreamLine.parse(Array(lines[4])) == .late(count: 4711))
    }

    @Test func `a line is read alike behind any other`() throws {
        var writer = StreamLineWriter()
        writer.append(SampleEvent.event(key: EventKey(category: "recipe_detail", name: "tap")))
        let line = String(decoding: writer.bytes, as: UTF8.self)
        let shared = [
            #""boot_id":"11112222333344445555666677778888""#, #""subsystem":"com.example.shop""#,
            #""category":"ActivityLog""#, #""host":"web1""#, #""identifier":"shop""#, #""unit":"shop.service""#,
            #""process_uid":1000"#, #""event":{"category":"recipe_detail","name":"tap"}"#, #""dictionary":"shop""#,
            #""definitions_version":"0123456789abcdef""#,
        ]
        var lines = [line]
        for member in shared {
            try #require(line.contains(",\(member),"))
            lines.append(line.replacing(",\(member),", with: ","))
            // Another text of the same length, and the same text elsewhere.
            let last = try #require(member.lastIndex { $0.isLetter || $0.isNumber })
            lines.append(line.replacing(member, with: member.replacingCharacters(in: last...last, with: "2")))
            lines.append(line.replacing(",\(member),", with: ",").replacing("{\"type\"", with: "{\(member),\"type\""))
        }
        let alone = lines.map { try? StreamLine.parse(Array($0.utf8)) }
        for before in lines {
            for (line, expected) in zip(lines, alone) {
                var reader = StreamLineReader()
                _ = try? reader.read(Array(before.utf8))
                #expect((try? reader.read(Array(line.utf8))) == expected)
            }
        }
        var (random, reader) = (SeededGenerator(seed: 5), StreamLineReader())
        for _ in 0..<500 {
            let place = Int.random(in: lines.indices, using: &random)
            #expect((try? reader.read(Array(lines[place].utf8))) == alone[place])
        }
        // Without its boot, subsystem, category or host, a line is none. Members may be in any order.
        #expect(alone.count { $0 == nil } == 4)
        #expect(Set(alone).count == 1 + shared.count + (shared.count - 4) + 1)
    }

    @Test func `members are written in the order in which they are expected`() throws {
        let (first, end) = (WireKey("boot_id", in: EventLine.order), WireKey("event", in: EventLine.order))
        var program = SampleEvent.event()
        (program.program.level, program.program.timeMicroseconds) = (.err, 7)
        program.text = MessageText([0x61, 0xFF])
        program.findings = Findings(violations: [], warnings: [], reason: "a reason")
        for event in [
            program, SampleEvent.event(key: EventKey(category: "shop", name: "tap")),
            SampleEvent.event(resolution: .plain), SampleEvent.event(resolution: .malformed),
        ] {
            for isHighlighted in [false, true] {
                var writer = StreamLineWriter()
                writer.append(event, isHighlighted: isHighlighted)
                let section = try WireObject(writer.bytes, in: EventLine.order).section(from: first, upTo: end)
                let text = String(decoding: try #require(section), as: UTF8.self)
                #expect(text.hasPrefix("boot_id\":") && text.contains("\"host\":"), "\(text)")
            }
        }
        #expect(
            try WireObject(Array(#"{"type":"new","id":1}"#.utf8), in: EventLine.order).section(from: first, upTo: end)
                == [])
        #expect(
            try WireObject(Array(#"{"id":1,"type":"new"}"#.utf8), in: EventLine.order).section(from: first, upTo: end)
                == nil)
    }

    @Test func `a gap line is what the documentation says`() throws {
        var writer = StreamLineWriter()
        try writer.append(
            GapRecord(
                id: 1, afterEventID: 0, gap: Gap(cause: .deleted, realtimeMicroseconds: 0, message: "gone")))
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"type":"gap","id":1,"after":0,"cause":"deleted","#
                + #""time":"1970-01-01T00:00:00.000000Z","certainty":"exact","message":"gone"}"#
                + "\n")
    }

    @Test func `what a gap knows of a file and of numbers is read back, from a stream and from a document`() throws {
        let cursor = SampleEvent.event().cursor
        let part = Gap.FilePart(fileID: ID128(high: 1, low: 2), path: "/j/\"保\".journal", range: 4096..<UInt64.max)
        let record = GapRecord(
            id: 1, afterEventID: 0,
            gap: Gap(
                cause: .missing, realtimeMicroseconds: 0, from: cursor, to: cursor, count: .max,
                certainty: .atMost, part: part, numbers: 7...UInt64.max, message: "gone"))
        let gap = GapLine(record)
        #expect(gap.certainty == "at_most")
        #expect(
            gap.file
                == .init(
                    id: "00000000000000010000000000000002", path: "/j/\"保\".journal", from: 4096, to: UInt64.max))
        #expect(gap.numbers == .init(first: 7, last: UInt64.max))
        var writer = StreamLineWriter()
        try writer.append(record)
        #expect(try StreamLine.parse(writer.bytes) == .gap(gap))
        #expect(try APICoding.decode(GapLine.self, from: APICoding.encode(gap)) == gap)
        // The same members in either place, but for the type.
        var written = try #require(try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        written["type"] = nil
        let document = try JSONSerialization.jsonObject(with: Data(APICoding.encode(gap))) as? NSDictionary
        #expect(document == written as NSDictionary)
    }

    @Test func `a type of a later version is passed on by name`() throws {
        #expect(try StreamLine.parse(Array(#"{"type":"bookmark","x":[1]}"#.utf8)) == .other)
    }

    @Test(arguments: [
        "", "[]", "{", #"{"type":1}"#, #"{"id":1}"#, #"{"type":"event","id":1}"#, #"{"type":"missed","count":"1"}"#,
        #"{"type":"missed","count":1.5}"#, #"{"type":"late"}"#,
        #"{"type":"late","count":"many"}"#, #"{"type":"missed","count":99999999999999999999}"#,
    ])
    func `what is no such line is an error, never a crash`(text: String) {
        #expect(throws: StreamLineError.self) { try StreamLine.parse(Array(text.utf8)) }
    }

    @Test func `an event's detail is read back with its payload untouched`() throws {
        let event = SampleEvent.event(payload: #"{"id":12345678901234567890}"#)
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

    @Test func `the deepest payload is read back within a line and a document`() throws {
        let depth = JSONLimits.payload.maximumDepth - 1
        let payload =
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        #expect(try JSONScanner.members(of: Array(payload.utf8), limits: .payload).count == 1)
        let event = SampleEvent.event(payload: payload)
        var writer = StreamLineWriter()
        writer.append(event)
        guard case .event(let line) = try StreamLine.parse(writer.bytes) else {
            Issue.record("not an event")
            return
        }
        #expect(line.content == .payload(Array(payload.utf8)))
        let detail = try EventDetail.parse(EventDetail.encode(event, definition: nil, journal: .gone))
        #expect(detail.event.content == line.content)
    }

    @Test func `a value that was cut in the middle of a character is still text`() throws {
        let cut = JournalField(name: "X", value: Array("保存".utf8.dropLast()), isCut: true)
        let bytes = try EventDetail.encode(
            SampleEvent.event(payload: "{}"), definition: nil, journal: .fields([cut]))
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
