import API
import Model
import Store

extension ReportMaker {
    /// Which rules are broken, by event and parameter.
    func violations() async throws -> Report<ViolationRow> {
        let (uses, findings) = try await store.counts(matching: query.filter, findingsOf: [.violating])
        let stored = try await store.statistics()
        let found = findings.filter(\.isViolation)
        // Whatever breaks a definition has a key.
        let keyed = found.compactMap { use in
            use.key.map { (part: DefinedPart(key: $0, parameter: use.parameter), use: use) }
        }
        let rows = keyed.mostFirst(query.limit, \.use.count) {
            ($0.part, ExactString($0.use.rule)) < ($1.part, ExactString($1.use.rule))
        }.map { part, use in
            ViolationRow(
                dictionary: use.dictionary, category: part.key.category, name: part.key.name, parameter: use.parameter,
                rule: use.rule, count: use.count, firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds), sampleEvent: sample(use.lastEventID, stored))
        }
        return Report(
            .violations, rows: rows, total: keyed.count, lookedAt: try await scope(of: .violations, uses, stored))
    }
}
