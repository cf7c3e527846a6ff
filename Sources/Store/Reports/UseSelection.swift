internal import GRDB
internal import Model

/// What a filter means of that which is counted: names and resolutions are those of a row of `event_use`, level and boot
/// those of a series. What was read is remembered, a bounded number of it.
struct UseSelection: Sendable {
    private static let seriesKept = 100_000
    private static let keysKept = 5000

    private let names: SeriesFilter?
    private let onlyKeyed: Bool
    /// The condition on rows of `series_use` that level and boots are, as SQL.
    let origins: String
    private var keys: [Int64: EventUseKey] = [:]
    /// By series, the row of `event_use`; 0 for what is not wanted.
    private var uses: [Int64: Int64] = [:]

    /// - Parameter onlyKeyed: leaves out events without a key.
    init(_ filter: EventFilter, onlyKeyed: Bool) {
        self.onlyKeyed = onlyKeyed
        names = SeriesFilter(filter)
        // Numbers may be written into SQL as they are.
        let level = filter.level.map { "level <= \($0.rawValue)" }
        let folds = filter.boots.map { String(Int64(bitPattern: EventUID.fold($0))) }.joined(separator: ", ")
        let boots = folds.isEmpty ? nil : "boot_fold IN (\(folds))"
        origins = ["true", level, boots].compactMap(\.self).joined(separator: " AND ")
    }

    /// To be called before another snapshot is read, which may have other rows.
    mutating func forget() {
        keys.removeAll(keepingCapacity: true)
        uses.removeAll(keepingCapacity: true)
    }

    func wants(_ use: EventUseKey) -> Bool { (use.isKeyed || !onlyKeyed) && names?.fits(use) ?? true }

    /// By what the events of a series are counted.
    /// - Returns: `nil` when they are not wanted.
    mutating func eventUse(of series: Int64, _ db: Database) throws -> Int64? {
        if let use = uses[series] { return use == 0 ? nil : use }
        let found = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT event_use FROM series_use WHERE series = ? AND \(origins)"),
            arguments: [series])
        let use = try found.flatMap { use in try wants(key(of: use, db)) ? use : nil }
        if uses.count >= Self.seriesKept { uses.removeAll(keepingCapacity: true) }
        uses[series] = use ?? 0
        return use
    }

    /// What a row of `event_use` stands for.
    mutating func key(of id: Int64, _ db: Database) throws -> EventUseKey {
        if let key = keys[id] { return key }
        let row = try BareStatement(db, "SELECT \(EventUseKey.columns) FROM event_use WHERE id = ?")
        try row.bind(1, id)
        guard try row.step() else { throw Postings.damaged("the counters \(id) are missing") }
        let key = try EventUseKey(row)
        if keys.count >= Self.keysKept { keys.removeAll(keepingCapacity: true) }
        keys[id] = key
        return key
    }
}
