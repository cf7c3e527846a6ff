/// A notice: what an alert sends to its notifiers.
package struct AlertNotice: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Codable, CaseIterable {
        case firing
        /// It still holds.
        case repeated
        case resolved
        case test
    }

    /// A key, and the value that the events of the cause have for it.
    package struct Part: Sendable, Hashable, Codable {
        @Exact package var key: String
        @Exact package var value: String?

        package init(key: String, value: String?) {
            self.key = key
            self.value = value
        }
    }

    @Exact package var alert: String
    package var state: State
    package var cause: [Part]
    /// In a sentence.
    @Exact package var text: String
    /// Microseconds since 1970.
    package var time: UInt64
    /// Since when the condition holds, or has held.
    package var since: UInt64
    /// The latest event of the cause. Retention may have removed it.
    package var event: Int64?
    /// What that event has for the keys that the rule shows; `nil` if it shows none, or they have not been read yet.
    package private(set) var shown: [Part]?

    package init(
        alert: String, state: State, cause: [Part], text: String, time: UInt64, since: UInt64, event: Int64?
    ) {
        (self.state, self.cause, self.time, self.since, self.event) = (state, cause, time, since, event)
        self.alert = alert
        self.text = text
    }

    /// The key of the text of an event, which is shown, and is none that causes could have.
    package static let messageKey = ExactString("message")

    /// How many of the newest are kept at most, whether they were delivered or not.
    package static let mostKept = 10_000

    /// The MESSAGE_ID of its journal entries.
    package static let messageID = "cdf060c965f34bddb9ffe9923b5a8e5e"

    /// Returns the notice with what its latest event has, also in its text.
    package func showing(_ parts: [Part]) -> AlertNotice { changed { $0.shown = parts } }

    /// Returns the notice with other values, also in its text.
    package func replacingValues(_ body: (Part) -> String?) -> AlertNotice {
        changed { notice in
            for place in cause.indices { notice.cause[place].value = body(cause[place]) }
            notice.shown = shown?.map { Part(key: $0.key, value: body($0)) }
        }
    }

    private func changed(_ body: (inout AlertNotice) -> Void) -> AlertNotice {
        var notice = self
        body(&notice)
        let end = Array(ending.utf8)
        if text.utf8.suffix(end.count).elementsEqual(end) {
            notice.text = String(decoding: text.utf8.dropLast(end.count), as: UTF8.self) + notice.ending
        }
        return notice
    }

    /// How the text ends, which is about the cause and the latest event.
    package var ending: String {
        (causeText.isEmpty ? "" : " (\(causeText))") + (shownText.isEmpty ? "" : ": \(shownText)")
    }

    /// `event recipe/tap, user 42`
    package var causeText: String {
        cause.map { "\($0.key) \($0.value ?? "(none)")" }.joined(separator: ", ")
    }

    /// `message Payment failed, payload.code 502`, without what the event does not have.
    package var shownText: String {
        (shown ?? []).compactMap { part in part.value.map { "\(part.key) \($0)" } }.joined(separator: ", ")
    }
}
