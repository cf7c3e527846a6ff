internal import GRDB
internal import Model

/// Finds and makes the rows of the table `series` for the connection that writes, and remembers the latest ones: a
/// bounded number, since what senders put into names is endless.
struct SeriesTable: Sendable {
    private static let capacity = 4096
    private static let longestRemembered = 1024

    private var ids: [Series: Int64] = [:]

    /// To be called whenever rows may be gone: after a transaction that failed, after retention.
    mutating func forget() { ids.removeAll(keepingCapacity: true) }

    /// Whether it surely has a row.
    func remembers(_ series: Series) -> Bool { ids[series] != nil }

    mutating func id(of series: Series, _ db: Database) throws -> Int64 {
        if let id = ids[series] { return id }
        let id = try Self.find(series, db) ?? Self.insert(series, db)
        if series.textBytes <= Self.longestRemembered {
            if ids.count >= Self.capacity { forget() }
            ids[series] = id
        }
        return id
    }

    private static func find(_ series: Series, _ db: Database) throws -> Int64? {
        let statement = try BareStatement(
            db,
            """
            SELECT id FROM series WHERE event_name IS ? AND event_category IS ? AND boot_id = ? AND subsystem = ?
            AND category = ? AND identifier IS ? AND unit IS ? AND host = ? AND process_uid IS ? AND level = ?
            AND resolution = ? AND source = ? AND seqnum_id = ? AND dictionary IS ? AND definitions_version IS ?
            """)
        try bind(series, to: statement)
        return try statement.step() ? statement.int64(0) : nil
    }

    private static func insert(_ series: Series, _ db: Database) throws -> Int64 {
        let statement = try BareStatement(
            db,
            """
            INSERT INTO series (event_name, event_category, boot_id, subsystem, category, identifier, unit, host,
            process_uid, level, resolution, source, seqnum_id, dictionary, definitions_version, boot_fold)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try bind(series, to: statement)
        try statement.bind(16, bits: EventUID.fold(series.origin.bootID))
        try statement.run()
        return db.lastInsertedRowID
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
