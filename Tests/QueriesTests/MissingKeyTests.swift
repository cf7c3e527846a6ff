import Model
import Testing

@testable import Queries

struct MissingKeyTests {
    @Test(arguments: [
        (#"{"event_category":"a","event_nmae":"b"}"#, "no event_name: event_nmae looks like it"),
        (
            #"{"eventCategory":"a","EVENT_NAME":"b","x":1}"#,
            "no event_category: eventCategory looks like it; no event_name"
        ),
        (#"{"event_category":7,"event_name":"b"}"#, "event_category is a number, not a string"),
        (
            #"{"event_category":null,"event_name":["b"]}"#,
            "event_category is null, not a string; event_name is an array, not a string"
        ),
        (#"{"level":"info","msg":"x"}"#, "no event_category; no event_name; its members are level, msg"),
        ("{}", "no event_category; no event_name; the object is empty"),
        (#"{"event_name":"b"}"#, "no event_category; its members are event_name"),
    ])
    func `a payload without a key says what is missing and what looks like it`(payload: String, reason: String) {
        #expect(MissingKey.reason(payload: Array(payload.utf8), layout: .usual)?.text == reason)
    }

    @Test(arguments: [#"{"event_category":"a","event_name":"b"}"#, "text", #"{"a":"#])
    func `what has its key, or is no object, has no such reason`(payload: String) {
        #expect(MissingKey.reason(payload: Array(payload.utf8), layout: .usual) == nil)
    }

    /// The second name is one character, as Unicode counts them.
    @Test(arguments: [String(repeating: "n", count: 5000), "e" + String(repeating: "\u{301}", count: 2500)])
    func `made-up names do not make the reason long, and values are never in it`(name: String) {
        let members = (0..<1000).map { "\"\($0)\(name)\":\"secret\"" }
        let payload = Array("{\(members.joined(separator: ","))}".utf8)
        let reason = MissingKey.reason(payload: payload, layout: .usual)?.text ?? ""
        #expect(reason.hasSuffix(" and 992 more"))
        #expect(reason.utf8.count < 1200)
        #expect(!reason.contains("secret"))
        let shape = MissingKey.shape(of: payload) ?? []
        #expect(shape.count == 8 && shape.allSatisfy { $0.utf8.count < 130 })
    }
}
