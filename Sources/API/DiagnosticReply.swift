/// `GET /v1/diagnostics`: what went wrong, and still does.
package struct DiagnosticList: Sendable, Hashable, Codable, DescribedObject {
    package var diagnostics: [DiagnosticReply]

    package init(diagnostics: [DiagnosticReply]) { self.diagnostics = diagnostics }

    package static let object = ObjectDescription(
        "DiagnosticList", "What went wrong, and still does",
        [member("diagnostics", \.diagnostics, "What lasts first, then the latest")])
}

package struct DiagnosticReply: Sendable, Hashable, Codable, DescribedObject {
    package enum State: String, Sendable, Codable, CaseIterable, ExampleValue { case raised, cleared, noted }

    package var code: String
    package var subject: String?
    package var state: State
    package var since: WireTime?
    package var first: WireTime
    package var last: WireTime
    package var count: Int64
    package var text: String
    package var advice: String?

    package init(
        code: String, subject: String?, state: State, since: WireTime?, first: WireTime, last: WireTime, count: Int64,
        text: String, advice: String?
    ) {
        (self.code, self.subject, self.state, self.since) = (code, subject, state, since)
        (self.first, self.last, self.count, self.text, self.advice) = (first, last, count, text, advice)
    }

    package static let object = ObjectDescription(
        "Diagnostic", "Something that went wrong; see docs/diagnostics.md",
        [
            member("code", \.code, "Its stable name", "sink.held"),
            member(
                "subject", \.subject, "What it is about, such as a sink; left out if that needs no name", "upstream"),
            member("state", \.state, "Raised: it lasts. Noted: it happens, and is counted", .raised),
            member("since", \.since, "Since when it lasts", .example),
            member("first", \.first, "When it was noticed first", .earlierExample),
            member("last", \.last, "When it was raised, noted or cleared last, or its text changed", .example),
            member("count", \.count, "How often it was raised, or has happened", 3),
            member("text", \.text, "What was wrong the last time", "Sink upstream is held: 401 Unauthorized"),
            member("advice", \.advice, "What to do about it", "Correct the settings or the upstream."),
        ])
}
