internal import GRDB
package import Model

extension EventStore {
    /// The maximum of rows in one transaction, so that intake never waits long for it. One row may be larger.
    private static let bytesAtOnce = 512 << 10
    private static let rowsAtOnce = 500

    /// Saves a dictionary that was put in force: the names that it protects, its version with its files, each content
    /// once, and the time since which each definition has been known. It writes in short steps. If it is interrupted,
    /// the next call completes it.
    ///
    /// If the files take more than a sixteenth of the store's limit, or one of them more than 4 MiB, or if there are
    /// none, the version is kept without files. If the keys of the definitions take more than a sixteenth, no times
    /// are kept.
    /// - Parameter removingNames: whether names that it does not protect are forgotten.
    /// - Throws: `.full` as `save` does. Only the information about versions that is shown to users depends on it.
    package func keep(
        _ dictionary: EventDictionary, files: [DefinitionFile], loadedMicroseconds: UInt64, removingNames: Bool = true
    ) async throws(StoreError) {
        let time = Int64(clamping: loadedMicroseconds)
        try await keepNames(of: dictionary, removing: removingNames)
        let version = try await change { [self] db, state in
            try makeRoom(for: BatchCost(rows: [512]), db, &state)
            var version = StoredVersion(id: 0, hasFiles: false)
            try state.transaction(db) { state in
                version = try VersionTable.load(dictionary, at: time, db)
                if !version.hasFiles { try DictionaryFileTable.forget(version: version.id, db) }
                state.mayHaveUnusedVersions = true
            }
            return version
        }
        if !version.hasFiles, isKept(files) { try await keep(files.map(HashedFile.init), ofVersion: version.id) }
        try await keepKeys(of: dictionary, at: time)
    }

    /// The id from which on events may have been stored while private values were revealed that are not all protected yet; `nil` if
    /// there are none. An event does not show it.
    package func firstRevealed() async throws(StoreError) -> Int64? {
        try await database.read(.status) { db in
            guard let marks = try Row.fetchOne(db, sql: "SELECT revealed FROM marks") else { return 1 }
            let first: Int64 = try marks.value("revealed")
            // What cannot be right does not say since when.
            return first == 0 ? nil : try (1...Totals.lastEventID(db) + 1).contains(first) ? first : 1
        }
    }

    /// Call it before the first event with a revealed value is stored. What was noted before stays.
    /// - Parameter first: the id of the first event; `nil` for the next one.
    package func noteRevealed(from first: Int64? = nil) async throws(StoreError) {
        try await change { db, state in
            try state.transaction(db) { state in
                let first = first ?? state.lastEventID + 1
                try db.execute(
                    sql: """
                        UPDATE marks SET revealed = iif(revealed BETWEEN 0 AND ?2, ?1, 1)
                        WHERE revealed NOT BETWEEN 1 AND ?1
                        """, arguments: [first, state.lastEventID + 1])
            }
        }
    }

    /// Call it when no event with a revealed value is left.
    package func forgetRevealed() async throws(StoreError) {
        try await change { db, state in
            try state.transaction(db) { _ in try db.execute(sql: "UPDATE marks SET revealed = 0") }
        }
    }

    private func isKept(_ files: [DefinitionFile]) -> Bool {
        let bytes = files.reduce(0) { $0 + Int64($1.bytes.count + $1.name.utf8.count + 128) }
        return !files.isEmpty && bytes <= limit.dictionaryBytes
            && files.allSatisfy { $0.bytes.count <= DictionaryFileTable.largestFile }
    }

    private func keep(_ files: [HashedFile], ofVersion version: Int64) async throws(StoreError) {
        try await write(files, adding: true, { Int64($0.file.bytes.count + 128) }) { files, db in
            try DictionaryFileTable.add(files, toVersion: version, db)
        }
        try await change { db, state in
            try state.transaction(db) { _ in try VersionTable.hasAllFiles(version, count: files.count, db) }
        }
    }

    private func keepKeys(of dictionary: EventDictionary, at time: Int64) async throws(StoreError) {
        let name = dictionary.options.name
        let known = try await database.read(.definitions) { db in try DefinedSinceTable.since(dictionary: name, db) }
        let keys = Set(dictionary.categories.lazy.flatMap(\.definitions).map(\.key))
        let bytes = Self.bytes(ofDictionary: name)
        let areKept = keys.reduce(0) { $0 + bytes($1) } <= limit.dictionaryBytes
        // In the order of the table, so that each of its pages is written once.
        let new = areKept ? keys.filter { known[$0] == nil }.sorted() : []
        let gone = known.keys.filter { !areKept || !keys.contains($0) }
        try await write(new, adding: true, bytes) { keys, db in
            try DefinedSinceTable.add(keys, dictionary: name, at: time, db)
        }
        try await write(gone, adding: false, bytes) { keys, db in
            try DefinedSinceTable.remove(keys, dictionary: name, at: time, db)
        }
        try await change { db, state in
            try state.transaction(db) { _ in try DefinedSinceTable.forget(at: time, db) }
        }
    }

