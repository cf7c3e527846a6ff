import Foundation
import Model
import TestSupport
import Testing

@testable import API

struct EventLineTests {
    @Test func `an event is one line with its keys in order`() {
        let key = EventKey(category: "recipe_detail", name: "tap_save_button")
        let event = SampleEvent.event(findings: SampleEvent.findings, key: key)
        let expected =
            #"{"type":"event","id":4711,"uid":"\#(event.uid)","time":"2026-11-21T01:00:00.123456Z","#
            + #""cursor":"\#(event.cursor)","level":"notice","pid":812,"#
            + #""boot_id":"11112222333344445555666677778888","#
            + #""subsystem":"com.example.shop","category":"ActivityLog","host":"web1","identifier":"shop","#
            + #""unit":"shop.service","process_uid":1000,"#
            + #""event":{"category":"recipe_detail","name":"tap_save_button"},"dictionary":"shop","#
            + #""definitions_version":"0123456789abcdef","resolution":"violating","#
            + #""violations":[{"parameter":"recipe_id","rule":"type","expected":"bigint","found":"string"}],"#
            + #""warnings":[{"rule":"obsolete-parameter","parameter":"user_status"},{"rule":"obsolete-event"}],"#
            + #""payload":{"recipe_id":"123456"}}"#
        #expect(line(event) == expected + "\n")
    }

    @Test func `what an event does not have is left out`() {
        var event = SampleEvent.event(resolution: .unkeyed, payload: "{}")
        event.origin = Origin(
            [.subsystem: "s", .host: "h"], bootID: SampleEvent.boot, seqnumID: SampleEvent.boot, source: "")
        event.pid = nil
        // Of a dictionary that could not be loaded yet.
        event.kind = EventKind(dictionary: "shop", definitionsVersion: "", key: nil)
        #expect(!line(event).contains("definitions_version"))
        event.kind = EventKind(dictionary: nil, definitionsVersion: nil, key: nil)
        let text = line(event)
        for key in [
            "identifier", "unit", "pid", "process_uid", "event\":", "dictionary", "definitions_version", "reason",
        ] {
            #expect(!text.contains("\"\(key)"), "\(key)")
        }
        #expect(text.hasSuffix(#""violations":[],"warnings":[],"payload":{}}"# + "\n"))
    }

