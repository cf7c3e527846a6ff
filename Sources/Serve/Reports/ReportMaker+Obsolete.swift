import API
import Model
import Store

extension ReportMaker {
    /// Every obsolete event and parameter, those that are still sent first.
    func obsolete() async throws -> Report<ObsoleteRow> {
        let filter = filter([.resolved, .violating])
        let events = try await store.eventUse(matching: filter)
        let findings = try await store.findingUse(matching: filter)
        let stored = try await store.statistics()
        let rows = dictionaries.flatMap { dictionary in
            uses(of: dictionary, events, findings).map { part, use in
                ObsoleteRow(
                    dictionary: dictionary.options.name, category: part.key.category, name: part.key.name,
                    parameter: part.parameter, stillSeen: use.count,
                    lastSeen: use.count > 0 ? WireTime(microseconds: use.lastMicroseconds) : nil,
                    sampleEvent: sample(use.lastEventID, stored))
            }
        }.sorted { ($1.stillSeen, $0.dictionary, $0.part) < ($0.stillSeen, $1.dictionary, $1.part) }
        return Report(.obsolete, rows: Array(rows.prefix(query.limit)), total: rows.count)
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

    private func uses(
        of dictionary: EventDictionary, _ events: [EventUse], _ findings: [FindingUse]
    ) -> [DefinedPart: Use] {
        let name = dictionary.options.name
        var uses: [DefinedPart: Use] = [:]
        for definition in definitions(of: dictionary) {
            if definition.isObsolete { uses[DefinedPart(key: definition.key)] = Use() }
            for parameter in definition.parameters where parameter.isObsolete {
                uses[DefinedPart(key: definition.key, parameter: parameter.name)] = Use()
            }
        }
        for use in events where use.dictionary == name {
            uses[DefinedPart(key: use.key)]?.add(
                count: use.count, lastMicroseconds: use.lastMicroseconds, lastEventID: use.lastEventID)
        }
        let shared = SharedObsolete(dictionary)
        for use in findings where use.dictionary == name && use.rule == Warning.Rule.obsoleteParameter.rawValue {
            guard let key = use.key, let parameter = use.parameter else { continue }
            let part = DefinedPart(key: key, parameter: parameter)
            // A shared parameter is a row for each event that still has it.
            if shared.contains(parameter, in: key.category) { uses[part, default: Use()] = uses[part] ?? Use() }
            uses[part]?.add(
                count: use.count, lastMicroseconds: use.lastMicroseconds, lastEventID: use.lastEventID)
        }
        return uses
    }
}

/// The obsolete parameters of a dictionary that belong to more than one event.
private struct SharedObsolete {
    private let common: Set<String>
    private let byCategory: [String: Set<String>]

    init(_ dictionary: EventDictionary) {
        common = Self.names(dictionary.common)
        byCategory = Dictionary(
            dictionary.categories.map { ($0.name, Self.names($0.parameters)) }, uniquingKeysWith: { $0.union($1) })
    }

    func contains(_ parameter: String, in category: String) -> Bool {
        common.contains(parameter) || byCategory[category]?.contains(parameter) == true
    }

    private static func names(_ parameters: [Parameter]) -> Set<String> {
        Set(parameters.lazy.filter(\.isObsolete).map(\.name))
    }
}

extension ObsoleteRow {
    fileprivate var part: DefinedPart {
        DefinedPart(key: EventKey(category: category, name: name), parameter: parameter)
    }
}
