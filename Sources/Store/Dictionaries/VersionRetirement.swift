internal import GRDB

/// Removes versions of dictionaries that are no longer of use, and files that no version has.
enum VersionRetirement {
    /// Of each dictionary, besides those that stored events name.
    private static let newest = 20
    /// What is removed at once, so that intake never waits long.
    private static let filesPerStep = 100
    private static let bytesPerStep: Int64 = 8 << 20

    /// Within a transaction.
    /// - Returns: whether there is more to do.
    static func run(limit: SizeLimit, _ db: Database) throws -> Bool {
        try removeVersions(db)
        let mayLoseMore = try removeFilesOfOldest(limit, db)
        return try removeContents(db) || mayLoseMore
    }

    private static func removeVersions(_ db: Database) throws {
        let old = """
            SELECT id, dictionary, version FROM (SELECT *, row_number() OVER (
                PARTITION BY dictionary ORDER BY last_loaded DESC, id DESC) AS place FROM dictionary_versions)
            WHERE place > \(newest)
            """
        guard try Bool.fetchOne(db, sql: "SELECT EXISTS (\(old))") ?? false else { return }
        let ids = try Int64.fetchAll(
            db,
            sql: """
                WITH old AS (\(old)),
                named AS (SELECT DISTINCT dictionary, definitions_version AS version FROM series)
                SELECT id FROM old WHERE (dictionary, version) NOT IN (
                    SELECT dictionary, version FROM named WHERE dictionary IS NOT NULL AND version IS NOT NULL)
                """)
        for id in ids {
            try db.execute(sql: "DELETE FROM dictionary_versions WHERE id = ?", arguments: [id])
            try DictionaryFileTable.forget(version: id, db)
        }
    }

    /// Where all versions together are too large, the oldest are kept without files; never the newest of all.
    private static func removeFilesOfOldest(_ limit: SizeLimit, _ db: Database) throws -> Bool {
        guard try VersionTable.bytes(db) > limit.allDictionariesBytes,
            let oldest = try Int64.fetchOne(
                db,
                sql: """
                    SELECT id FROM dictionary_versions WHERE id IN (SELECT version FROM dictionary_version_files)
                    AND id <> (SELECT id FROM dictionary_versions ORDER BY last_loaded DESC, id DESC LIMIT 1)
                    ORDER BY last_loaded, id LIMIT 1
                    """)
        else { return false }
        try db.execute(sql: "UPDATE dictionary_versions SET has_files = 0 WHERE id = ?", arguments: [oldest])
        try DictionaryFileTable.forget(version: oldest, db)
        return true
    }

    private static func removeContents(_ db: Database) throws -> Bool {
        let unused = try BareStatement(
            db,
            """
            SELECT id, bytes FROM dictionary_files AS f
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