    /// Notes that dictionaries that are not in the settings define nothing any more. The times of their definitions are kept
    /// for a while, as those of others that were removed.
    package func keepDefinitions(ofOnly names: [String], at microseconds: UInt64) async throws(StoreError) {
        let time = Int64(clamping: microseconds)
        let known = try await database.read(.definitions) { db in try DefinedSinceTable.dictionaries(db) }
        for name in known where !names.contains(where: { $0 == name }) {
            let keys = try await watchedSince(dictionary: name).keys
            try await write(Array(keys), adding: false, Self.bytes(ofDictionary: name)) { keys, db in
                try DefinedSinceTable.remove(keys, dictionary: name, at: time, db)
            }
        }
    }

    /// Returns what says the approximate size of a row in `definitions`.
    private static func bytes(ofDictionary name: String) -> @Sendable (EventKey) -> Int64 {
        { storedBytes([name, $0.category, $0.name]) }
    }

    private func keepNames(of dictionary: EventDictionary, removing: Bool) async throws(StoreError) {
        let (name, names) = (dictionary.options.name, dictionary.confirmedNames)
        let known = try await protectedNames(ofDictionary: name)
        let new = names.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let gone = known.keys.filter { names[$0] == nil }
        let bytes = { @Sendable (parameter: ExactString) in storedBytes([name, parameter.text]) }
        try await write(new, adding: true, { bytes($0.key) }) { names, db in
            try ProtectedNameTable.save(names, dictionary: name, db)
        }
        guard removing else { return }
        try await write(gone, adding: false, bytes) { names, db in
            try ProtectedNameTable.remove(names, dictionary: name, db)
        }
    }

    /// Writes rows, in one transaction for each part of them.
    /// - Parameters:
    ///   - isAdding: whether the rows are new, or else are changed or removed.
    ///   - bytes: returns the size of a row.
    private func write<Row: Sendable>(
        _ rows: [Row], adding isAdding: Bool, _ bytes: @escaping @Sendable (Row) -> Int64,
        _ body: @escaping @Sendable (ArraySlice<Row>, Database) throws -> Void
    ) async throws(StoreError) {
        var rest = rows[...]
        while !rest.isEmpty {
            var size: Int64 = 0
            let part = rest.prefix(Self.rowsAtOnce).prefix { row in
                defer { size += bytes(row) }
                return size < Self.bytesAtOnce
            }
            rest = rest.dropFirst(part.count)
            try await change { [self] db, state in
                let sizes = part.map(bytes)
                try makeRoom(for: BatchCost(rows: sizes.map(Int.init)), db, &state)
                try state.transaction(db) { state in
                    try body(part, db)
                    if isAdding { state.dictionaryBytes += sizes.reduce(0, +) }
                }
            }
        }
    }

    /// Returns the names that a dictionary protected when it was last put in force.
    package func protectedNames(ofDictionary name: String) async throws(StoreError) -> [ExactString: Privacy] {
        try await database.read(.definitions) { db in try ProtectedNameTable.names(ofDictionary: name, db) }
    }

    /// Returns the versions of a dictionary that are kept: the newest 20, and those that stored events refer to. The
    /// version that was last put in force comes first.
    package func versions(ofDictionary name: String) async throws(StoreError) -> [DictionaryVersion] {
        try await database.read(.definitions) { db in try VersionTable.all(ofDictionary: name, db) }
    }

    /// Returns the files of a version, sorted by name; `nil` when they are not kept, or no longer.
    package func files(
        ofDictionary name: String, version: String
    ) async throws(StoreError) -> [DefinitionFile]? {
        try await database.read(.definitions) { db in
            try VersionTable.withFiles(ofDictionary: name, version: version, db).map {
                try DictionaryFileTable.files(ofVersion: $0, db)
            }
        }
    }

    /// Returns the names of the files of a version, sorted, and their sizes; `nil` when they are not kept, or no
    /// longer.
    package func fileNames(
        ofDictionary name: String, version: String
    ) async throws(StoreError) -> [(name: String, bytes: Int)]? {
        try await database.read(.definitions) { db in
            try VersionTable.withFiles(ofDictionary: name, version: version, db).map {
                try DictionaryFileTable.names(ofVersion: $0, db)
            }
        }
    }

    /// Returns one file of a version, for callers that do not want all files in memory; `nil` when it is not kept, or
    /// no longer.
    package func file(
        ofDictionary name: String, version: String, named file: String
    ) async throws(StoreError) -> DefinitionFile? {
        try await database.read(.definitions) { db in
            guard let version = try VersionTable.withFiles(ofDictionary: name, version: version, db) else { return nil }
            return try DictionaryFileTable.file(ofVersion: version, named: file, db)
        }
    }

    /// Returns the time at which each current definition of the dictionary was first loaded, in microseconds since
    /// 1970. A definition that was missing for less than 30 days keeps its time.
    package func watchedSince(dictionary name: String) async throws(StoreError) -> [EventKey: UInt64] {
        try await database.read(.definitions) { db in try DefinedSinceTable.since(dictionary: name, db) }
    }
}

/// Returns the approximate size of a row in `definitions` or `protected_names`.
private func storedBytes(_ texts: [String]) -> Int64 {
    texts.reduce(VersionTable.rowBytes) { $0 + Int64($1.utf8.count) }
}
