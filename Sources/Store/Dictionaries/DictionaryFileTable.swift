internal import GRDB
internal import Model

/// The tables `dictionary_files` and `dictionary_version_files`.
enum DictionaryFileTable {
    /// The maximum size of a file, since a file is written in one transaction.
    static let largestFile = 4 << 20

    /// The size of a file, in SQL. The column has no checksum, so that no more counts than a file can have.
    static let bytes = "min(max(bytes, 0), \(largestFile))"

    /// - Returns: all files of a version, sorted by name.
    static func files(ofVersion version: Int64, _ db: Database) throws -> [DefinitionFile] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT v.name, f.content FROM dictionary_version_files AS v JOIN dictionary_files AS f ON f.id = v.file
                WHERE v.version = ? ORDER BY v.name
                """)
        try rows.bind(1, version)
        var files: [DefinitionFile] = []
        while try rows.step() { files.append(DefinitionFile(name: rows.text(0), bytes: Array(rows.bytes(1)))) }
        return files
    }

    /// - Returns: the names of all files of a version, sorted, and their sizes.
    static func names(ofVersion version: Int64, _ db: Database) throws -> [(name: String, bytes: Int)] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT v.name, f.bytes FROM dictionary_version_files AS v JOIN dictionary_files AS f ON f.id = v.file
                WHERE v.version = ? ORDER BY v.name
                """)
        try rows.bind(1, version)
        var names: [(name: String, bytes: Int)] = []
        while try rows.step() { names.append((rows.text(0), Int(rows.int64(1)))) }
        return names
    }

    static func file(ofVersion version: Int64, named name: String, _ db: Database) throws -> DefinitionFile? {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT f.content FROM dictionary_version_files AS v JOIN dictionary_files AS f ON f.id = v.file
                WHERE v.version = ? AND v.name = ?
                """)
        try rows.bind(1, version)
        try rows.bind(2, name)
        guard try rows.step() else { return nil }
        return DefinitionFile(name: name, bytes: Array(rows.bytes(0)))
    }

    /// Deletes the files that an interrupted call may have left.
    static func forget(version: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM dictionary_version_files WHERE version = ?", arguments: [version])
    }

    static func add(_ files: ArraySlice<HashedFile>, toVersion version: Int64, _ db: Database) throws {
        let link = try BareStatement(
            db, reusing: "INSERT OR REPLACE INTO dictionary_version_files (version, name, file) VALUES (?, ?, ?)")
        for file in files {
            let id = try find(file, db) ?? insert(file, db)
            try link.bind(1, version)
            try link.bind(2, file.file.name)
            try link.bind(3, id)
            try link.run()
        }
    }

    /// Returns the id of a stored file with the same content. Hashes may collide, so the contents are compared.
    private static func find(_ file: HashedFile, _ db: Database) throws -> Int64? {
        let rows = try BareStatement(db, reusing: "SELECT id, content FROM dictionary_files WHERE hash = ?")
        try rows.bind(1, bits: file.hash)
        while try rows.step() {
            if rows.bytes(1).elementsEqual(file.file.bytes) { return rows.int64(0) }
        }
        return nil
    }

    private static func insert(_ file: HashedFile, _ db: Database) throws -> Int64 {
        let statement = try BareStatement(
            db, reusing: "INSERT INTO dictionary_files (hash, bytes, content) VALUES (?, ?, ?)")
        try statement.bind(1, bits: file.hash)
        try statement.bind(2, Int64(file.file.bytes.count))
        try file.file.bytes.withUnsafeBytes {
            try statement.bind(3, unowned: $0, asText: isText($0))
            try statement.run()
        }
        return db.lastInsertedRowID
    }
}

/// A file with the hash by which its content is found in the store.
struct HashedFile: Sendable {
    var file: DefinitionFile
    var hash: UInt64

    init(_ file: DefinitionFile) {
        self.file = file
        hash = FNV1a(file.bytes).value
    }
}
