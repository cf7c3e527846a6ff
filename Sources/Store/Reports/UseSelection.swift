internal import GRDB
internal import Model

/// What a filter means of that which is counted: names and resolutions are those of a row of `event_use`, level and boot
/// those of a series. What was read is remembered, a bounded number of it.
struct UseSelection: Sendable {
    private static let seriesKept = 100_000
    private static let keysKept = 5000

    private let names: SeriesFilter?
    private let level: Int64?
    private let bootFolds: Set<Int64>
    private var keys: [Int64: EventUseKey] = [:]
    /// By series, the row of `event_use`; 0 for what is not wanted.
    private var uses: [Int64: Int64] = [:]

    init(_ filter: EventFilter) {
        names = SeriesFilter(filter)
        level = filter.level.map { Int64($0.rawValue) }
        bootFolds = Set(filter.boots.map { Int64(bitPattern: EventUID.fold($0)) })
    }

    /// Whether it asks for a level or for boots.
    var hasOrigins: Bool { level != nil || !bootFolds.isEmpty }

    /// The condition on rows of `series_use` that level and boots are, as SQL: of numbers only.
    var origins: String {
        let level = level.map { "level <= \($0)" }
        let boots = bootFolds.isEmpty ? nil : "boot_fold IN (\(bootFolds.map(String.init).joined(separator: ", ")))"
        return ["true", level, boots].compactMap(\.self).joined(separator: " AND ")
    }

    /// To be called before another snapshot is read, which may have other rows.
    mutating func forget() {
        keys.removeAll(keepingCapacity: true)
        uses.removeAll(keepingCapacity: true)
    }

    func wants(_ use: EventUseKey) -> Bool { names?.fits(use) ?? true }

    /// By what the events of a series are counted.
    /// - Returns: `nil` when they are not wanted.
    mutating func eventUse(of series: Int64, _ db: Database) throws -> Int64? {
        if let use = uses[series] { return use == 0 ? nil : use }
        let row = try BareStatement(
            db, reusing: "SELECT event_use, level, boot_fold FROM series_use WHERE series = ?")
        try row.bind(1, series)
        guard try row.step() else { throw Postings.damaged("series \(series) has no counters") }
        let isFitting =
            level.map { row.int64(1) <= $0 } ?? true && (bootFolds.isEmpty || bootFolds.contains(row.int64(2)))
        let found = row.int64(0)
        let use = try isFitting && wants(key(of: found, db)) ? found : nil
        if uses.count >= Self.seriesKept { uses.removeAll(keepingCapacity: true) }
        uses[series] = use ?? 0
        return use
    }

    /// What a row of `event_use` stands for.
    mutating func key(of id: Int64, _ db: Database) throws -> EventUseKey {
        if let key = keys[id] { return key }
        let row = try BareStatement(db, reusing: "SELECT \(EventUseKey.columns) FROM event_use WHERE id = ?")
        try row.bind(1, id)
        guard try row.step() else { throw Postings.damaged("the counters \(id) are missing") }
        let key = try EventUseKey(row)
        if keys.count >= Self.keysKept { keys.removeAll(keepingCapacity: true) }
        keys[id] = key
        return key
    }
}

extension UseTable<EventUseName> {
    /// What is wanted of a tally.
    mutating func add(_ tally: EventTally, _ selection: inout UseSelection, _ db: Database) throws {
        for (id, sum) in tally.uses {
            let use = try selection.key(of: id, db)
            if selection.wants(use) { add(sum, to: EventUseName(use)) }
        }
    }
}
