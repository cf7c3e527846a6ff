import API
import Model
import Store

extension ReportMaker {
    /// What was sent, but is not defined. Keys that are defined by now are left out: nobody has to do anything about
    /// them.
    func undefined() async throws -> Report<UndefinedRow> {
        let known = Dictionary(dictionaries.map { (ExactString($0.options.name), $0) }) { first, _ in first }
        let (uses, stored) = try await (uses(), store.statistics())
        let keyed: [(key: EventKey, use: EventCount)] = uses.with(.undefined).compactMap { use in
            use.key.map { ($0, use) }
        }
        let found = keyed.filter { key, use in
            use.dictionary.flatMap { known[$0]?.definition(key) } == nil
        }
        var closest: [ExactString: ClosestKey] = [:]
        let rows = found.mostFirst(query.limit, \.use.count, then: { $0.key < $1.key }).map { key, use in
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
