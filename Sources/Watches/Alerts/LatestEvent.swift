internal import Model
internal import Store

/// Reads what notices say of the latest event, which nothing else keeps of a rule.
struct LatestEvent {
    let store: EventStore
    let meanings: StandingPredicates

    /// The longest text of an event that is shown, in bytes.
    private static let longestMessage = 1000

    /// Returns a notice with what its event has for the keys that its rule shows: nothing if it was removed, or cannot be read.
    func shown(in notice: AlertNotice, of rule: AlertRule) async -> AlertNotice {
        guard !rule.show.isEmpty, notice.mayShow, let id = notice.event else { return notice }
        var parts: [AlertNotice.Part] = []
        for key in rule.show { parts.append(.init(key: key.text, value: await value(of: id, key))) }
        return meanings.protected(notice.showing(parts), in: rule.predicate)
    }

    /// - Returns: `nil` as well for what cannot be read: it must not keep the notice back.
    private func value(of id: Int64, _ key: ExactString) async -> String? {
        do {
            guard let group = try meanings.shownKey(key) else { return try await message(of: id) }
            let items = [EventWatch.Item(event: nil)]
            let watch = try EventWatch([.init(predicate: .everything, keeping: [group], items: items)])
            let found = try await store.count(watch, after: id - 1, through: id).sums[0][0].events
            let texts = found.compactMap { $0.values[0]?.text }
            return texts.isEmpty ? nil : texts.joined(separator: ", ")
        } catch {
            return error is PredicateFault ? "(no such key)" : nil
        }
    }

    /// Returns the text of an event without its payload, whose parameters are keys by themselves.
    private func message(of id: Int64) async throws(StoreError) -> String? {
        guard let event = try await store.events(ids: [id], bytes: .max).page.events.first else { return nil }
        let around = event.text.flatMap { $0.payloadPlace == nil ? nil : $0.bytes }
        guard let bytes = event.resolution.hasPayload ? around : event.message else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmed
        return text.isEmpty ? nil : Array(text.utf8).withUnsafeBytes { $0.text(atMost: Self.longestMessage) }
    }
}

extension AlertNotice {
    /// Whether it could say what its latest event has, and does not yet. The end of a cause is not about an event.
    var mayShow: Bool { shown == nil && state != .resolved && event != nil }
}
