import API
import Model

/// Says that no event matches, and which parts of the filter no stored event meets.
struct NothingFound {
    let client: ControlClient
    let query: EventQuery

    /// Asks the daemon. Where that fails, the sentence says less: the answer is known already.
    func answer() async -> ControlError {
        let status = try? await client.document(StatusReply.self, APIPath.status)
        guard let stored = status?.events?.stored else { return .nothing("No events match.") }
        guard stored > 0 else { return .nothing("No events match: none are stored.") }
        var absent: [String] = []
        for part in parts where await isAbsent(part.query) { absent.append("none with \(part.name)") }
        let count = "\(Quantity.count(stored)) \(stored == 1 ? "is" : "are") stored"
        return .nothing("No events match; \(([count] + absent).joined(separator: ", ")).")
    }

    /// Whether no stored event meets the query, which has one condition: the newest that does is asked for.
    private func isAbsent(_ query: EventQuery) async -> Bool {
        (try? await client.hasEvents(APIPath.events(query))) == false
    }

    /// The conditions, each alone, that are answered from names, columns and filters of blocks. What a time has can be seen
    /// from `glossctl status`, and a regular expression would be looked for in every payload.
    private var parts: [(name: String, query: EventQuery)] {
        var parts: [(name: String, query: EventQuery)] = []
        func add<Value>(_ name: String, _ list: WritableKeyPath<EventQuery, [Value]>, _ text: (Value) -> String) {
            let values = query[keyPath: list]
            guard !values.isEmpty else { return }
            var query = EventQuery()
            query.limit = 1
            query[keyPath: list] = values
            parts.append(("\(name) \(values.map(text).joined(separator: " or "))", query))
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
            parts.append(("parameter \(condition.text)", query))
        }
        if let level = query.filter.level {
            var query = EventQuery()
            query.limit = 1
            query.filter.level = level
            parts.append(("level \(level.name) or worse", query))
        }
        return parts
    }
}
