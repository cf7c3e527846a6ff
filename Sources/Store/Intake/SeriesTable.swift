internal import GRDB
internal import Model

/// A row of the table `series`, by its id, and the row of `event_use` that its events are counted in.
struct SeriesRow: Sendable {
    var id: Int64
    var eventUse: Int64
}

/// Finds and makes the rows of the tables `series` and `series_use` for the connection that writes, and remembers the
/// latest ones: a bounded number, since what senders put into names is endless.
struct SeriesTable: Sendable {
    private static let capacity = 4096
    private static let longestRemembered = 1024

    private var rows: [Series: SeriesRow] = [:]

    /// To be called whenever rows may be gone: after a transaction that failed, after retention.
    mutating func forget() { rows.removeAll(keepingCapacity: true) }

    /// Whether it surely has a row.
    func remembers(_ series: Series) -> Bool { rows[series] != nil }

    mutating func row(of series: Series, _ db: Database) throws -> SeriesRow {
        if let row = rows[series] { return row }
        let row = try Self.find(series, db) ?? Self.insert(series, db)
        if series.textBytes <= Self.longestRemembered {
            if rows.count >= Self.capacity { forget() }
            rows[series] = row
        }
        return row
    }

    private static func find(_ series: Series, _ db: Database) throws -> SeriesRow? {
        let statement = try BareStatement(
            db,
            reusing: """
                SELECT id, event_use FROM series JOIN series_use ON series = id WHERE event_name IS ? AND event_category IS ? AND boot_id = ? AND subsystem = ?
                AND category = ? AND identifier IS ? AND unit IS ? AND host = ? AND process_uid IS ? AND series.level = ?
                AND resolution = ? AND source = ? AND seqnum_id = ? AND dictionary IS ? AND definitions_version IS ?
                """)
        try bind(series, to: statement)
        return try statement.step() ? SeriesRow(id: statement.int64(0), eventUse: statement.int64(1)) : nil
    }

    /// The counters are to be added to at once: nothing stays without events.
    private static func insert(_ series: Series, _ db: Database) throws -> SeriesRow {
        let statement = try BareStatement(
            db,
            reusing: """
                INSERT INTO series (event_name, event_category, boot_id, subsystem, category, identifier, unit, host,
                process_uid, level, resolution, source, seqnum_id, dictionary, definitions_version, boot_fold)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try bind(series, to: statement)
        try statement.bind(16, bits: EventUID.fold(series.origin.bootID))
        try statement.run()
        let row = SeriesRow(id: db.lastInsertedRowID, eventUse: try EventUseTable.id(of: EventUseKey(series), db))
        let use = try BareStatement(
            db,
            reusing: """
                INSERT INTO series_use (series, event_use, level, boot_fold, stored, last_event, first_time, last_time)
                VALUES (?, ?, ?, ?, 0, 0, \(Int64.max), 0)
                """)
        try use.bind(1, row.id)
        try use.bind(2, row.eventUse)
        try use.bind(3, Int64(series.level.rawValue))
        try use.bind(4, bits: EventUID.fold(series.origin.bootID))
        try use.run()
        return row
    }

    /// Counts events that are stored from now on.
    static func add(_ uses: some Sequence<(Int64, UseSum)>, _ db: Database) throws {
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE series_use SET stored = stored + ?2, last_event = max(last_event, ?3),
                first_time = min(first_time, ?4), last_time = max(last_time, ?5) WHERE series = ?1
                """)
        for (series, use) in uses {
            try update.bind(1, series)
            try use.bind(to: update, from: 2)
            try update.run()
        }
    }

    private static func bind(_ series: Series, to statement: borrowing BareStatement) throws {
        let (origin, kind) = (series.origin, series.kind)
        try statement.bind(1, kind.key?.name)
        try statement.bind(2, kind.key?.category)
        try statement.bind(3, origin.bootID.description)
        try statement.bind(4, origin.subsystem)
        try statement.bind(5, origin.category)
        try statement.bind(6, origin.identifier)
        try statement.bind(7, origin.unit)
        try statement.bind(8, origin.host)
        try statement.bind(9, origin.processUID.map(Int64.init))
        try statement.bind(10, Int64(series.level.rawValue))
        try statement.bind(11, series.resolution.rawValue)
        try statement.bind(12, origin.source)
        try statement.bind(13, origin.seqnumID.description)
        try statement.bind(14, kind.dictionary)
        try statement.bind(15, kind.definitionsVersion)
    }
}
