import API
import Model
import Store

/// Answers reports from the store's counters and the dictionaries in force; events are read only where the filter is on
/// what their payloads say.
struct ReportMaker: Sendable {
    let store: EventStore
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

    /// - Parameter resolutions: those that the report is about; the query may want fewer of them.
    func filter(_ resolutions: [Resolution]) -> EventFilter {
        var filter = query.filter
        if filter.resolutions.isEmpty { filter.resolutions = resolutions }
        return filter
    }

    /// The event's id, as long as it is stored.
    func sample(_ id: Int64, _ stored: StoreStatistics) -> Int64? {
        guard let oldest = stored.oldestEventID, id >= oldest else { return nil }
        return id
    }
}

/// A parameter of a definition, or with `nil` the definition itself.
struct DefinedPart: Hashable, Comparable {
    var key: EventKey
    var parameter: String?

    static func < (one: DefinedPart, other: DefinedPart) -> Bool {
        (one.key.category, one.key.name, one.parameter ?? "")
            < (other.key.category, other.key.name, other.parameter ?? "")
    }
}
