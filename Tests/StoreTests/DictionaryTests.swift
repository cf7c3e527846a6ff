import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct DictionaryTests {
    private func dictionary(_ version: String, events: [String], name: String = "shop") -> EventDictionary {
        let definitions = events.map {
            Definition(
                key: EventKey(category: "list", name: $0), description: "", isObsolete: false, parameters: [], line: 1)
        }
        let category = DefinitionCategory(
            name: "list", title: nil, description: "", parameters: [], definitions: definitions)
        return EventDictionary(
            options: DictionaryOptions(name: name, path: "/definitions", layout: PayloadLayout(members: "c", "n")),
            version: version, common: [], categories: [category])
    }

    private func file(_ name: String, _ text: String) -> DefinitionFile {
        DefinitionFile(name: name, bytes: Array(text.utf8))
    }

    private func count(_ table: String, _ store: EventStore) async throws -> Int {
        try await store.database.read(.query) { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
    }

    @Test func `versions are returned newest first with their files, and each content is kept once`() async throws {
        try await withStoreFolder { folder in
            var store = try await EventStore.open(folder)
            let same = file("common.md", "# common")
            let binary = DefinitionFile(name: "odd.md", bytes: [0, 0xFF])
            let empty = DefinitionFile(name: "empty.md", bytes: [])
            let first = [same, binary, empty, file("list.md", "# one")]
            let second = [same, binary, empty, file("list.md", "# two"), file("copy.md", "# common")]
            try await store.keep(dictionary("a", events: ["tap"]), files: first, loadedMicroseconds: newYear)
            try await store.keep(dictionary("b", events: ["tap", "x"]), files: second, loadedMicroseconds: newYear + 1)
            try await store.keep(dictionary("a", events: ["tap"]), files: first, loadedMicroseconds: newYear + 2)
            try await store.keep(
                dictionary("a", events: [], name: "other"), files: [], loadedMicroseconds: newYear + 3)
            await store.close()
            store = try await EventStore.open(folder)
            let versions = try await store.versions(ofDictionary: "shop")
            #expect(
                versions == [
                    DictionaryVersion(
                        version: "a", loadedMicroseconds: newYear,
                        lastLoadedMicroseconds: newYear + 2, definitions: 1, key: ["c", "n"],
                        layout: "member c\nmember n\n",
                        hasFiles: true),
                    DictionaryVersion(
                        version: "b", loadedMicroseconds: newYear + 1,
                        lastLoadedMicroseconds: newYear + 1, definitions: 2, key: ["c", "n"],
                        layout: "member c\nmember n\n",
                        hasFiles: true),
                ])
            func byName(_ files: [DefinitionFile]) -> [DefinitionFile] { files.sorted { $0.name < $1.name } }
            #expect(try await store.files(ofDictionary: "shop", version: "a") == byName(first))
            #expect(try await store.files(ofDictionary: "shop", version: "b") == byName(second))
            #expect(try await store.files(ofDictionary: "shop", version: "c") == nil)
            #expect(try await store.files(ofDictionary: "other", version: "a") == nil)
            #expect(try await store.versions(ofDictionary: "other").map(\.hasFiles) == [false])
            #expect(try await count("dictionary_files", store) == 5)
            await store.close()
        }
    }

    @Test func `the version that was last put in force comes first, also after the clock was set back`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            for (version, time) in [("a", newYear), ("b", newYear - 3_600_000_000), ("b", newYear), ("a", 1)] {
                try await store.keep(dictionary(version, events: []), files: [], loadedMicroseconds: time)
                #expect(try await store.versions(ofDictionary: "shop").first?.version == version)
            }
            let times = try await store.versions(ofDictionary: "shop").map(\.lastLoadedMicroseconds)
            #expect(times == [newYear + 2, newYear + 1])
            await store.close()
        }
    }

    @Test func `a version that lost files while others were saved does not count as complete`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let files = [file("a.md", "# a"), file("b.md", "# b")]
            try await store.keep(dictionary("a", events: []), files: files, loadedMicroseconds: newYear)
            let complete = try await store.database.write { db in
                try [1, 2].map { count in
                    try db.execute(sql: "UPDATE dictionary_versions SET has_files = 0")
                    try VersionTable.hasAllFiles(1, count: count, db)
                    return try VersionTable.withFiles(ofDictionary: "shop", version: "a", db) != nil
                }
            }
            #expect(complete == [false, true])
            await store.close()
        }
    }

    @Test func `a definition is watched since it was first loaded, also when it was missing for a while`() async throws
    {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let day: UInt64 = 86_400_000_000
            func since() async throws -> [String: UInt64] {
                try await store.watchedSince(dictionary: "shop").reduce(into: [:]) { $0[$1.key.name] = $1.value }
            }
            try await store.keep(dictionary("a", events: ["tap", "x"]), files: [], loadedMicroseconds: newYear)
            try await store.keep(dictionary("b", events: ["tap", "y"]), files: [], loadedMicroseconds: newYear + 1)
            #expect(try await since() == ["tap": newYear, "y": newYear + 1])
            #expect(try await store.watchedSince(dictionary: "other").isEmpty)
            let soon = newYear + 20 * day
            try await store.keep(dictionary("a", events: ["tap", "x"]), files: [], loadedMicroseconds: soon)
            #expect(try await since() == ["tap": newYear, "x": newYear])
            let late = soon + 31 * day
            try await store.keep(dictionary("a", events: ["tap", "x"]), files: [], loadedMicroseconds: late)
            try await store.keep(dictionary("b", events: ["tap", "y"]), files: [], loadedMicroseconds: late)
            #expect(try await since() == ["tap": newYear, "y": late])
            // "x" is missing again, and nothing is loaded until it returns.
            let later = late + 31 * day
            try await store.keep(dictionary("a", events: ["tap", "x"]), files: [], loadedMicroseconds: later)
            #expect(try await since() == ["tap": newYear, "x": later])
            await store.close()
        }
    }

    @Test func `definitions that are too many have no times, and begin again once they are few`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20)
            let month: UInt64 = 31 * 86_400_000_000
            func keep(_ numbers: Range<Int>, at time: UInt64) async throws -> [UInt64] {
                let events = numbers.map { "\($0)-" + String(repeating: "x", count: 200) }
                try await store.keep(dictionary("a", events: events), files: [], loadedMicroseconds: time)
                return try await store.watchedSince(dictionary: "shop").values.sorted()
            }
            #expect(try await keep(0..<900, at: newYear) == Array(repeating: newYear, count: 900))
            #expect(try await keep(1..<1500, at: newYear + 1).isEmpty)
            #expect(try await keep(0..<900, at: newYear + 2) == Array(repeating: newYear, count: 900))
            #expect(try await keep(1..<1500, at: newYear + 3).isEmpty)
            let late = newYear + month
            #expect(try await keep(0..<900, at: late) == Array(repeating: late, count: 900))
            await store.close()
        }
    }

    @Test func `the definitions of a dictionary that left the settings are forgotten after a while`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let month: UInt64 = 31 * 86_400_000_000
            for name in ["shop", "other"] {
                try await store.keep(
                    dictionary("a", events: ["tap", "x"], name: name), files: [], loadedMicroseconds: newYear)
            }
            try await store.keepDefinitions(ofOnly: ["shop"], at: newYear)
            #expect(try await store.watchedSince(dictionary: "shop").count == 2)
            #expect(try await store.watchedSince(dictionary: "other").isEmpty)
            try await store.keep(
                dictionary("a", events: ["tap"], name: "other"), files: [], loadedMicroseconds: newYear + 1)
            #expect(Array(try await store.watchedSince(dictionary: "other").values) == [newYear], "it has returned")
            #expect(try await count("definitions", store) == 4)
            try await store.keep(
                dictionary("a", events: ["tap", "x"]), files: [], loadedMicroseconds: newYear + month)
            #expect(try await count("definitions", store) == 3)
            await store.close()
        }
    }

    @Test func `the newest 20 versions are kept, and older ones as long as events refer to them`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(10))
            let named = EventKind(dictionary: "shop", definitionsVersion: "v3", key: nil)
            var batch = journal.single(resolution: .unkeyed)
            batch.events[0].kind = named
            try await store.save(batch, journal: "machine")
            for number in 1...30 {
                try await store.keep(
                    dictionary("v\(number)", events: ["tap"]),
                    files: [file("list.md", "\(number)"), file("common.md", "same")],
                    loadedMicroseconds: newYear + UInt64(number))
            }
            try await store.keep(
                dictionary("v1", events: [], name: "other"), files: [], loadedMicroseconds: newYear)
            while try await store.maintain(now: newYear) {}
            #expect(
                try await store.versions(ofDictionary: "shop").map(\.version)
                    == (11...30).reversed().map { "v\($0)" } + ["v3"])
            #expect(try await store.versions(ofDictionary: "other").count == 1)
            #expect(try await count("dictionary_files", store) == 22)
            #expect(try await store.files(ofDictionary: "shop", version: "v3")?.count == 2)

            while try await store.maintain(now: newYear + 11_000_000) {}
            #expect(try await store.versions(ofDictionary: "shop").count == 20)
            #expect(try await store.files(ofDictionary: "shop", version: "v3") == nil)
            #expect(try await count("dictionary_files", store) == 21)
            #expect(try await count("dictionary_version_files", store) == 40)
            await store.close()
        }
    }

    @Test func `old versions are kept that any block or the newest events refer to, and no others`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            // A block names two versions, the next the second of them and a third, and an event in no block a fourth.
            for (count, versions) in [(4096, ["v1", "v4"]), (4096, ["v4", "v9"]), (1, ["v7"])] {
                var batch = journal.batch(count)
                for place in batch.events.indices {
                    batch.events[place].kind = EventKind(
                        dictionary: "shop", definitionsVersion: versions[place % versions.count],
                        key: batch.events[place].kind.key)
                }
                try await store.save(batch, journal: "machine")
            }
            for number in 1...30 {
                try await store.keep(
                    dictionary("v\(number)", events: []), files: [], loadedMicroseconds: newYear + UInt64(number))
                try await store.keep(
                    dictionary("v\(number)", events: [], name: "other"), files: [],
                    loadedMicroseconds: newYear + UInt64(number))
            }
            try await store.tidyAll()
            #expect(
                try await store.versions(ofDictionary: "shop").map(\.version)
                    == ((11...30).reversed() + [9, 7, 4, 1]).map { "v\($0)" })
            #expect(try await store.versions(ofDictionary: "other").count == 20)
            await store.close()
        }
    }

    @Test func `a damaged block keeps old versions, but not their files`() async throws {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: limit, maximumAge: .seconds(10_000))
            var batch = journal.batch(store.maximumBatch.events)
            for place in batch.events.indices {
                batch.events[place].kind = EventKind(
                    dictionary: "shop", definitionsVersion: "v2", key: batch.events[place].kind.key)
            }
            try await store.save(batch, journal: "machine")
            try await store.database.write { db in
                try db.execute(sql: "UPDATE block_data SET data = zeroblob(9000)")
                #expect(db.changesCount == 1)
            }
            for number in 1...22 {
                let text = "\(number)" + String(repeating: "x", count: Int(limit / 16) - 4000)
                try await store.keep(
                    dictionary("v\(number)", events: []), files: [file("list.md", text)],
                    loadedMicroseconds: newYear + UInt64(number))
                try await store.tidyAll()
            }
            #expect(
                try await store.versions(ofDictionary: "shop").map(\.hasFiles)
                    == [true, true] + [Bool](repeating: false, count: 19))
            #expect(try await count("dictionary_files", store) == 2)
            #expect(store.damage != nil)
            try await store.tidyAll(now: newYear + 90_000_000_000)
            #expect(try await store.versions(ofDictionary: "shop").count == 20)
            await store.close()
        }
    }

    @Test func `a version that is too large is kept without files, and all together stay within their limit`()
        async throws
    {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            let store = try await EventStore.open(folder, maximumBytes: limit)
            func text(_ number: Int, bytes: Int) -> [DefinitionFile] {
                [file("list.md", "\(number)" + String(repeating: "x", count: bytes))]
            }
            try await store.keep(
                dictionary("large", events: []), files: text(0, bytes: Int(limit / 16)), loadedMicroseconds: newYear)
            #expect(try await store.versions(ofDictionary: "shop").map(\.hasFiles) == [false])
            for number in 1...10 {
                try await store.keep(
                    dictionary("v\(number)", events: []), files: text(number, bytes: Int(limit / 16) - 1000),
                    loadedMicroseconds: newYear + UInt64(number))
                while try await store.maintain(now: newYear) {}
                let sizes = store.database.file.sizes
                #expect(sizes.database + sizes.wal <= limit)
            }
            let kept = try await store.versions(ofDictionary: "shop")
            #expect(kept.count == 11)
            #expect(kept.map(\.hasFiles) == [true, true] + [Bool](repeating: false, count: 9))
            await store.close()
        }
    }

    @Test func `old versions lose their files to newer ones of any dictionary, but the newest of each does not`()
        async throws
    {
        try await withStoreFolder { folder in
            let limit: Int64 = 4 << 20
            let store = try await EventStore.open(folder, maximumBytes: limit)
            let bytes = Int(limit / 16) - 1000
            func keep(_ version: Int, _ name: String) async throws {
                try await store.keep(
                    dictionary("v\(version)", events: [], name: name),
                    files: [file("list.md", "\(name) \(version)" + String(repeating: "x", count: bytes))],
                    loadedMicroseconds: newYear + UInt64(version))
                while try await store.maintain(now: newYear) {}
            }
            try await keep(0, "quiet")
            try await keep(1, "calm")
            for version in 2...6 { try await keep(version, "shop") }
            func kept(_ name: String) async throws -> [Bool] {
                try await store.versions(ofDictionary: name).map(\.hasFiles)
            }
            #expect(try await kept("quiet") == [true])
            #expect(try await kept("calm") == [true])
            #expect(try await kept("shop") == [true, false, false, false, false])
            #expect(try await store.files(ofDictionary: "quiet", version: "v0")?.count == 1)

            // Dictionaries that are added to the settings and removed again: their number is bounded, and the newest
            // ones stay.
            for version in 7...20 { try await keep(version, "passing\(version)") }
            #expect(try await kept("quiet") == [false])
            #expect(try await kept("passing20") == [true])
            #expect(try await store.database.read(.query) { try VersionTable.bytes($0) } <= limit / 2)
            let sizes = store.database.file.sizes
            #expect(sizes.database + sizes.wal <= limit)
            await store.close()
        }
    }

    @Test func `a damaged size of a file does not end the program, and the file can be removed`() async throws {
        try await withStoreFolder { folder in
            var store = try await EventStore.open(folder)
            for version in 1...2 {
                try await store.keep(
                    dictionary("v\(version)", events: []), files: [file("list.md", "\(version)")],
                    loadedMicroseconds: newYear + UInt64(version))
            }
            try await store.database.write { db in
                try db.execute(sql: "UPDATE dictionary_files SET bytes = \(Int64.max - 10_000) WHERE id = 1")
            }
            await store.close()
            store = try await EventStore.open(folder)
            var journal = Journal()
            try await store.save(journal.batch(10), journal: "machine")
            try await store.tidyAll()
            #expect(try await store.versions(ofDictionary: "shop").map(\.hasFiles) == [true, true])
            try await store.database.write { db in
                try db.execute(sql: "DELETE FROM dictionary_version_files WHERE version = 1")
            }
            try await store.keep(dictionary("v3", events: []), files: [], loadedMicroseconds: newYear + 3)
            try await store.tidyAll()
            #expect(try await count("dictionary_files", store) == 1)
            await store.close()
        }
    }

    @Test func `no version loses its files while those of an older one are being removed`() async throws {
        try await withStoreFolder { folder in
            // The three together exceed the limit by less than one of them. The files of each are removed in several
            // steps.
            let store = try await EventStore.open(folder, maximumBytes: 4 << 20)
            for version in 1...3 {
                let text = "\(version)" + String(repeating: "x", count: 100)
                try await store.keep(
                    dictionary("v\(version)", events: []), files: (0..<800).map { file("f\($0).md", "\($0) \(text)") },
                    loadedMicroseconds: newYear + UInt64(version))
            }
            while try await store.maintain(now: newYear) {}
            #expect(try await store.versions(ofDictionary: "shop").map(\.hasFiles) == [true, true, false])
            #expect(try await count("dictionary_files", store) == 1600)
            await store.close()
        }
    }

    @Test func `files of a version can be read one by one`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let files = [file("b.md", "# b"), file("a.md", ""), DefinitionFile(name: "odd.md", bytes: [0, 0xFF])]
            try await store.keep(dictionary("a", events: []), files: files, loadedMicroseconds: newYear)
            try await store.keep(dictionary("b", events: []), files: [], loadedMicroseconds: newYear)
            let names = try #require(try await store.fileNames(ofDictionary: "shop", version: "a"))
            #expect(names.map(\.name) == ["a.md", "b.md", "odd.md"])
            for (name, bytes) in names {
                #expect(try await store.file(ofDictionary: "shop", version: "a", named: name)?.bytes.count == bytes)
            }
            for file in files {
                #expect(try await store.file(ofDictionary: "shop", version: "a", named: file.name) == file)
            }
            #expect(try await store.file(ofDictionary: "shop", version: "a", named: "c.md") == nil)
            #expect(try await store.file(ofDictionary: "shop", version: "b", named: "a.md") == nil)
            #expect(try await store.fileNames(ofDictionary: "shop", version: "b") == nil)
            #expect(try await store.fileNames(ofDictionary: "other", version: "a") == nil)
            await store.close()
        }
    }

    @Test func `a version whose files were saved only in part is completed the next time`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let files = (0..<1200).map { file("f\($0).md", "# \($0)") }
            try await store.keep(dictionary("a", events: []), files: files, loadedMicroseconds: newYear)
            try await store.database.write { db in
                try db.execute(
                    sql: """
                        UPDATE dictionary_versions SET has_files = 0;
                        DELETE FROM dictionary_version_files WHERE name > 'f5';
                        INSERT INTO dictionary_version_files VALUES (1, 'stray.md', 1)
                        """)
            }
            #expect(try await store.files(ofDictionary: "shop", version: "a") == nil)
            try await store.keep(dictionary("a", events: []), files: files, loadedMicroseconds: newYear)
            #expect(
                try await store.files(ofDictionary: "shop", version: "a") == files.sorted { $0.name < $1.name })
            #expect(try await count("dictionary_files", store) == 1200)
            await store.close()
        }
    }

    @Test func `what is removed of a dictionary takes no more room than before`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            func bytes() async throws -> Int64 { try await store.change { _, state in state.dictionaryBytes } }
            let large = dictionary("a", events: (0..<1000).map { "event\($0)" })
            try await store.keep(large, files: [], loadedMicroseconds: newYear)
            let before = try await bytes()
            let stored = try await store.change { db, _ in try VersionTable.bytes(db) }
            #expect(stored == before + 128, "as much as is counted while it is saved, and the version")
            try await store.keep(dictionary("a", events: []), files: [], loadedMicroseconds: newYear)
            #expect(try await bytes() == before)
            await store.close()
        }
    }

    @Test func `10,000 definitions are saved in steps, between which events are saved`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let large = dictionary("a", events: (0..<10_000).map { "event\($0)" })
            try await withThrowingTaskGroup { group in
                group.addTask { try await store.keep(large, files: [], loadedMicroseconds: newYear) }
                var journal = Journal()
                for _ in 0..<10 { try await store.save(journal.batch(10), journal: "machine") }
                try await group.waitForAll()
            }
            #expect(try await store.watchedSince(dictionary: "shop").count == 10_000)
            #expect(try await store.statistics().storedEvents == 100)
            await store.close()
        }
    }

    @Test func `the protected names of a dictionary are those of its last version in force`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var one = dictionary("a", events: ["tap"])
            one.inherited = ["email": .private, "user": .hash]
            one.suspected = ["phone": .private]
            try await store.keep(one, files: [], loadedMicroseconds: newYear)
            #expect(try await store.protectedNames(ofDictionary: "shop") == ["email": .private, "user": .hash])
            one.inherited = ["user": .private, "mail": .hash]
            try await store.keep(one, files: [], loadedMicroseconds: newYear)
            #expect(try await store.protectedNames(ofDictionary: "shop") == ["user": .private, "mail": .hash])
            #expect(try await store.protectedNames(ofDictionary: "other").isEmpty)
            one.inherited = Dictionary(uniqueKeysWithValues: (0..<1200).map { (ExactString("name\($0)"), .private) })
            try await store.keep(one, files: [], loadedMicroseconds: newYear)
            #expect(try await store.protectedNames(ofDictionary: "shop") == one.inherited)
            await store.close()
        }
    }
}
