internal import GRDB
package import Model

/// The table `dictionary_versions`.
enum VersionTable {
    /// Returns the row of the version, creating it where there is none, and updates the time at which it was last put
    /// in force. That is later than those of the dictionary's other versions, also if the clock was set back.
    static func load(_ dictionary: EventDictionary, at time: Int64, _ db: Database) throws -> StoredVersion {
        let options = dictionary.options
        let statement = try BareStatement(
            db,
            """
            INSERT INTO dictionary_versions
            (dictionary, version, loaded, last_loaded, definitions, key, layout, extra, has_files)
            VALUES (?1, ?2, ?3, max(?3, coalesce((
                SELECT max(last_loaded) + 1 FROM dictionary_versions WHERE dictionary = ?1 AND version <> ?2), 0)),
                ?4, ?5, ?6, ?7, 0)
            ON CONFLICT (dictionary, version) DO UPDATE SET last_loaded = max(last_loaded, excluded.last_loaded)
            RETURNING id, has_files
            """)
        try statement.bind(1, options.name)
        try statement.bind(2, dictionary.version)
        try statement.bind(3, time)
        try statement.bind(4, Int64(dictionary.definitionCount))
        try statement.bind(5, options.layout.key.joined(separator: "\n"))
        try statement.bind(6, options.layoutText)
        try statement.bind(7, options.extraParameters.text)
        guard try statement.step() else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        defer { _ = try? statement.step() }
        return StoredVersion(id: statement.int64(0), hasFiles: statement.int64(1) != 0)
    }

    /// Notes that all files of a version are kept, if it has so many: some may have been removed while others were added.
    static func hasAllFiles(_ version: Int64, count: Int, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE dictionary_versions SET has_files = 1
                WHERE id = ?1 AND (SELECT count(*) FROM dictionary_version_files WHERE version = ?1) = ?2
                """, arguments: [version, count])
    }

    /// Returns all versions, the newest first.
    static func all(ofDictionary name: String, _ db: Database) throws -> [DictionaryVersion] {
        let rows = try BareStatement(
            db,
            """
            SELECT version, loaded, last_loaded, definitions, key, layout, extra, has_files
            FROM dictionary_versions WHERE dictionary = ? ORDER BY last_loaded DESC, id DESC
            """)
        try rows.bind(1, name)
        var versions: [DictionaryVersion] = []
        while try rows.step() {
            versions.append(
                DictionaryVersion(
                    version: rows.text(0), loadedMicroseconds: rows.bits(1), lastLoadedMicroseconds: rows.bits(2),
                    definitions: Int(rows.int64(3)),
                    key: rows.text(4).utf8.split(separator: 0x0A).map { String(Substring($0)) }, layout: rows.text(5),
                    extraParameters: rows.text(6), hasFiles: rows.int64(7) != 0))
        }
        return versions
    }

    /// - Returns: `nil` when the version's files are not kept.
    static func withFiles(ofDictionary name: String, version: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db, sql: "SELECT id FROM dictionary_versions WHERE dictionary = ? AND version = ? AND has_files = 1",
            arguments: [name, version])
    }

    /// What a row in `definitions` or `protected_names` takes besides its texts.
    static let rowBytes: Int64 = 48

    /// Returns the approximate size of the versions, the definitions and the protected names.
    static func bytes(_ db: Database) throws -> Int64 {
        func rows(_ table: String, _ texts: String...) -> String {
            let lengths = texts.map { "+ length(CAST(\($0) AS BLOB))" }.joined(separator: " ")
            return "(SELECT coalesce(sum(\(rowBytes) \(lengths)), 0) FROM \(table))"
        }
        return try Int64.fetchOne(
            db,
            sql: """
                SELECT (SELECT count(*) * 128 FROM dictionary_versions)
                + \(rows("definitions", "dictionary", "event_category", "event_name"))
                + (SELECT count(*) * 96 FROM dictionary_version_files)
                + \(rows("protected_names", "dictionary", "parameter"))
                + (SELECT coalesce(sum(\(DictionaryFileTable.bytes) + 64), 0) FROM dictionary_files)
                """) ?? 0
    }
}

struct StoredVersion: Sendable {
    /// `dictionary_versions.id`
    var id: Int64
    var hasFiles: Bool
}

/// The content of a dictionary at some time.
package struct DictionaryVersion: Sendable, Hashable {
    /// 16 hexadecimal digits, as in events.
    @Exact package var version: String
    /// When it was first loaded, in microseconds since 1970.
    package var loadedMicroseconds: UInt64
    /// When it was last loaded, in microseconds since 1970.
    package var lastLoadedMicroseconds: UInt64
    /// The number of definitions in it.
    package var definitions: Int
    /// Where the key of events was: `PayloadLayout.key`
    @Exact package var key: [String]
    /// `DictionaryOptions.layoutText`
    @Exact package var layout: String
    /// `ExtraParameters.text`
    @Exact package var extraParameters: String
    /// Whether its files are kept.
    package var hasFiles: Bool

    package init(
        version: String, loadedMicroseconds: UInt64, lastLoadedMicroseconds: UInt64, definitions: Int, key: [String],
        layout: String, extraParameters: String = "", hasFiles: Bool
    ) {
        self.version = version
        self.loadedMicroseconds = loadedMicroseconds
        self.lastLoadedMicroseconds = lastLoadedMicroseconds
        self.definitions = definitions
        self.key = key
        self.layout = layout
        self.extraParameters = extraParameters
        self.hasFiles = hasFiles
    }
}
