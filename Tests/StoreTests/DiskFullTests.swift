import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct DiskFullTests {
    @Test(.enabled(if: canMount || isCI, "mounting a small file system needs root"))
    func `a full disk refuses the batch, reads still answer, and writing goes on when there is room`() async throws {
        try #require(canMount, "CI must be able to mount, so that this is tested")
        try await withTemporaryFolder { folder in
            try #require(run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder) == 0)
            defer { _ = try? run("/usr/bin/umount", "-l", folder) }
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
}
