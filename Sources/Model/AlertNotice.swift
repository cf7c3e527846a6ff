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

    /// The MESSAGE_ID of its journal entries.
    package static let messageID = "cdf060c965f34bddb9ffe9923b5a8e5e"

    /// `event recipe/tap, user 42`
    package var causeText: String {
        cause.map { "\($0.key) \($0.value ?? "(none)")" }.joined(separator: ", ")
    }
}
