import API
import Model
import Store

extension ReportMaker {
    /// What was sent, but is not defined. Keys that are defined by now are left out: nobody has to do anything about
    /// them.
    func undefined() async throws -> Report<UndefinedRow> {
        let known = Dictionary(dictionaries.map { ($0.options.name, $0) }) { first, _ in first }
        let uses = try await store.eventUse(matching: filter([.undefined])).filter { use in
            use.dictionary.flatMap { known[$0]?.definition(use.key) } == nil
        }.sorted { ($1.count, DefinedPart(key: $0.key)) < ($0.count, DefinedPart(key: $1.key)) }
        let stored = try await store.statistics()
        var closest: [String: ClosestKey] = [:]
        let rows = uses.prefix(query.limit).map { use in
            UndefinedRow(
                dictionary: use.dictionary, category: use.key.category, name: use.key.name, count: use.count,
                firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds), sampleEvent: sample(use.lastEventID, stored),
                closest: use.dictionary.flatMap { name in
                    known[name].flatMap { closest[name, default: ClosestKey($0)].find(use.key) }
                })
        }
        return Report(.undefined, rows: rows, total: uses.count)
    }
}
