import API
import Model
import Store

extension ReportMaker {
    /// What was sent, but is not defined. Keys that are defined by now are left out: nobody has to do anything about
    /// them.
    func undefined() async throws -> Report<UndefinedRow> {
        let known = Dictionary(dictionaries.map { (ExactString($0.options.name), $0) }) { first, _ in first }
        let (uses, stored) = try await (uses(), store.statistics())
        let found = uses.with(.undefined).compactMap { use in use.key.map { (key: $0, use: use) } }.filter { key, use in
            use.dictionary.flatMap { known[$0]?.definition(key) } == nil
        }.sorted { ($1.use.count, DefinedPart(key: $0.key)) < ($0.use.count, DefinedPart(key: $1.key)) }
        var closest: [ExactString: ClosestKey] = [:]
        let rows = found.prefix(query.limit).map { key, use in
            UndefinedRow(
                dictionary: use.dictionary, origin: use.origin.map(EventOrigin.init), category: key.category,
                name: key.name, count: use.count, firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds), sampleEvent: sample(use.lastEventID, stored),
                closest: use.dictionary.flatMap { name in
                    known[name].flatMap { closest[name, default: ClosestKey($0)].find(key) }
                })
        }
        return Report(
            .undefined, rows: rows, total: found.count, lookedAt: try await scope(of: .undefined, uses, stored))
    }
}
