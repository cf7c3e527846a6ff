package import Model

/// `GET /v1/alerts`: the alert rules, in the order of the settings.
package struct AlertList: Sendable, Hashable, Codable, DescribedObject {
    package var alerts: [AlertReply]

    package init(alerts: [AlertReply]) { self.alerts = alerts }

    package static let object = ObjectDescription(
        "AlertList", "The alert rules", [member("alerts", \.alerts, "In the order of the settings")])
}

/// An alert rule, and what it comes to.
package struct AlertReply: Sendable, Hashable, Codable, DescribedObject {
    package enum State: String, Sendable, Codable, CaseIterable, ExampleValue { case ok, firing, held }

    package var name: String
    package var predicate: String?
    package var when: String
    package var state: State
    package var reason: String?
    package var firing: Int
    package var causes: [Cause]
    package var isCut: Bool
    package var notify: [String]
    package var silencedUntil: WireTime?

    package init(
        name: String, predicate: String?, when: String, state: State, reason: String?, firing: Int, causes: [Cause],
        isCut: Bool, notify: [String], silencedUntil: WireTime?
    ) {
        (self.name, self.predicate, self.when, self.state) = (name, predicate, when, state)
        (self.reason, self.firing, self.causes, self.isCut) = (reason, firing, causes, isCut)
        (self.notify, self.silencedUntil) = (notify, silencedUntil)
    }

    package static let object = ObjectDescription(
        "Alert", "An alert rule, and what it comes to",
        [
            member("name", \.name, "Its name", "checkout-errors"),
            member(
                "predicate", \.predicate,
                "Which events it is about; left out for clients that may not see values in it",
                "level >= error"),
            member("when", \.when, "Its condition, in words, with what by says", "10 events in 5 min by event"),
            member("state", \.state, "Held: its predicate has no meaning", .firing),
            member("reason", \.reason, "Why it is held", nil),
            member("firing", \.firing, "How many causes it fires for", 1),
            member("causes", \.causes, "Those causes, the oldest first, at most 100"),
            member(
                "is_cut", \.isCut,
                """
                Whether events were left out in the last hour (of first, ever), because there were more causes or \
                values than are kept
                """,
                false),
            member("notify", \.notify, "The notifiers that its notices are sent to", ["chat"]),
            member("silenced_until", \.silencedUntil, "Until when it sends no notices", nil),
        ])

    package struct Cause: Sendable, Hashable, Codable, DescribedObject {
        package var parts: [KeyValue]
        package var since: WireTime
        package var event: Int64?

        package init(parts: [KeyValue], since: WireTime, event: Int64?) {
            (self.parts, self.since, self.event) = (parts, since, event)
        }

        package static let object = ObjectDescription(
            "AlertCause", "What an alert fires for",
            [
                member("parts", \.parts, "What its events have for the keys of the rule"),
                member("since", \.since, "Since when the condition holds", .example),
                member("event", \.event, "The latest event; retention may have removed it", 4711),
            ])
    }
}

/// `GET /v1/alerts/history` and `/v1/alerts/{alert}/trial`: what was sent, or would have been.
package struct NoticeList: Sendable, Hashable, Codable, DescribedObject {
    package var notices: [NoticeReply]
    package var next: Int64?

    package init(notices: [NoticeReply], next: Int64? = nil) {
        self.notices = notices
        self.next = next
    }

    package static let object = ObjectDescription(
        "NoticeList", "What alerts have sent",
        [
            member("notices", \.notices, "The newest first; of a trial the oldest"),
            member("next", \.next, "The value of before for the next page; absent on the last page", nil),
        ])
}

package struct NoticeReply: Sendable, Hashable, Codable, DescribedObject {
    package var id: Int64?
    package var alert: String
    package var state: String
    package var text: String
    package var cause: [KeyValue]
    package var time: WireTime
    package var since: WireTime
    package var event: Int64?
    package var shown: [KeyValue]?
    package var silenced: Bool
    package var deliveries: [Delivery]

    package init(_ notice: AlertNotice, id: Int64? = nil, isSilenced: Bool = false, deliveries: [Delivery] = []) {
        (self.id, alert, state, text) = (id, notice.alert, notice.state.rawValue, notice.text)
        cause = notice.cause.map { .init(key: $0.key, value: $0.value) }
        (time, since) = (WireTime(microseconds: notice.time), WireTime(microseconds: notice.since))
        shown = notice.shown?.map { .init(key: $0.key, value: $0.value) }
        (event, silenced, self.deliveries) = (notice.event, isSilenced, deliveries)
    }

    package static let object = ObjectDescription(
        "Notice", "What an alert has sent",
        [
            member("id", \.id, "Its number; left out in a trial", 12),
            member("alert", \.alert, "The name of the rule", "checkout-errors"),
            member("state", \.state, "What happened", "firing", as: .choice(of: AlertNotice.State.self)),
            member("text", \.text, "In a sentence", "checkout-errors: 12 events in 5 min (event shop/pay)"),
            member("cause", \.cause, "What its events have for the keys of the rule"),
            member("time", \.time, "When it happened", .example),
            member("since", \.since, "Since when the condition holds, or has held", .example),
            member("event", \.event, "The latest event; retention may have removed it", 4711),
            member("shown", \.shown, "What that event had for the keys that the rule shows; left out if it shows none"),
            member("silenced", \.silenced, "Whether it was not sent, because the alert was silenced", false),
            member("deliveries", \.deliveries, "The notifiers that it was delivered to, or has to be"),
        ])

    package struct Delivery: Sendable, Hashable, Codable, DescribedObject {
        package var notifier: String
        package var deliveredAt: WireTime?

        package init(notifier: String, deliveredAt: WireTime?) {
            (self.notifier, self.deliveredAt) = (notifier, deliveredAt)
        }

        package static let object = ObjectDescription(
            "NoticeDelivery", "A notifier that a notice is sent to, and when it was delivered",
            [
                member("notifier", \.notifier, "The name of the notifier", "chat"),
                member("delivered_at", \.deliveredAt, "When it was delivered; left out before", .example),
            ])
    }
}
