internal import GRDB
internal import Model

/// Which series a filter means, once for each.
struct SeriesSelection: Sendable {
    private let filter: SeriesFilter?
    private var verdicts: [Int64: Bool] = [:]

    init(_ filter: EventFilter) { self.filter = SeriesFilter(filter) }

    mutating func contains(_ id: Int64, _ catalog: SeriesCatalog, _ db: Database) throws -> Bool {
        guard let filter else { return true }
        if let verdict = verdicts[id] { return verdict }
        let verdict = filter.matches(try catalog.series(id, db))
        verdicts[id] = verdict
        return verdict
    }
}
