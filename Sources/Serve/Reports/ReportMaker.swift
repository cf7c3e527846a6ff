import API
import Model
import Store

/// Answers reports from the store's counters and the dictionaries in force; events are read only where the filter is on
/// what their payloads say, and one as a sample where only it can tell what is wrong.
struct ReportMaker: Sendable {
    let store: EventStore
    /// For single events.
    let source: EventSource
    /// In force.
    let dictionaries: [EventDictionary]
    let query: ReportQuery

    /// The definitions that the query asks for, by the dictionary's name.
    func definitions(of dictionary: EventDictionary) -> [Definition] {
        let globs = query.filter.events.map(Glob.init)
        return dictionary.categories.flatMap(\.definitions).filter { definition in
            globs.isEmpty || globs.contains { $0.matches(definition.key.description) }
        }
    }

    /// All events that meet the filter, also those that are in none of the report's rows: they are what it looked at.
    func uses() async throws -> [EventCount] { try await store.eventCounts(matching: query.filter) }

    /// The event's id, as long as it is stored.
    func sample(_ id: Int64, _ stored: StoreStatistics) -> Int64? {
        guard let oldest = stored.oldestEventID, id >= oldest else { return nil }
        return id
    }
}

extension [EventCount] {
    func with(_ resolutions: Resolution...) -> [EventCount] { filter { resolutions.contains($0.resolution) } }
}

extension EventOrigin {
    init(_ origin: EventCount.Origin) { self.init(subsystem: origin.subsystem, category: origin.category) }
}

/// A parameter of a definition, or with `nil` the definition itself.
struct DefinedPart: Hashable, Comparable {
    var key: EventKey
    @Exact var parameter: String?

    static func < (one: DefinedPart, other: DefinedPart) -> Bool {
        (one.key, ExactString(one.parameter ?? "")) < (other.key, ExactString(other.parameter ?? ""))
    }
}
