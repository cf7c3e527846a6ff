internal import GRDB
internal import Model

/// Removes versions of dictionaries that are no longer needed, and files that belong to no version.
enum VersionRetirement {
    /// The number of newest versions of each dictionary that are kept, besides those that stored events refer to.
    private static let newest = 20
    /// The newest versions of all dictionaries may take one part in this many of `store.max_size`, when no others have
    /// files.
    private static let newestDivisor: Int64 = 2
    /// The maximum that is removed in one step, so that intake never waits long.
    private static let filesPerStep = 100
    private static let bytesPerStep: Int64 = 8 << 20

    /// Runs one step, within a transaction.
    /// - Parameter damage: gets what is wrong with blocks that are passed over.
    /// - Returns: whether there is more to do.
    static func run(limit: SizeLimit, noting damage: DamageRecord, _ db: Database) throws -> Bool {
        try removeVersions(noting: damage, db)
        // Content that belongs to no version counts against the limit until it is deleted, so nothing else is removed
        // before.
        if try removeContents(db) { return true }
        let mayRemoveMore = try removeFilesOfOldest(limit, db)
        return try removeContents(db) || mayRemoveMore
    }

    private static func removeVersions(noting damage: DamageRecord, _ db: Database) throws {
        let old = try Row.fetchAll(
            db,
            sql: """
                SELECT id, dictionary, version FROM (SELECT *, row_number() OVER (
                    PARTITION BY dictionary ORDER BY last_loaded DESC, id DESC) AS place FROM dictionary_versions)
                WHERE place > \(newest)
                """)
        let versions = try old.map { row in
            (
                id: try row.value("id") as Int64,
                name: DictionaryVersionID(dictionary: try row.value("dictionary"), version: try row.value("version"))
            )
        }
        let unnamed = try unnamed(versions.map(\.name), noting: damage, db)
        for version in versions where unnamed.contains(version.name) {
            try db.execute(sql: "DELETE FROM dictionary_versions WHERE id = ?", arguments: [version.id])
            try DictionaryFileTable.forget(version: version.id, db)
        }
    }

    /// Returns those of the versions with which no stored event was resolved. Stored events are walked through once, and
    /// only blocks are read that may name a version that none before has named. One that is damaged may name any
    /// version.
    private static func unnamed(
        _ versions: [DictionaryVersionID], noting damage: DamageRecord, _ db: Database
    ) throws -> Set<DictionaryVersionID> {
        var unnamed = Set(versions)
        var last: Int64? = 0
        while let passed = last, !unnamed.isEmpty {
            last = try ColumnWalk.forEach(
                of: passed + 1 ... .max, BlockMatcher(mayHaveAny: Array(unnamed)), db,
                passingOver: { _, error in
                    _ = damage.noted(error)
                    unnamed = []
                }
            ) { events in
                let count = unnamed.count
                var kinds = EventRows.kinds(try events.kindTexts())
                for row in 0..<kinds.count {
                    if let version = DictionaryVersionID(of: try kinds.row(row).kind) { unnamed.remove(version) }
                }
                return !unnamed.isEmpty && unnamed.count == count
            }
        }
        return unnamed
    }

    /// Removes the files of old versions while all versions together exceed their limit. The first to lose theirs are
    /// the oldest versions that are not the newest of their dictionary. The newest version of a dictionary is in
    /// force, and its files are all that can put it in force after a restart if the folder has errors by then. It
    /// loses them only when the newest versions, including those of dictionaries that are no longer in the settings,
    /// would leave no room for events.
    private static func removeFilesOfOldest(_ limit: SizeLimit, _ db: Database) throws -> Bool {
        let bytes = try VersionTable.bytes(db)
        guard bytes > limit.allDictionariesBytes else { return false }
        let oldest =
            try oldestWithFiles(besidesNewestOf: "later.dictionary = v.dictionary", db)
            ?? (bytes > limit.bytes / newestDivisor ? oldestWithFiles(besidesNewestOf: "true", db) : nil)
        guard let oldest else { return false }
        try db.execute(sql: "UPDATE dictionary_versions SET has_files = 0 WHERE id = ?", arguments: [oldest])
        try DictionaryFileTable.forget(version: oldest, db)
        return true
    }

    /// - Parameter others: SQL that selects the versions among which a version is the newest.
    private static func oldestWithFiles(besidesNewestOf others: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: """
                SELECT id FROM dictionary_versions AS v WHERE id IN (SELECT version FROM dictionary_version_files)
                AND EXISTS (SELECT 1 FROM dictionary_versions AS later WHERE \(others)
                    AND (later.last_loaded, later.id) > (v.last_loaded, v.id))
                ORDER BY last_loaded, id LIMIT 1
                """)
    }

    private static func removeContents(_ db: Database) throws -> Bool {
        let unused = try BareStatement(
            db,
            """
            SELECT id, \(DictionaryFileTable.bytes) FROM dictionary_files AS f
            WHERE NOT EXISTS (SELECT 1 FROM dictionary_version_files WHERE file = f.id) LIMIT \(filesPerStep)
            """)
        var (ids, bytes): ([Int64], Int64) = ([], 0)
        while bytes < bytesPerStep, try unused.step() {
            ids.append(unused.int64(0))
            bytes += unused.int64(1)
        }
        unused.reset()
        for id in ids { try db.execute(sql: "DELETE FROM dictionary_files WHERE id = ?", arguments: [id]) }
        return ids.count == filesPerStep || bytes >= bytesPerStep
    }
}