    @Test func `what the program says, and the text of a payload, stand beside what the journal says`() throws {
        var event = SampleEvent.event(payload: #"{"n":1}"#)
        event.text = MessageText(Array("n is \n".utf8), payloadPlace: 5)
        event.program = ProgramFacts(level: .err, timeMicroseconds: 1_795_255_200_500_000)
        let text = line(event)
        #expect(text.contains(#""level":"notice","program_level":"err","program_time":"2026-11-21T10:00:00.500000Z""#))
        #expect(text.hasSuffix(#""payload":{"n":1},"message":"n is {\"n\":1}\n"}"# + "\n"))
        let read = try EventLine.parse(Array(text.utf8))
        #expect(read.level == .notice && read.programLevel == .err && read.effectiveLevel == .err)
        #expect(read.programTime?.microseconds == 1_795_255_200_500_000)
        #expect(read.content == .payload(Array(#"{"n":1}"#.utf8)) && read.text == "n is {\"n\":1}\n")
        event.text = MessageText([0x61, 0xFF])
        #expect(line(event).hasSuffix("\"payload\":{\"n\":1},\"message\":\"a\u{FFFD}\",\"raw_base64\":\"Yf8=\"}\n"))
    }

    @Test(arguments: [
        #"{"id":9223372036854775807}"#, #"{"n":1e999,"m":-0.10,"k":18446744073709551616}"#,
        #"{"a":1,"a":2}"#, #"{ "spaced" : [ 1 , 2 ] }"#, #"{"s":"\ud800 \u00e9 é \/"}"#,
    ])
    func `a payload goes through byte for byte, there and back`(payload: String) throws {
        let text = line(SampleEvent.event(payload: payload))
        #expect(text.contains(#""payload":\#(payload)}"#))
        #expect(try EventLine.parse(Array(text.utf8)).content == .payload(Array(payload.utf8)))
    }

    @Test func `line breaks between a payload's tokens become spaces`() {
        let text = line(SampleEvent.event(payload: "{\r\n\"a\":\n1}"))
        #expect(text.hasSuffix("\"payload\":{  \"a\": 1}}\n"))
        #expect(text.filter(\.isNewline).count == 1)
    }

    @Test func `a message that is not UTF-8 is repaired, and its bytes are there as well`() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0x0A, 0x62]
        let text = line(SampleEvent.event(resolution: .plain, bytes: bytes))
        let parsed = try EventLine.parse(Array(text.utf8))
        #expect(parsed.content == .message("a\u{FFFD}\nb", raw: bytes))
        #expect(text.filter(\.isNewline).count == 1)
    }

    @Test func `a malformed event has its message and its reason`() throws {
        let text = line(
            SampleEvent.event(
                resolution: .malformed, payload: #"{"a":"#, findings: Findings(reason: "byte 5: ends too early")))
        let parsed = try EventLine.parse(Array(text.utf8))
        #expect(parsed.content == .message(#"{"a":"#, raw: nil))
        #expect(parsed.reason == "byte 5: ends too early")
    }

    @Test(arguments: Resolution.allCases)
    func `every line is JSON and is read back`(resolution: Resolution) throws {
        let nasty = "\"\\\u{1}\u{7f}é\u{2028}😀\n"
        var event = SampleEvent.event(
            resolution: resolution, findings: SampleEvent.findings, level: .crit,
            key: EventKey(category: nasty, name: nasty)
        )
        event.origin = Origin(
            [
                .subsystem: nasty, .category: nasty, .host: nasty, .identifier: nasty, .unit: nasty,
                .processUID: "4294967295",
            ],
            bootID: SampleEvent.boot, seqnumID: SampleEvent.boot, source: nasty)
        let bytes = Array(line(event).utf8)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes)) }
        let parsed = try EventLine.parse(bytes)
        #expect(parsed.subsystem == nasty)
        #expect(parsed.sender[.unit] == nasty)
        #expect(parsed.sender[.processUID] == "4294967295")
        #expect(parsed.event == event.kind.key)
        #expect(parsed.level == .crit)
        #expect(parsed.resolution == resolution)
        #expect(
            parsed.violations == [
                ViolationLine(parameter: "recipe_id", rule: .type, expected: "bigint", found: "string")
            ])
        #expect(parsed.warnings == SampleEvent.findings.warnings)
        #expect(parsed.cursor == event.cursor.description)
        #expect(parsed.uid == event.uid.description)
        #expect(parsed.time.microseconds == event.realtimeMicroseconds)
    }

    @Test func `one buffer takes many lines`() {
        var (bytes, repeated) = ([UInt8](), RepeatedMembers())
        for _ in 0..<3 { EventLine.append(SampleEvent.event(), to: &bytes, &repeated) }
        #expect(String(decoding: bytes, as: UTF8.self) == String(repeating: line(SampleEvent.event()), count: 3))
    }

    private func line(_ event: Event) -> String {
        var bytes: [UInt8] = []
        var repeated = RepeatedMembers()
        EventLine.append(event, to: &bytes, &repeated)
        return String(decoding: bytes, as: UTF8.self)
    }
}

struct ASCIITextTests {
    @Test(arguments: [0, 1, 9, 10, 0xF, 0x10, 0xABCD_EF01, 1 << 32, 0x0123_4567_89AB_CDEF, .max] as [UInt64])
    func `numbers are written as the standard library writes them`(number: UInt64) {
        #expect(text { $0.put(hexadecimal: number) } == String(number, radix: 16))
        let signed = Int64(bitPattern: number)
        #expect(text { $0.put(decimal: signed) } == signed.description)
        #expect(text { $0.put(decimal: -(signed / 3)) } == (-(signed / 3)).description)
    }

    @Test func `a cursor has the text that it is described by`() {
        for _ in 0..<1000 {
            func number() -> UInt64 { .random(in: 0 ... .max) >> UInt64.random(in: 0..<64) }
            let cursor = JournalCursor(
                seqnumID: ID128(high: number(), low: number()), seqnum: number(),
                bootID: ID128(high: number(), low: number()), monotonicMicroseconds: number(),
                realtimeMicroseconds: number(), xorHash: number())
            #expect(text { $0.put(cursor) } == cursor.withoutHash.description)
        }
    }

    private func text(_ fill: (inout ASCIIText) -> Void) -> String {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            var text = ASCIIText(buffer: buffer)
            fill(&text)
            return String(decoding: buffer[..<text.count], as: UTF8.self)
        }
    }
}
