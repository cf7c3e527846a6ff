import API
import Model

/// The message that no event matches, with the parts of the filter that no stored event matches.
struct NothingFound {
    let client: ControlClient
    let query: EventQuery
    let zone: Zone

    /// Asks the daemon for the parts. If that fails, the message just lacks them.
    func answer() async -> ControlError {
        let status = try? await client.document(StatusReply.self, APIPath.status)
        guard let events = status?.events else { return .nothing("No events match.") }
        guard events.stored > 0 else { return .nothing("No events match: none are stored.") }
        var facts = ["\(Quantity.count(events.stored)) \(events.stored == 1 ? "is" : "are") stored"] + beyond(events)
        for part in parts where await isAbsent(part.query) { facts.append("none \(part.name)") }
        return .nothing("No events match; \(facts.joined(separator: ", ")).")
    }

    /// Whether the range is after the newest event, or before the oldest one.
    private func beyond(_ events: EventCounts) -> [String] {
        let (oldest, newest) = (events.oldestTime?.microseconds, events.newestTime?.microseconds)
        var facts: [String] = []
        if let since = query.filter.sinceMicroseconds, let newest, since > newest {
            facts.append("the newest of \(CivilTime.text(newest, zone, decimals: 0))")
        }
        if let until = query.filter.untilMicroseconds, let oldest, until < oldest {
            facts.append("the oldest of \(CivilTime.text(oldest, zone, decimals: 0))")
        }
        return facts
    }

    /// Whether no stored event matches a query with one condition. It requests the newest event that does.
    private func isAbsent(_ query: EventQuery) async -> Bool {
        (try? await client.hasEvents(APIPath.events(query))) == false
    }

    /// The single conditions that are checked quickly, with names, columns and filters of blocks. A regular expression
    /// would be searched in every payload.
    private var parts: [(name: String, query: EventQuery)] {
        var parts: [(name: String, query: EventQuery)] = []
        func add<Value>(_ name: String, _ list: WritableKeyPath<EventQuery, [Value]>, _ text: (Value) -> String) {
            let values = query[keyPath: list]
            guard !values.isEmpty else { return }
            var query = EventQuery()
            query.limit = 1
            query[keyPath: list] = values
            parts.append(("with \(name) \(values.map(text).joined(separator: " or "))", query))
        }
        add("subsystem", \.filter.subsystems, \.self)
        add("category", \.filter.categories, \.self)
        add("event", \.filter.events, \.self)
        add("boot", \.filter.boots, \.description)
        add("unit", \.filter.units, \.self)
        add("identifier", \.filter.identifiers, \.self)
        add("host", \.filter.hosts, \.self)
        add("pid", \.filter.pids, \.description)
        add("resolution", \.filter.resolutions, \.rawValue)
        add("user", \.users, \.self)
        add("device", \.devices, \.self)
        for condition in query.filter.parameters {
            var query = EventQuery()
            query.limit = 1
            query.filter.parameters = [condition]
            parts.append(("where \(condition.text)", query))
        }
        if let level = query.filter.level {
            var query = EventQuery()
            query.limit = 1
            query.filter.level = level
            parts.append(("with level \(level.name) or more severe", query))
        }
        return parts
    }
}
