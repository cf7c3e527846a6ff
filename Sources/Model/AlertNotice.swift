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

    package init(
        alert: String, state: State, cause: [Part], text: String, time: UInt64, since: UInt64, event: Int64?
    ) {
        (self.state, self.cause, self.time, self.since, self.event) = (state, cause, time, since, event)
        self.alert = alert
        self.text = text
    }

    /// How many of the newest are kept, whether they were delivered or not.
    package static let mostKept = 10_000

    /// The MESSAGE_ID of its journal entries.
    package static let messageID = "cdf060c965f34bddb9ffe9923b5a8e5e"

    /// Returns the notice with other values, also in its text.
    package func replacingValues(_ body: (Part) -> String?) -> AlertNotice {
        var notice = self
        for place in cause.indices { notice.cause[place].value = body(cause[place]) }
        let (about, end) = (Self.about(causeText), Array(Self.about(causeText).utf8))
        if !about.isEmpty, text.utf8.suffix(end.count).elementsEqual(end) {
            notice.text = String(decoding: text.utf8.dropLast(end.count), as: UTF8.self) + Self.about(notice.causeText)
        }
        return notice
    }

    /// How a text ends that is about a cause.
    package static func about(_ causeText: String) -> String { causeText.isEmpty ? "" : " (\(causeText))" }

    /// `event recipe/tap, user 42`
    package var causeText: String {
        cause.map { "\($0.key) \($0.value ?? "(none)")" }.joined(separator: ", ")
    }
}
