internal import Model
internal import Store

/// Reads what notices of a rule say of the latest event, which nothing else keeps.
struct LatestEvent {
    private let rule: AlertRule
    private let store: EventStore
    private let meanings: StandingPredicates
    /// What is read of an event, a group for each of `keys`; `nil` for nothing.
    private let watch: EventWatch?
    private let keys: [ExactString]

    init(of rule: AlertRule, _ store: EventStore, _ meanings: StandingPredicates) {
        (self.rule, self.store, self.meanings) = (rule, store, meanings)
        let names = meanings.names
        var groups: [EventWatch.Group] = []
        var keys: [ExactString] = []
        for key in rule.show {
            guard let group = (try? StandingPredicates.shownKey(key, names)) ?? nil else { continue }
            groups.append(.init(predicate: .everything, keeping: [group], items: [.init(event: nil)]))
            keys.append(key)
        }
        watch = groups.isEmpty ? nil : try? EventWatch(groups)
        self.keys = keys
    }

    /// The most notices that say it, of those that are made at once.
    static let mostNotices = 200
    /// The most values of a key that are shown, and the longest text of an event, in bytes.
    private static let mostValues = 5
    private static let longestMessage = 1000

    /// Returns a notice with what its event has for the keys: nothing if it was removed, or cannot be read, which must not
    /// keep the notice back.
    func shown(in notice: AlertNotice) async -> AlertNotice {
        guard notice.mayShow, !rule.show.isEmpty, let id = notice.event else { return notice }
        let values = await values(of: id)
        var parts: [AlertNotice.Part] = []
        for key in rule.show {
            let texts =
                if key == AlertNotice.messageKey {
                    await message(of: id)
                } else {
                    keys.contains(key) ? values[key] ?? [] : ["(no such key)"]
                }
            // Each by itself: it may have to be protected.
            let shown = texts.prefix(Self.mostValues).map { AlertNotice.Part(key: key.text, value: $0) }
            parts += shown.isEmpty ? [.init(key: key.text, value: nil)] : shown
        }
        // First, because what is cut off may say that the rest is private.
        return meanings.protected(notice.showing(parts), in: rule.predicate).replacingValues { part in
            guard ExactString(part.key) == AlertNotice.messageKey else { return part.value }
            return part.value?.text(atMost: Self.longestMessage)
        }
    }

    private func values(of id: Int64) async -> [ExactString: [String]] {
        guard let watch, let sums = try? await store.count(watch, after: id - 1, through: id).sums else { return [:] }
        let found = sums.map { $0[0].events.compactMap { $0.values[0]?.text } }
        return [ExactString: [String]](uniqueKeysWithValues: zip(keys, found))
    }

    /// Returns the text of an event, if it has one, without its payload, whose parameters are keys by themselves.
    private func message(of id: Int64) async -> [String] {
        guard let event = try? await store.events(ids: [id], bytes: .max).page.events.first else { return [] }
        let around = event.text.flatMap { $0.payloadPlace == nil ? nil : $0.bytes }
        guard let bytes = event.resolution.hasPayload ? around : event.message else { return [] }
        let text = String(decoding: bytes, as: UTF8.self).trimmed
        return text.isEmpty ? [] : [text]
    }
}

extension AlertNotice {
    /// Whether it could say what its latest event has, and does not yet. The end of a cause is not about an event.
    var mayShow: Bool { shown == nil && state != .resolved && event != nil }
}
