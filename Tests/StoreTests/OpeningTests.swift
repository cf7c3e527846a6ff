import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct OpeningTests {
    private func refusal(_ folder: String) async -> StoreError? {
        await storeError { try await EventStore.open(folder).close() }
    }

    /// What a look at the store says, which must be what opening it says.
    private func look(_ folder: String) async -> StoreError? {
        await storeError {
            let unknown = try EventStore.look(at: folder + "/events.sqlite")
            #expect(unknown == nil)
        }
    }

    @Test func `whether there is room for another file is found without touching one that is there`() async throws {
        try await withStoreFolder { folder in
            let file = try StoreFile(path: folder + "/events.sqlite")
            #expect(file.hasRoomForAnother)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            #expect(FileManager.default.createFile(atPath: file.path + ".room", contents: nil))
            #expect(file.hasRoomForAnother)
            #expect(FileManager.default.fileExists(atPath: file.path + ".room"))
        }
    }

    @Test func `a look at a store creates and changes nothing, also while a daemon has it open`() async throws {
        try await withStoreFolder { folder in
            func files() throws -> [String: Data] {
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                return try names.reduce(into: [:]) {
                    $0[$1] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($1)"))
                }
            }
            #expect(await look(folder) == nil)
            #expect(try files().isEmpty)
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            await store.close()
            let closed = try files()
            #expect(await look(folder) == nil)
            #expect(try files() == closed)
            // What a daemon that was killed leaves: the log has what the file has not.
            let other = try DatabaseQueue(path: folder + "/events.sqlite")
            try await other.write { try $0.execute(sql: "DELETE FROM totals") }
            let open = try files()
            #expect(open.keys.contains("events.sqlite-wal"))
            #expect(await look(folder) == nil)
            #expect(try files() == open)
            try other.close()
        }
    }

    @Test func `a file that grows during a look is whole`() async throws {
        try await withStoreFolder { folder in
            try await EventStore.open(folder).close()
            let other = try DatabaseQueue(path: folder + "/events.sqlite")
            try await other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
            let growing = Task {
                while !Task.isCancelled {
                    try await other.writeWithoutTransaction { db in
                        try db.execute(sql: "INSERT INTO block_data VALUES (NULL, zeroblob(8192))")
                        _ = try db.checkpoint(.truncate)
                    }
                }
            }
            // More threads than processors, so that looks are interrupted.
            await withTaskGroup { looks in
                for _ in 0..<4 {
                    looks.addTask { for _ in 0..<2000 { #expect(await look(folder) == nil) } }
                }
            }
            growing.cancel()
            _ = await growing.result
            try other.close()
        }
    }

    @Test func `a look says what is not there yet, and refuses what is in its place`() async throws {
        try await withStoreFolder { folder in
            let missing = try EventStore.look(at: folder + "/missing/events.sqlite")
            #expect(missing?.contains("missing/events.sqlite cannot be reached: No such file") == true)
            let path = folder + "/events.sqlite"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(await look(folder) == nil)
            // Tables that were all dropped, as in a new database of another program.
            try FileManager.default.removeItem(atPath: path)
            let empty = try DatabaseQueue(path: path)
            try await empty.write { try $0.execute(sql: "CREATE TABLE t (a); DROP TABLE t") }
            try empty.close()
            #expect(await look(folder) == nil)
            #expect(await refusal(folder) == nil)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(await look(folder)?.description.contains("not a regular file") == true)
        }
    }

    @Test func `a second daemon on the same folder is refused, and the error names the first`() async throws {
        try await withStoreFolder { folder in
            let first = try await EventStore.open(folder)
            let error = await refusal(folder)
            #expect(error?.kind == .locked && error?.isLasting == false)
            #expect(error?.description.contains(folder.split(separator: "/").last ?? "?") == true)
            #expect(error?.description.contains("process \(getpid())") == true)
            #expect(error?.hint != nil)
            await first.close()
            #expect(await refusal(folder) == nil)
        }
    }

    @Test func `a file that is not the lock is refused and left unchanged`() async throws {
        try await withStoreFolder { folder in
            try "precious".write(toFile: folder + "/file", atomically: false, encoding: .utf8)
            try #require(link(folder + "/file", folder + "/events.sqlite.lock") == 0)
            let error = await refusal(folder)
            #expect(error?.isLasting == true && error?.hint?.hasPrefix("Move it away") == true)
            #expect(error?.description.contains("events.sqlite.lock is not the lock of a store: it has") == true)
            #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "precious")
            #expect(!FileManager.default.fileExists(atPath: folder + "/events.sqlite"))
        }
    }

    /// `glossd --check` may be another user's than the folder.
    @Test(.enabled("needs root to give a file away") { geteuid() == 0 })
    func `another user's file is refused, and looked at as the owner of its folder`() async throws {
        try await withStoreFolder { folder in
            try await EventStore.open(folder).close()
            let path = folder + "/events.sqlite"
            try #require(chown(path, 65_534, 65_534) == 0)
            let error = await refusal(folder)
            #expect(error?.description == "the store \(path) belongs to another user (65534)")
            #expect(error?.hint?.contains("chown") == true && error?.isLasting == true)
            // A group may write there.
            #expect(await look(folder) == nil)
            try #require(chown(folder, 65_533, 65_533) == 0)
            #expect(await look(folder)?.description == error?.description)
            try #require(chown(folder, 65_534, 65_534) == 0)
            #expect(await look(folder) == nil)
            try #require(chown(folder, 0, 0) == 0 && chown(path, 0, 0) == 0)
            #expect(await refusal(folder) == nil)
        }
    }

    @Test func `a store may be closed several times, also at the same time`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var journal = Journal()
            try await store.save(journal.batch(10), journal: "machine")
            async let one: Void = store.close()
            async let other: Void = store.close()
            _ = await (one, other)
            await store.close()
            #expect(await storeError { try await store.save(journal.batch(1), journal: "machine") } != nil)
            let again = try await EventStore.open(folder)
            #expect(try await again.statistics().newestEventID == 10)
            await again.close()
        }
    }

    @Test func `a link to the same store does not bypass the lock`() async throws {
        try await withStoreFolder { folder in
            let first = try await EventStore.open(folder)
            let link = folder + "/link"
            try FileManager.default.createDirectory(atPath: link, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: link + "/events.sqlite", withDestinationPath: folder + "/events.sqlite")
            #expect(await refusal(link)?.kind == .locked)
            await first.close()
        }
    }

    @Test(arguments: ["not a database", String(repeating: "garbage ", count: 2000)])
    func `a file that is not a database is refused and left unchanged`(_ text: String) async throws {
        try await withStoreFolder { folder in
            let path = folder + "/events.sqlite"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let error = await refusal(folder)
            #expect(error?.kind == .corrupt && error?.isLasting == true)
            #expect(error?.hint?.contains("move") == true)
            #expect(await look(folder)?.kind == .corrupt)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test func `another program's database is refused and left unchanged`() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/events.sqlite"
            let other = try DatabaseQueue(path: path)
            try await other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            try other.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(await refusal(folder)?.kind == .corrupt)
            #expect(await look(folder)?.description == "\(path) is a database of another program")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    /// 0 is a layout that no version of Gloss has written.
    @Test(arguments: [0, 1, Schema.layout - 1, Schema.layout + 1])
    func `a file of another layout is refused by its number and left unchanged`(_ layout: Int32) async throws {
        try await withStoreFolder { folder in
            let path = folder + "/events.sqlite"
            try await EventStore.open(folder).close()
            let other = try DatabaseQueue(path: path)
            try await other.write { try $0.execute(sql: "PRAGMA user_version = \(layout)") }
            try other.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let error = await refusal(folder)
            #expect(error?.kind == .otherLayout && error?.isLasting == true)
            let seen = await look(folder)
            #expect(seen?.kind == .otherLayout && seen?.description == error?.description && seen?.hint == error?.hint)
            #expect(error?.description.contains("has layout \(layout), ") == true)
            #expect(error?.description.contains("works with layout \(Schema.layout) only") == true)
            #expect(error?.hint?.contains("move \(path)") == true && error?.hint?.contains("hash.key") == true)
            #expect(error?.hint?.contains("Install that version again") == (layout > Schema.layout))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test func `an empty file becomes a new store`() async throws {
        try await withStoreFolder { folder in
            #expect(FileManager.default.createFile(atPath: folder + "/events.sqlite", contents: nil))
            #expect(await refusal(folder) == nil)
        }
    }

    @Test func `a truncated or overwritten database is reported as damaged and left unchanged`() async throws {
        for damage in [(keep: 0.4, overwrite: false), (keep: 1.0, overwrite: true)] {
            try await withStoreFolder { folder in
                var journal = Journal()
                let store = try await EventStore.open(folder)
                try await store.save(journal.batch(3000), journal: "machine")
                await store.close()
                let url = URL(fileURLWithPath: folder + "/events.sqlite")
                var data = try Data(contentsOf: url)
                data = data.prefix(Int(Double(data.count) * damage.keep))
                if damage.overwrite { data.replaceSubrange(100..<4096, with: [UInt8](repeating: 0xAA, count: 3996)) }
                try data.write(to: url)
                let error = await refusal(folder)
                #expect(error?.kind == .corrupt)
                #expect(error?.hint?.contains("rebuilt from the journal") == true)
                // It looks at the head and the size only.
                let seen = await look(folder)
                #expect(seen?.hint == (damage.overwrite ? nil : error?.hint))
                #expect(try Data(contentsOf: url) == data)
            }
        }
    }

    @Test(arguments: [
        "UPDATE totals SET name = 'last_event_ie' WHERE name = 'last_event_id'",
        "UPDATE totals SET value = 8064 WHERE name = 'last_event_id'",
        "UPDATE totals SET value = x'ff' WHERE name = 'last_event_id'",
        "UPDATE totals SET value = 9223372036854775807 WHERE name = 'last_event_id'",
        "UPDATE open_events SET id = id - 8000",
    ])
    func `a store that would give new events the ids of others is refused`(_ damage: String) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for count in [4096, 4000, 7] { try await store.save(journal.batch(count), journal: "machine") }
            await store.close()
            let other = try DatabaseQueue(path: folder + "/events.sqlite")
            try await other.write { try $0.execute(sql: damage) }
            try other.close()
            let error = await refusal(folder)
            #expect(error?.kind == .corrupt && error?.isLasting == true)
            #expect(error?.hint?.contains("rebuilt from the journal") == true)
        }
    }

    @Test(arguments: [
        "DELETE FROM totals WHERE name = 'seen_plain'", "UPDATE totals SET value = -1 WHERE name = 'reprocessed'",
    ])
    func `a counter that is damaged stays so, and events are saved all the same`(_ damage: String) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.database.write { try $0.execute(sql: damage) }
            try await store.save(journal.batch(100), journal: "machine")
            #expect(await storeError { _ = try await store.statistics() }?.kind == .corrupt)
            #expect(same(try await store.all(), journal.events))
            await store.close()
        }
    }

    @Test func `the copy that the documentation makes of a damaged store has all counters and marks`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/operations.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let statements = String(try #require(page.firstMatch(of: /echo "(INSERT [^"]* totals [^"]*)"/)?.1))
        @Sendable func counters(_ db: Database) throws -> [String: Int64] {
            try Row.fetchAll(db, sql: "SELECT * FROM totals").reduce(into: [:]) { $0[$1["name"]] = $1["value"] }
        }
        for count in [0, 5000] {
            try await withStoreFolder { folder in
                var journal = Journal()
                let store = try await EventStore.open(folder)
                if count > 0 { try await store.save(journal.batch(count), journal: "machine") }
                try await store.database.write { db in
                    let whole = try counters(db)
                    try db.execute(sql: "DELETE FROM totals; \(statements)")
                    #expect(try counters(db) == whole)
                    #expect(try Row.fetchAll(db, sql: "SELECT * FROM marks") == [["revealed": 0, "noted_gap": 0]])
                    // Retention has removed all events.
                    try db.execute(
                        sql: """
                            INSERT INTO sinks (name, position, delivered_events, delivered_batches, active, known_since)
                            VALUES ('up', 6000, 0, 0, 1, 0);
                            DELETE FROM totals; \(statements)
                            """)
                    #expect(try counters(db)["last_event_id"] == 6000)
                    // Whether something was revealed is not known.
                    try db.execute(sql: "DELETE FROM marks; \(statements)")
                    #expect(try Row.fetchAll(db, sql: "SELECT * FROM marks") == [["revealed": 1, "noted_gap": 0]])
                }
                #expect(try await store.statistics().entries.stored == Int64(count))
                await store.close()
            }
        }
    }

    @Test func `a file whose end is still in the log is whole`() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/events.sqlite"
            try await EventStore.open(folder).close()
            let whole = try Data(contentsOf: URL(filePath: path))
            let other = try DatabaseQueue(path: path)
            try await other.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(40000))")
                try db.checkpoint(.full)
            }
            // What a process leaves that is killed while it copies the log: the head is copied, and the end is not.
            try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(whole.count))
            #expect(await look(folder) == nil)
            try FileManager.default.removeItem(atPath: path + "-wal")
            #expect(await look(folder)?.kind == .corrupt)
            try other.close()
        }
    }

    @Test func `a schema whose text is damaged is lasting damage`() async throws {
        try await withStoreFolder { folder in
            try await EventStore.open(folder).close()
            let other = try DatabaseQueue(path: folder + "/events.sqlite")
            try await other.write { db in
                try db.execute(
                    sql: """
                        PRAGMA writable_schema = ON;
                        UPDATE sqlite_schema SET sql = replace(sql, 'value ', 'valve ') WHERE name = 'totals';
                        """)
            }
            try other.close()
            let error = await refusal(folder)
            #expect(error?.isLasting == true && error?.description.contains("no such column: value") == true)
        }
    }

    @Test func `damage that occurs later is reported when it is found`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(9000, payloadBytes: 300), journal: "machine")
            await store.close()
            let url = URL(fileURLWithPath: folder + "/events.sqlite")
            var data = try Data(contentsOf: url)
            let middle = data.count / 8 * 4 / 4096 * 4096
            data.replaceSubrange(middle..<middle + 40960, with: [UInt8](repeating: 0xAA, count: 40960))
            try data.write(to: url)
            let again = try await EventStore.open(folder)
            #expect(again.damage == nil)
            let error = await storeError { _ = try await again.all() }
            #expect(error?.kind == .corrupt)
            #expect(error?.hint != nil)
            // The damage stays known, whichever call found it.
            #expect(again.damage?.description == error?.description)
            await again.close()
        }
    }

    @Test func `a database that another process has locked is reported as busy`() async throws {
        try await withStoreFolder { folder in
            try await EventStore.open(folder).close()
            let other = try DatabaseQueue(path: folder + "/events.sqlite")
            // A shell that has executed PRAGMA locking_mode = EXCLUSIVE.
            try await other.writeWithoutTransaction { db in
                try db.execute(
                    sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE totals SET value = 1; COMMIT")
            }
            let error = await refusal(folder)
            #expect(error?.kind == .busy)
            #expect(error?.hint?.contains("shell") == true)
            try other.close()
            #expect(await refusal(folder) == nil)
        }
    }

    @Test func `an open transaction of a shell makes a save fail, which can then be repeated`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let batch = journal.batch(10)
            let store = try await EventStore.open(folder)
            let shell = try openShell(folder)
            let error = try await held(shell, "BEGIN IMMEDIATE") {
                await storeError { try await store.save(batch, journal: "machine") }
            }
            #expect(error?.kind == .busy)
            try await store.save(batch, journal: "machine")
            #expect(same(try await store.all(), journal.events))
            await store.close()
        }
    }

    @Test(.enabled(if: getuid() != 0 || canMount || isCI, "root may write anywhere, and mounting is not allowed here"))
    func `a store that cannot be written is refused`() async throws {
        try await withStoreFolder { folder in
            try await EventStore.open(folder).close()
            if getuid() == 0 {
                // root may write anywhere except on a read-only file system.
                try #require(run("/usr/bin/mount", "--bind", folder, folder) == 0)
                try #require(run("/usr/bin/mount", "-o", "remount,ro,bind", folder) == 0)
            } else {
                try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
            }
            let error = await refusal(folder)
            if getuid() == 0 {
                try run("/usr/bin/umount", folder)
            } else {
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
            }
            #expect(error?.kind == .readOnly && error?.isLasting == true)
            #expect(error?.hint != nil)
        }
    }

    @Test func `a folder in its place, a missing folder and a limit that is too small are refused`() async throws {
        try await withStoreFolder { folder in
            #expect(await refusal(folder + "/missing")?.hint != nil)
            let small = await storeError { try await EventStore.open(folder, maximumBytes: 1000).close() }
            #expect(small?.hint?.contains("store.max_size") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            try FileManager.default.createDirectory(
                atPath: folder + "/events.sqlite", withIntermediateDirectories: true)
            let folderInPlace = await refusal(folder)
            #expect(folderInPlace?.description.contains("not a regular file") == true)
            #expect(folderInPlace?.isLasting == true)
        }
    }

    @Test func `a symbolic link is followed, and refused if it leads nowhere`() async throws {
        try await withStoreFolder { folder in
            let (path, target) = (folder + "/events.sqlite", folder + "/elsewhere.sqlite")
            #expect(symlink(target, path) == 0)
            let error = await refusal(folder)
            #expect(error?.description.hasSuffix("is a symbolic link to a file that does not exist") == true)
            #expect(error?.hint?.contains("remove the link") == true && error?.isLasting == true)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == ["events.sqlite"])
            #expect(FileManager.default.createFile(atPath: target, contents: nil))
            #expect(await refusal(folder) == nil)
        }
    }

    @Test(arguments: ["deleted", "replaced", "emptied", "log deleted"])
    func `a deleted or replaced file is detected before anything is written to it`(_ what: String)
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let path = folder + "/events.sqlite"
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(10), journal: "machine")
            switch what {
            case "deleted": try FileManager.default.removeItem(atPath: path)
            case "log deleted": try FileManager.default.removeItem(atPath: path + "-wal")
            case "emptied": #expect(truncate(path, 0) == 0)
            default: try Data("new".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
            let batch = journal.batch(10)
            let save = await storeError { try await store.save(batch, journal: "machine") }
            #expect(save?.kind == (what == "emptied" ? .corrupt : .failed))
            #expect(save?.hint != nil)
            #expect(await storeError { _ = try await store.maintain(now: newYear) } != nil)
            #expect(store.feed.latest == 10)
            await store.close()
        }
    }

    @Test func `a file that can no longer be reached is not called deleted, and is used again when it can`()
        async throws
    {
        try await withStoreFolder { folder in
            let (place, moved) = (folder + "/store", folder + "/moved")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            var journal = Journal()
            let store = try await EventStore.open(place)
            try await store.save(journal.batch(10), journal: "machine")
            // A link to itself is an obstacle for root, too, unlike missing permissions.
            try FileManager.default.moveItem(atPath: place, toPath: moved)
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: place)
            let batch = journal.batch(10)
            let save = await storeError { try await store.save(batch, journal: "machine") }
            #expect(save?.kind == .failed && save?.description.contains(errnoText(ELOOP)) == true)
            #expect(save?.description.contains("deleted") == false)
            try FileManager.default.removeItem(atPath: place)
            try FileManager.default.moveItem(atPath: moved, toPath: place)
            try await store.save(batch, journal: "machine")
            #expect(same(try await store.all(), journal.events))
            await store.close()
        }
    }

    @Test func `only the owner may read the files`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            await store.close()
        }
    }

    @Test
    func `a copy of the files that is made during a write can be opened, and its position agrees with its events`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            // The limit is so large that the log is not copied into the database meanwhile. Then only the end of the
            // log can be missing.
            let store = try await EventStore.open(folder, maximumBytes: 1 << 30)
            for round in 0..<8 {
                try await store.save(journal.batch(700), journal: "machine")
                let copy = folder + "/copy\(round)"
                try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
                for end in ["", "-wal"] {
                    try FileManager.default.copyItem(
                        atPath: folder + "/events.sqlite" + end, toPath: copy + "/events.sqlite" + end)
                }
                // A crash during a write leaves a log that ends anywhere.
                let log = copy + "/events.sqlite-wal"
                let size = try #require(FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
                #expect(truncate(log, max(0, size - round * 5000)) == 0)

                let crashed = try await EventStore.open(copy)
                let events = try await crashed.all()
                #expect(same(events, journal.events.prefix(events.count)))
                #expect(events.count % 700 == 0)
                #expect(try await crashed.lastCursor() == events.last?.cursor)
                let state = try await crashed.database.read(.query) {
                    try String.fetchOne($0, sql: "PRAGMA integrity_check")
                }
                #expect(state == "ok")
                // Saving continues where it was.
                let rest = Journal.rest(of: journal, after: events.count)
                try await crashed.save(rest, journal: "machine")
                #expect(same(try await crashed.all(), journal.events))
                await crashed.close()
            }
            await store.close()
        }
    }
}

/// Opens a connection of another program, whose transactions may stay open.
func openShell(_ folder: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: folder + "/events.sqlite", configuration: configuration)
}

/// Keeps a transaction open on another connection while `body` runs.
func held<Value: Sendable>(
    _ shell: DatabaseQueue, _ begin: String, _ body: () async throws -> Value
) async throws -> Value {
    try await shell.writeWithoutTransaction { db in
        try db.execute(sql: begin)
    }
    let value = try await body()
    try await shell.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    return value
}
