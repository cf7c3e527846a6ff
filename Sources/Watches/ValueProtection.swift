internal import Model
internal import Store

/// Which values of keys must not be kept or shown, and what takes their place: what is stored of events that arrive now.
///
/// Events that were stored before a name became private are read, too, until they are reprocessed, and watches have kept
/// values of them.
struct ValueProtection: Sendable {
    /// Of keys, as they are written, whose values are protected.
    private let kinds: [ExactString: Privacy]
    /// The names that texts of events may have protected values of, in small letters.
    private let names: [String]
    private let hash: @Sendable (String) -> String

    /// - Parameters:
    ///   - names: those whose values are protected in texts.
    ///   - hash: returns what is stored instead of a hashed value.
    init(
        _ kinds: [ExactString: Privacy], inTexts names: Set<ExactString> = [],
        hash: @escaping @Sendable (String) -> String
    ) {
        (self.kinds, self.hash) = (kinds.filter { $0.value != .public }, hash)
        self.names = names.map { $0.text.lowercased() }
    }

    var isEmpty: Bool { kinds.isEmpty && names.isEmpty }

    func value(_ value: ExactString?, of key: ExactString) -> ExactString? {
        guard let value else { return nil }
        let kind = key == AlertNotice.messageKey && hasName(value.text) ? .private : kinds[key]
        return kind.map { $0.replacement(of: value, hash: hash) } ?? value
    }

    /// The longest text that is searched for names, in bytes: others wait meanwhile.
    private static let longestSearched = 65_536

    /// Whether a text may have a protected value. Nothing says whether it is from before a name in it became private.
    private func hasName(_ text: String) -> Bool {
        guard text.utf8.count <= Self.longestSearched else { return !names.isEmpty }
        let text = text.lowercased()
        return names.contains { text.contains($0) }
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
