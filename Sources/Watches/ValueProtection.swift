internal import Model
internal import Store

/// Which values of keys must not be kept or shown, and what takes their place: what is stored of events that arrive now.
///
/// Events that were stored before a name became private are read, too, until they are reprocessed, and watches have kept
/// values of them.
struct ValueProtection: Sendable {
    /// Of keys, as they are written, whose values are protected.
    private let kinds: [ExactString: Privacy]
    private let hash: @Sendable (String) -> String

    /// - Parameter hash: returns what is stored instead of a hashed value.
    init(_ kinds: [ExactString: Privacy], hash: @escaping @Sendable (String) -> String) {
        (self.kinds, self.hash) = (kinds.filter { $0.value != .public }, hash)
    }

    var isEmpty: Bool { kinds.isEmpty }

    func value(_ value: ExactString?, of key: ExactString) -> ExactString? {
        guard let value, let kind = kinds[key] else { return value }
        return kind.replacement(of: value, hash: hash)
    }

    /// - Parameter keys: those of the values, in their order; there may be more keys.
    func values(_ values: [ExactString?], of keys: [ExactString]) -> [ExactString?] {
        zip(values, keys).map { value($0, of: $1) }
    }

    func events(_ events: [WatchedEvent], of keys: [ExactString]) -> [WatchedEvent] {
        isEmpty ? events : events.map { WatchedEvent(place: $0.place, values: values($0.values, of: keys)) }
    }

    func notice(_ notice: AlertNotice) -> AlertNotice {
        isEmpty
            ? notice
            : notice.replacingValues { part in
                value(part.value.map { ExactString($0) }, of: ExactString(part.key))?.text
            }
    }
}
