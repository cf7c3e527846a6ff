import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct DiskFullTests {
    @Test(.mounts)
    func `on a full disk saving fails, reads work, and saving continues when there is room`() async throws {
        try await withSmallDisk("size=8m") { folder in
            try Data(repeating: 1, count: 3 << 20).write(to: URL(fileURLWithPath: folder + "/ballast"))
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 1 << 30)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            var refused: ResolvedBatch?
            var error: StoreError?
            for _ in 0..<100 where refused == nil {
                let batch = journal.batch(300, payloadBytes: 250)
                error = await storeError { try await store.save(batch, journal: "machine") }
                if error != nil { refused = batch }
            }
            #expect(error?.kind == .full)
            #expect(error?.description.contains("disk is full") == true && error?.hint != nil)
            let stored = journal.events.dropLast(300)
            #expect(same(try await store.all(), stored))
            #expect(try await store.statistics().newestEventID == Int64(stored.count))

            let batch = try #require(refused)
            #expect(await storeError { try await store.save(batch, journal: "machine") }?.kind == .full)
            try FileManager.default.removeItem(atPath: folder + "/ballast")
            try await store.save(batch, journal: "machine")
            try await store.save(journal.batch(300), journal: "machine")
            #expect(same(try await store.all(), journal.events))
            let state = try await store.database.read(.query) { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
            #expect(state == "ok")
            await store.close()
        }
    }

    @Test(.mounts)
    func `a store is opened and read on a full disk, and written when there is room`() async throws {
        try await withSmallDisk("size=4m") { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.save(journal.batch(500), journal: "machine")
            #expect(store.shortage == nil && store.exclusion == nil)
            await store.close()

            // Fills the disk to the last byte, so that not even the index of the log can be created.
            try run("/usr/bin/dd", "if=/dev/zero", "of=\(folder)/ballast", "bs=4096")
            store = try await EventStore.open(folder)
            #expect(store.shortage?.kind == .full && store.exclusion != nil)
            #expect(same(try await store.all(), journal.events))
            #expect(try await store.statistics().storedEvents == 500)
            #expect(try await store.openSinks([("up", .oldest)], now: newYear).map(\.name) == ["up"])
            #expect(await storeError { _ = try await store.openSinks([("new", .oldest)], now: newYear) }?.kind == .full)
            let batch = journal.batch(500)
            #expect(await storeError { try await store.save(batch, journal: "machine") }?.kind == .full)
            #expect(same(try await store.all(), journal.events.dropLast(500)))

            try FileManager.default.removeItem(atPath: folder + "/ballast")
            #expect(store.shortage == nil)
            try await store.save(batch, journal: "machine")
            #expect(same(try await store.all(), journal.events))
            // The shell does not wait for a lock.
            let question = [folder + "/events.sqlite", "SELECT count(*) FROM totals"]
            #expect(try run("/usr/bin/sqlite3", question[0], question[1]) != 0 && store.exclusion != nil)
            await store.close()
            store = try await EventStore.open(folder)
            #expect(try run("/usr/bin/sqlite3", question[0], question[1]) == 0 && store.exclusion == nil)
            #expect(same(try await store.all(), journal.events))
            await store.close()
        }
    }

    @Test(.mounts)
    func `a file system without a limit is not full`() async throws {
        try await withSmallDisk("size=0") { folder in
            let store = try await EventStore.open(folder)
            #expect(store.shortage == nil)
            await store.close()
        }
    }

    @Test(.mounts)
    func `a new store is refused on a full disk, and created when there is room`() async throws {
        try await withSmallDisk("size=1m") { folder in
            try run("/usr/bin/dd", "if=/dev/zero", "of=\(folder)/ballast", "bs=4096")
            for _ in 0..<2 {
                let error = await storeError { try await EventStore.open(folder).close() }
                #expect(error?.kind == .full && error?.hint != nil)
            }
            try FileManager.default.removeItem(atPath: folder + "/ballast")
            try await EventStore.open(folder).close()
        }
    }

    @Test(.mounts)
    func `a disk without inodes is full, and a store is opened when there are enough`() async throws {
        for isNew in [true, false] {
            try await withSmallDisk("nr_inodes=12") { folder in
                var journal = Journal()
                if !isNew {
                    let store = try await EventStore.open(folder)
                    try await store.save(journal.batch(10), journal: "machine")
                    await store.close()
                }
                // What a process that was killed left when it tried whether there was room.
                #expect(FileManager.default.createFile(atPath: folder + "/events.sqlite.room", contents: nil))
                var ballast: [String] = []
                while FileManager.default.createFile(atPath: "\(folder)/\(ballast.count)", contents: nil) {
                    ballast.append("\(folder)/\(ballast.count)")
                }
                var store: EventStore?
                var refusals = 0
                while store == nil {
                    let error = await storeError { store = try await EventStore.open(folder) }
                    guard let error else { break }
                    #expect(error.kind == .full && error.hint != nil, "\(refusals): \(error)")
                    refusals += 1
                    let file = ballast.popLast()
                    try FileManager.default.removeItem(atPath: try #require(file))
                }
                let opened = try #require(store)
                #expect(refusals > 0)
                // The index of the log is in memory.
                #expect(same(try await opened.all(), journal.events))
                try await opened.save(journal.batch(10), journal: "machine")
                #expect(same(try await opened.all(), journal.events))
                await opened.close()
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(!names.contains { $0.contains(".room-") })
            }
        }
    }
}
