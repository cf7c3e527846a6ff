package import API
package import JSON
import Model
import Store

/// What is known of the events of one definition.
package struct DefinitionHistory: Sendable {
    /// Holds the memory of the reply.
    package private(set) var source: EventSource
    let dictionary: LoadedDictionary
    let definition: DefinitionReply
    /// Microseconds since 1970.
    let now: UInt64

    package init(source: EventSource, dictionary: LoadedDictionary, definition: DefinitionReply, now: UInt64) {
        self.source = source
        self.dictionary = dictionary
        self.definition = definition
        self.now = now
    }

    private static let day: UInt64 = 86_400_000_000

    private var store: EventStore { source.store }

    private var key: EventKey { EventKey(category: definition.category, name: definition.name) }
    private var name: String { dictionary.dictionary.options.name }

    /// The reply's JSON text.
    package mutating func reply() async throws -> JSONPieces {
        let all = try await uses()
        let use = DefinitionUses(all, of: name)[key]
        let example = try await example(all)
        let facts = DefinitionDetail.Facts(
            version: dictionary.dictionary.version,
            loadedAt: WireTime(microseconds: dictionary.loadedAtMicroseconds),
            state: DefinitionState(isObsolete: definition.obsolete, use),
            usage: DefinitionUse(
                total: use?.counts ?? [:], day: try await counts(since: Self.day),
                week: try await counts(since: 7 * Self.day), firstSeen: use?.firstSeen, lastSeen: use?.lastSeen,
                watchedSince: try await store.watchedSince(dictionary: name)[key].map(WireTime.init(microseconds:))),
            violations: try await violations(),
            links: dictionary.dictionary.options.links.links(to: key, payload: example?.payload))
        return try DefinitionDetail(definition: definition, facts: facts).encode(example: example)
    }

    /// - Parameter ago: microseconds; `nil` for all events ever.
    private func predicate(_ resolutions: [Resolution], since ago: UInt64? = nil) -> Predicate {
        let events = Predicate.resolved(as: resolutions)
            .and(.text(.dictionary, .among([ExactString(name)])))
            .and(.text(.event, .among([ExactString(key.description)])))
        return ago.map { events.and(.sent(from: now > $0 ? now - $0 : 0)) } ?? events
    }

    private func uses(since ago: UInt64? = nil) async throws -> [EventCount] {
        try await store.eventCounts(matching: predicate([.resolved, .violating], since: ago))
    }

    private func counts(since ago: UInt64) async throws -> [String: Int64] {
        DefinitionUses(try await uses(since: ago), of: name)[key]?.counts ?? [:]
    }

    private func violations() async throws -> [ViolationUse] {
        try await store.findingCounts(matching: predicate([.violating]))
            .filter(\.isViolation)
            .sorted {
                let (one, other) = ([$0.parameter ?? "", $0.rule], [$1.parameter ?? "", $1.rule])
                return $0.count == $1.count ? one.lexicographicallyPrecedes(other, by: <) : $0.count > $1.count
            }
            .map {
                ViolationUse(
                    parameter: $0.parameter, rule: $0.rule, count: $0.count,
                    lastSeen: WireTime(microseconds: $0.lastMicroseconds))
            }
    }

    /// The newest stored event that fits the definition, or else the newest one.
    private mutating func example(_ uses: [EventCount]) async throws -> Event? {
        for resolution in [Resolution.resolved, .violating] {
            for use in uses where use.resolution == resolution {
                if let event = try await source.event(id: use.lastEventID), isExample(event, resolution) {
                    return event
                }
            }
            guard uses.contains(where: { $0.resolution == resolution }) else { continue }
            if let event = try await newest(resolution) { return event }
        }
        return nil
    }

    /// Searches the newest event, because the last one that was counted may have another resolution now. It does not search
    /// among millions.
    private mutating func newest(_ resolution: Resolution) async throws -> Event? {
        var before: Int64?
        for _ in 0..<20 {
            let page = try await source.page(matching: predicate([resolution]), before: before, limit: 1)
            if let event = page.events.first { return event }
            source.release()
            guard let next = page.next else { return nil }
            before = next
        }
        return nil
    }

    private func isExample(_ event: Event, _ resolution: Resolution) -> Bool {
        event.resolution == resolution && event.kind.key == key && event.kind.dictionary == name
    }
}
