package import API
import Model
import Store

extension ReportMaker {
    /// Every obsolete event and parameter, those that are still sent first.
    package func obsolete() async throws -> Report<ObsoleteRow> {
        let (counted, found) = try await store.counts(
            matching: predicate, findingsOf: [.resolved, .violating])
        let stored = try await store.statistics()
        let parts = try dictionaries.sorted { $0.options.name < $1.options.name }.flatMap { dictionary in
            try uses(of: dictionary, counted.with(.resolved, .violating), found).map {
                (dictionary.options.name, $0, $1)
            }
        }
        // Most are no longer sent, and these are sorted already.
        let sent = parts.filter { $2.count > 0 }.sorted {
            ($1.2.count, ExactString($0.0), $0.1) < ($0.2.count, ExactString($1.0), $1.1)
        }
        let shown = (sent + parts.lazy.filter { $2.count == 0 }).prefix(query.limit)
        let samples = try await samples(shown.map(\.2.lastEventID), stored)
        let rows = shown.map { dictionary, part, use in
            ObsoleteRow(
                dictionary: dictionary, category: part.key.category, name: part.key.name, parameter: part.parameter,
                stillSeen: use.count,
                lastSeen: use.count > 0 ? WireTime(microseconds: use.lastMicroseconds) : nil,
                sampleEvent: samples.id(use.lastEventID))
        }
        return Report(
            .obsolete, rows: rows, total: parts.count, scope: try await scope(of: .obsolete, counted, stored))
    }

    private struct Use {
        var count: Int64 = 0
        var lastMicroseconds: UInt64 = 0
        var lastEventID: Int64 = 0

        mutating func add(count: Int64, lastMicroseconds: UInt64, lastEventID: Int64) {
            self.count += count
            self.lastMicroseconds = max(self.lastMicroseconds, lastMicroseconds)
            self.lastEventID = max(self.lastEventID, lastEventID)
        }
    }

    /// The obsolete parts of a dictionary, in the order of keys and parameters, with their use.
    private func uses(
        of dictionary: EventDictionary, _ events: [EventCount], _ findings: [FindingCount]
    ) throws -> [(DefinedPart, Use)] {
        var sent: [DefinedPart: Use] = [:]
        for use in events where use.dictionary == dictionary.options.name {
            guard let key = use.key else { continue }
            sent[DefinedPart(key: key), default: Use()].add(
                count: use.count, lastMicroseconds: use.lastMicroseconds, lastEventID: use.lastEventID)
        }
        let definitions = try definitions(of: dictionary)
        var obsolete = ObsoleteParameters(dictionary)
        // A shared parameter has a row for each event that still has it, or one for all of them.
        var unsent = obsolete.shared(by: definitions)
        var parts: Set<DefinedPart> = []
        for use in findings where use.dictionary == dictionary.options.name {
            guard use.rule == Warning.Rule.obsoleteParameter.rawValue, let key = use.key, let name = use.parameter
            else { continue }
            let part = DefinedPart(key: key, parameter: name)
            if let shared = obsolete.shared(name, in: key.category, dictionary.definition(key)) {
                parts.insert(part)
                unsent.remove(shared)
            }
            sent[part, default: Use()].add(
                count: use.count, lastMicroseconds: use.lastMicroseconds, lastEventID: use.lastEventID)
        }
        for definition in definitions {
            if definition.isObsolete { parts.insert(DefinedPart(key: definition.key)) }
            for paths in obsolete.own(definition) {
                let places = paths.map { DefinedPart(key: definition.key, parameter: $0.text) }
                let used = places.filter { sent[$0] != nil }
                parts.formUnion(used.isEmpty ? Array(places.prefix(1)) : used)
            }
        }
        return parts.union(unsent).sorted().map { ($0, sent[$0] ?? Use()) }
    }
}
