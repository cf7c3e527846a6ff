import API
import Model
import Predicates

/// The message that no event matches, with the parts of the filter that no stored event matches.
struct NothingFound {
    let client: ControlClient
    let query: EventQuery
    let zone: Zone

    init(client: ControlClient, query: EventQuery, zone: Zone) {
        (self.client, self.query, self.zone) = (client, query, zone)
    }

    init(client: ControlClient, filter: EventFilter, zone: Zone) {
        var query = EventQuery()
        query.filter = filter
        self.init(client: client, query: query, zone: zone)
    }

    /// Asks the daemon for the parts. If that fails, the message just lacks them.
    func answer() async -> ControlError {
        guard let status = try? await client.document(APIPath.status), let events = StoredEvents(status: status)
        else { return .nothing("No events match.") }
        guard events.count > 0 else { return .nothing("No events match: none are stored.") }
        var facts = ["\(Quantity.count(events.count)) \(events.count == 1 ? "is" : "are") stored"] + beyond(events)
        for part in parts where await isAbsent(part.query) {
            facts.append("none \(part.name)\(await hint(part.query.filter))")
        }
        return .nothing("No events match; \(facts.joined(separator: ", ")).")
    }

    /// Whether the range is after the newest event, or before the oldest one.
    private func beyond(_ events: StoredEvents) -> [String] {
        let (oldest, newest) = (events.oldestTime?.microseconds, events.newestTime?.microseconds)
        var facts: [String] = []
        if let since = query.filter[.since].first.flatMap({ UInt64($0) }), let newest, since > newest {
            facts.append("the newest of \(CivilTime.text(newest, zone, decimals: 0))")
        }
        if let until = query.filter[.until].first.flatMap({ UInt64($0) }), let oldest, until < oldest {
            facts.append("the oldest of \(CivilTime.text(oldest, zone, decimals: 0))")
        }
        return facts
    }

    /// Whether no stored event matches a query with one condition. It requests the newest event that does, unless this is what
    /// was asked for.
    private func isAbsent(_ part: EventQuery) async -> Bool {
        if part.filter == query.filter, query.after == nil, query.before == nil { return true }
        return (try? await client.hasEvents(APIPath.events(part))) == false
    }

    /// What may be meant by a condition that no event meets; empty if that is not known.
    private func hint(_ filter: EventFilter) async -> String {
        guard let parameter = filter.parameters.first, let value = filter[parameter].first,
            filter[parameter].count == 1
        else { return "" }
        switch parameter.form {
        case .like where value.contains(","):
            return " (--\(parameter.name) has one value, and may be repeated)"
        case .like(let key):
            let near = await values(of: key, like: value)
            return near.isEmpty ? "" : " (did you mean \(SafeText.neutralised(near.joined(separator: ", ")))?)"
        case .member:
            guard let (name, value) = FilterParameter.memberParts(value), PredicateKey.named(name) != nil else {
                return ""
            }
            return " (\(name) is also a key: '\(name) == \(TypedWord.value(value, isQuoted: false))')"
        case .equal, .ordered, .grep, .predicate: return ""
        }
    }

    /// Returns the values of events that a value is a part of, or similar to.
    private func values(of key: String, like value: String) async -> [String] {
        var query = StatsQuery()
        (query.keys, query.top) = ([key], StatsQuery.maximumTop)
        guard let reply = try? await client.document(StatsReply.self, APIPath.stats(query)) else { return [] }
        let wanted = value.lowercased()
        // Much of long names is the same in all: com.example.
        let limit = max(1, wanted.count / 8)
        return EditDistance.threeNearest(among: reply.rows.compactMap { $0.values.first?.value }) { known in
            let known = known.lowercased()
            let isPart = wanted.count >= Self.shortestPart && known.contains(wanted)
            return EditDistance.between(
                wanted.unicodeScalars.map(\.value), known.unicodeScalars.map(\.value), limit: limit)
                ?? (isPart ? limit + 1 : nil)
        }
    }

    private static let shortestPart = 3

    /// The single conditions that are checked quickly, with names, columns and filters of blocks. A regular expression
    /// would be searched in every payload.
    private var parts: [(name: String, query: EventQuery)] {
        query.filter.parameters.flatMap { parameter -> [(name: String, query: EventQuery)] in
            let values = query.filter[parameter]
            let alternatives = values.joined(separator: " or ")
            return switch parameter.form {
            case .like, .equal: [part("with \(parameter.name) \(alternatives)", parameter, values)]
            case .ordered where !parameter.isTime:
                [part("with \(parameter.name) \(alternatives) or more severe", parameter, values)]
            case .member: values.map { part("where \($0)", parameter, [$0]) }
            case .predicate:
                values.flatMap(Self.conditions).map { part("where \(SafeText.neutralised($0))", parameter, [$0]) }
            case .ordered, .grep: []
            }
        }
    }

    private static let mostConditions = 10

    /// Returns the conditions that a predicate consists of, as they are written, if these are few: those on one value.
    private static func conditions(of predicate: String) -> [String] {
        guard let syntax = try? PredicateParser.parse(predicate) else { return [] }
        let parts = if case .all(let parts) = syntax { parts } else { [syntax] }
        guard parts.count <= mostConditions else { return [] }
        return parts.compactMap { part in
            guard case .comparison(let comparison) = part, comparison.values.count == 1, comparison.isQuick else {
                return nil
            }
            let range = comparison.key.range.lowerBound..<comparison.values[0].range.upperBound
            let text = String(decoding: Array(predicate.utf8)[range], as: UTF8.self)
            // With braces or a sign before it, it is something else.
            guard case .comparison(let alone) = try? PredicateParser.parse(text),
                alone.operation == comparison.operation
            else { return nil }
            return text
        }
    }

    private func part(
        _ name: String, _ parameter: FilterParameter, _ values: [String]
    ) -> (name: String, query: EventQuery) {
        var query = EventQuery()
        query.limit = 1
        query.filter[parameter] = values
        return (name, query)
    }
}

extension PredicateSyntax.Comparison {
    /// Whether names, columns and filters of blocks say which blocks have such events.
    fileprivate var isQuick: Bool {
        guard let key = key.isQuoted ? nil : PredicateKey.named(key.text) else {
            return operation == .equal && !key.text.hasPrefix("journal.")
        }
        return switch key.meaning {
        case .number(let number): number.isLevel && operation.isOrder || operation == .equal
        case .text: operation == .equal || operation == .match(.like)
        case .role: operation == .equal
        case .uid, .cursor, .message: false
        }
    }
}

extension PredicateSyntax.Operation {
    fileprivate var isOrder: Bool { if case .ordered = self { true } else { false } }
}
