/// When notices about events are sent, as the settings say.
package struct AlertRule: Sendable, Hashable {
    @Exact package var name: String
    /// Which events it is about, as a predicate without names of others.
    @Exact package var predicate: String
    package var condition: Condition
    /// The keys by which causes are distinguished: each cause is reported by itself.
    package var by: [ExactString]
    /// What notices say of the latest event: keys, and `message`.
    package var show: [ExactString]
    /// How long the condition has to hold before a notice is sent.
    package var holdTime: Duration
    /// How often it is reported again while it holds; `nil` for once.
    package var every: Duration?
    /// The notifiers that its notices are sent to.
    package var notify: [ExactString]

    package init(
        name: String, predicate: String, condition: Condition, by: [ExactString] = [], show: [ExactString] = [],
        holdTime: Duration = .zero, every: Duration? = nil, notify: [ExactString] = []
    ) {
        (self.condition, self.by, self.show, self.holdTime) = (condition, by, show, holdTime)
        (self.every, self.notify) = (every, notify)
        self.name = name
        self.predicate = predicate
    }

    package enum Condition: Sendable, Hashable {
        /// At least so many events in a time.
        case count(Int, within: Duration)
        /// At least so many events in a time, and so many times as many as in the time before.
        case growth(Double, count: Int, within: Duration)
        /// At least so many different values of a key in a time.
        case distinct(ExactString, count: Int, within: Duration)
        /// No event for a time.
        case absent(Duration)
        /// A cause that was never there before.
        case first
    }

    /// The keys that are read of each event: those of causes, and the one whose values are counted.
    package var keys: [ExactString] {
        if case .distinct(let key, _, _) = condition { by + [key] } else { by }
    }

    /// What a restart must find unchanged to go on with what was counted.
    package var meaning: String { "\(predicate)\n\(condition)\n\(by.map(\.text))" }
}

/// Where notices are sent.
package struct AlertNotifier: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A request to an address. The options are those of a sink; the address may be in a file.
        case webhook(SinkOptions, urlFile: String?)
        /// A program with its arguments, and how long it may take.
        case command([ExactString], timeout: Duration)
        /// An entry in the journal.
        case journal
    }

    @Exact package var name: String
    package var kind: Kind
    /// The text that is sent, with `{{…}}` for parts of the notice; `nil` for the whole as JSON.
    @Exact package var template: String?

    package init(name: String, kind: Kind, template: String? = nil) {
        self.kind = kind
        self.name = name
        self.template = template
    }
}
