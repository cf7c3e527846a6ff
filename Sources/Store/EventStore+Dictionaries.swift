internal import GRDB
package import Model

extension EventStore {
    /// The most that one transaction takes of files and of definitions, so that intake never waits long for it.
    private static let bytesAtOnce = 512 << 10
    private static let rowsAtOnce = 500
    /// A larger file would have to be written at once.
    private static let largestFile = 4 << 20

    /// Remembers a dictionary as it was put in force: the names that it protects, its version with its files, each content
    /// once, and since when each definition is known. Writes in short steps; when it does not get to the end, the next call completes it.
    ///
    /// Where the files take more than a sixteenth of the store's limit, or one of them more than 4 MiB, or where there
    /// are none, the version is kept without them. Definitions whose keys take more than a sixteenth have no time.
    /// - Throws: `.full` as `save` does. Nothing but what people are told of a version depends on it.
    package func keep(
        _ dictionary: EventDictionary, files: [DefinitionFile], loadedMicroseconds: UInt64
    ) async throws(StoreError) {
        let time = Int64(clamping: loadedMicroseconds)
        try await keepNames(of: dictionary)
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

    private func isKept(_ files: [DefinitionFile]) -> Bool {
        let bytes = files.reduce(0) { $0 + Int64($1.bytes.count + $1.name.utf8.count + 128) }
        return !files.isEmpty && bytes <= limit.dictionaryBytes
            && files.allSatisfy { $0.bytes.count <= Self.largestFile }
    }

    private func keep(_ files: [HashedFile], ofVersion version: Int64) async throws(StoreError) {
        var rest = files[...]
        while !rest.isEmpty {
            var (count, bytes) = (0, 0)
            while count < min(rest.count, Self.rowsAtOnce), bytes < Self.bytesAtOnce {
                bytes += rest[rest.startIndex + count].file.bytes.count
                count += 1
            }
            let part = rest.prefix(count)
            rest = rest.dropFirst(count)
            try await change { [self] db, state in
                try makeRoom(for: BatchCost(rows: part.map { $0.file.bytes.count + 128 }), db, &state)
                try state.transaction(db) { state in
                    try DictionaryFileTable.add(part, toVersion: version, db)
                    state.dictionaryBytes += part.reduce(0) { $0 + Int64($1.file.bytes.count + 128) }
                }
            }
        }
        try await change { db, state in
            try state.transaction(db) { _ in try VersionTable.hasAllFiles(version, db) }
        }
    }

    private func keepKeys(of dictionary: EventDictionary, at time: Int64) async throws(StoreError) {
        let name = dictionary.options.name
        let known = try await database.read(.definitions) { db in try DefinedSinceTable.since(dictionary: name, db) }
        let keys = Set(dictionary.categories.lazy.flatMap(\.definitions).map(\.key))
        guard keys.reduce(0, { $0 + $1.storedBytes(name) }) <= limit.dictionaryBytes else { return }
        // In the order of the table, whose pages are then written once.
        let new = keys.filter { known[$0] == nil }.sorted()
        let gone = known.keys.filter { !keys.contains($0) }
        let bytes = { @Sendable (key: EventKey) in key.category.utf8.count + key.name.utf8.count }
        try await inSteps(new, bytes) { keys, db in try DefinedSinceTable.add(keys, dictionary: name, at: time, db) }
        try await inSteps(gone, bytes) { keys, db in try DefinedSinceTable.remove(keys, dictionary: name, at: time, db)
        }
        try await inSteps([], bytes) { _, db in try DefinedSinceTable.forget(dictionary: name, at: time, db) }
    }

    private func keepNames(of dictionary: EventDictionary) async throws(StoreError) {
        let (name, names) = (dictionary.options.name, dictionary.confirmedNames)
        let known = try await protectedNames(ofDictionary: name)
        let new = names.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }.map {
            ProtectedName(parameter: $0.key.text, privacy: $0.value)
        }
        let gone = known.filter { names[$0.key] == nil }.map {
            ProtectedName(parameter: $0.key.text, privacy: $0.value)
        }
        let bytes = { @Sendable (name: ProtectedName) in name.parameter.utf8.count + 96 }
        if !new.isEmpty {
            try await inSteps(new, bytes) { names, db in try ProtectedNameTable.save(names, dictionary: name, db) }
        }
        if !gone.isEmpty {
            try await inSteps(gone, bytes) { names, db in try ProtectedNameTable.remove(names, dictionary: name, db) }
        }
    }

