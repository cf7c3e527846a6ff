internal import GRDB
internal import Model

/// What a filter means of that which is counted: names and resolutions are those of a row of `event_use`, level and boot
/// those of a series. What was read is remembered, a bounded number of it.
struct UseSelection: Sendable {
    private static let capacity = 100_000

    private let names: SeriesFilter?
    private let onlyKeyed: Bool
    /// Level and boots only.
    private let origins: SeriesFilter?
    private var keys: [Int64: EventUseKey] = [:]
    /// By series, the row of `event_use`; 0 for what is not wanted.
    private var uses: [Int64: Int64] = [:]

    /// - Parameter onlyKeyed: leaves out events without a key.
    init(_ filter: EventFilter, onlyKeyed: Bool) {
        self.onlyKeyed = onlyKeyed
        names = SeriesFilter(filter)
        var origins = EventFilter()
        origins.level = filter.level
        origins.boots = filter.boots
        self.origins = SeriesFilter(origins)
    }

    /// To be called before another snapshot is read, which may have other rows.
    mutating func forget() {
        keys.removeAll(keepingCapacity: true)
        uses.removeAll(keepingCapacity: true)
    }

    /// By what the events of the series are counted.
    /// - Returns: `nil` when they are not wanted.
    mutating func eventUse(of series: Int64, _ db: Database, _ catalog: SeriesCatalog) throws -> Int64? {
        if let use = uses[series] { return use == 0 ? nil : use }
        if uses.count >= Self.capacity { uses.removeAll(keepingCapacity: true) }
        let found = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT event_use FROM series_use WHERE series = ?"), arguments: [series])
        guard let found else { throw Postings.damaged("series \(series) has no counters") }
        let isWanted = try wants(series: series, db, catalog) && wants(key(of: found, db))
        uses[series] = isWanted ? found : 0
        return isWanted ? found : nil
    }

    func wants(_ use: EventUseKey) -> Bool { (use.isKeyed || !onlyKeyed) && names?.fits(use) ?? true }

    /// Level and boot of a series.
    func wants(series: Int64, _ db: Database, _ catalog: SeriesCatalog) throws -> Bool {
        try origins?.matches(catalog.series(series, db)) ?? true
    }

    /// What a row of `event_use` stands for.
    mutating func key(of id: Int64, _ db: Database) throws -> EventUseKey {
        if let key = keys[id] { return key }
        let row = try BareStatement(db, "SELECT \(EventUseKey.columns) FROM event_use WHERE id = ?")
        try row.bind(1, id)
        guard try row.step() else { throw Postings.damaged("the counters \(id) are missing") }
        let key = try EventUseKey(row)
        if keys.count >= Self.capacity / 16 { keys.removeAll(keepingCapacity: true) }
        keys[id] = key
        return key
    }
}
