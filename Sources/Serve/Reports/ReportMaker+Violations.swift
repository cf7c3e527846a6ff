import API
import Model
import Store

extension ReportMaker {
    /// Which rules are broken, by event and parameter.
    func violations() async throws -> Report<ViolationRow> {
        let (uses, findings) = try await store.counts(matching: query.filter, findingsOf: [.violating])
        let stored = try await store.statistics()
        let found = findings.filter(\.isViolation)
        let rows = found.compactMap { use in
            // Whatever breaks a definition has a key.
            use.key.map { key in
                ViolationRow(
                    dictionary: use.dictionary, category: key.category, name: key.name, parameter: use.parameter,
                    rule: use.rule, count: use.count, firstSeen: WireTime(microseconds: use.firstMicroseconds),
                    lastSeen: WireTime(microseconds: use.lastMicroseconds),
                    sampleEvent: sample(use.lastEventID, stored))
            }
        }.sorted {
            ($1.count, $0.part, ExactString($0.rule)) < ($0.count, $1.part, ExactString($1.rule))
        }
        return Report(
            .violations, rows: Array(rows.prefix(query.limit)), total: rows.count,
            lookedAt: try await scope(of: .violations, uses, stored))
    }
}

extension ViolationRow {
    fileprivate var part: DefinedPart {
        DefinedPart(key: EventKey(category: category, name: name), parameter: parameter)
    }
}
