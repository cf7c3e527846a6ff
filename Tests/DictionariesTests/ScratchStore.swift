import Definitions
import Foundation
import Linux
import Model
import Resolve
import Store
import TestSupport

@testable import Dictionaries

/// A store in a folder of its own, and dictionaries made of text.
struct ScratchStore {
    let store: EventStore
    let folder: URL
    let log = LogRecord()
    let archive: DictionaryArchive
    /// As if an intake counted them.
    let batches = BatchCounter()
    let key = [UInt8](repeating: 7, count: 32)

    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (ScratchStore) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let scratch = ScratchStore(store: try await open(folder, maximumBytes: 64 << 20), folder: folder)
            let result = try await body(scratch)
            // SQLite must not remove its files while the folder is removed: some of it would stay.
            await scratch.store.close()
            return result
        }
    }

    /// Closes the store; `body` gets the same one under another limit.
    func reopened(maximumBytes: Int64, _ body: (ScratchStore) async throws -> Void) async throws {
        await store.close()
        let store = try await Self.open(folder, maximumBytes: maximumBytes)
        try await body(ScratchStore(store: store, folder: folder))
        await store.close()
    }

    private static func open(_ folder: URL, maximumBytes: Int64) async throws -> EventStore {
        try await EventStore(
            StoreOptions(
                path: folder.appending(path: "events.sqlite").path, maximumBytes: maximumBytes, maximumAge: nil,
                whenFull: .pause))
    }

    private init(store: EventStore, folder: URL) {
        self.store = store
        self.folder = folder
        archive = DictionaryArchive(store: store, logger: log.logger)
    }

    var options: DictionaryOptions {
        DictionaryOptions(name: "shop", path: folder.path, subsystem: Glob("com.example.*"))
    }

    /// Of one category, `recipe`; its version is kept as if it had been in force.
    func dictionary(_ text: String) async throws -> EventDictionary {
        let files = [DefinitionFile(name: "recipe.md", bytes: Array("# recipe\n\n\(text)".utf8))]
        let dictionary = try DictionaryParser.parse(files, options: options).dictionary
        try await store.keep(dictionary, files: files, loadedMicroseconds: wallClock())
        return dictionary
    }

    func dictionarySet(_ dictionaries: EventDictionary..., privacy: PrivacyMode = .protect) -> DictionarySet {
        DictionarySet(dictionaries, protection: Protection(mode: privacy, key: key))
    }

    func reprocessor(with dictionarySet: DictionarySet) -> Reprocessor {
        Reprocessor(
            store: store, archive: archive, batches: batches, dictionarySet: dictionarySet, logger: log.logger)
    }

    /// Saves events as the intake would.
    func save(
        _ payloads: [String], with dictionary: EventDictionary, flaws: Entry.Flaws = [],
        _ privacy: PrivacyMode = .protect
    ) async throws {
        var batch = EntryBatch()
        let origin = Origin.sample()
        for (number, payload) in payloads.enumerated() {
            let start = batch.bytes.count
            batch.bytes += payload.utf8
            batch.entries.append(
                Entry(
                    origin: origin, level: .notice, pid: 1, seqnum: UInt64(number + 1),
                    monotonicMicroseconds: UInt64(number + 1), realtimeMicroseconds: 1_790_000_000_000_000,
                    entryHash: UInt64(number), payload: start..<batch.bytes.count, flaws: flaws))
        }
        var resolver = dictionarySet(dictionary, privacy: privacy).resolver
        try await store.save(resolver.resolve(batch), journal: "test")
    }

    func events(after id: Int64 = 0, before end: Int64? = nil) async throws -> [Event] {
        var events: [Event] = []
        var after: Int64? = id
        while let place = after {
            let page = try await store.events(
                matching: .everything, after: place, before: end, order: .oldest, limit: 1000)
            events += page.events
            after = page.next
        }
        return events
    }
}

extension Event {
    var text: String { String(decoding: payload, as: UTF8.self) }
}