    /// A transaction for each part, at least one.
    private func inSteps<Row: Sendable>(
        _ rows: [Row], _ bytes: @escaping @Sendable (Row) -> Int,
        _ body: @escaping @Sendable (ArraySlice<Row>, Database) throws -> Void
    ) async throws(StoreError) {
        var rest = rows[...]
        repeat {
            let part = rest.prefix(Self.rowsAtOnce)
            rest = rest.dropFirst(part.count)
            try await change { [self] db, state in
                let rows = part.map(bytes)
                try makeRoom(for: BatchCost(rows: rows), db, &state)
                try state.transaction(db) { state in
                    try body(part, db)
                    state.dictionaryBytes += rows.reduce(0) { $0 + Int64($1) }
                }
            }
        } while !rest.isEmpty
    }

    /// The names that a dictionary protected when it was put in force last.
    package func protectedNames(ofDictionary name: String) async throws(StoreError) -> [ExactString: Privacy] {
        try await database.read(.definitions) { db in try ProtectedNameTable.names(ofDictionary: name, db) }
    }

    /// Whether values may be stored that were hashed.
    package func mayHaveHashes() async throws(StoreError) -> Bool {
        try await database.read(.definitions) { db in try ProtectedNameTable.areAnyHashed(db) }
    }

    /// The versions of a dictionary that are remembered: the newest 20, and those that stored events name. Newest
    /// first, by when they were last put in force.
    package func versions(ofDictionary name: String) async throws(StoreError) -> [DictionaryVersion] {
        try await database.read(.definitions) { db in try VersionTable.all(ofDictionary: name, db) }
    }

    /// The files of a version, sorted by name; `nil` when they are not kept, or not any more.
    package func files(
        ofDictionary name: String, version: String
    ) async throws(StoreError) -> [DefinitionFile]? {
        try await database.read(.definitions) { db in
            try VersionTable.withFiles(ofDictionary: name, version: version, db).map {
                try DictionaryFileTable.files(ofVersion: $0, db)
            }
        }
    }

    /// The names of the files of a version, sorted, and how large each is; `nil` when they are not kept, or not any more.
    package func fileNames(
        ofDictionary name: String, version: String
    ) async throws(StoreError) -> [(name: String, bytes: Int)]? {
        try await database.read(.definitions) { db in
            try VersionTable.withFiles(ofDictionary: name, version: version, db).map {
                try DictionaryFileTable.names(ofVersion: $0, db)
            }
        }
    }

    /// One file of a version, for who does not want them all in memory; `nil` when it is not kept, or not any more.
    package func file(
        ofDictionary name: String, version: String, named file: String
    ) async throws(StoreError) -> DefinitionFile? {
        try await database.read(.definitions) { db in
            guard let version = try VersionTable.withFiles(ofDictionary: name, version: version, db) else { return nil }
            return try DictionaryFileTable.file(ofVersion: version, named: file, db)
        }
    }

    /// When each definition that the dictionary has was loaded first, in microseconds since 1970. One that was away for
    /// less than 30 days keeps the time that it had.
    package func watchedSince(dictionary name: String) async throws(StoreError) -> [EventKey: UInt64] {
        try await database.read(.definitions) { db in try DefinedSinceTable.since(dictionary: name, db) }
    }
}

extension EventKey {
    /// About what its row in `definitions` takes.
    fileprivate func storedBytes(_ dictionary: String) -> Int64 {
        Int64(category.utf8.count + name.utf8.count + dictionary.utf8.count + 48)
    }
}
