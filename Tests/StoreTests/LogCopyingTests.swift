import Foundation
import GRDB
import Testing

@testable import Store

struct LogCopyingTests {
    @Test func `a long log is copied immediately, or after waiting callers have their result`() async throws {
        try await withStoreFolder { folder in
            let limit = try SizeLimit(2 << 20)
            let path = folder + "/log.sqlite"
            let copying = LogCopying(limit: limit)
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                try db.execute(sql: "CREATE TABLE rows (content BLOB)")
                copying.begin(db)
                let insert = { try db.execute(sql: "INSERT INTO rows VALUES (zeroblob(?))", arguments: [$0]) }
                try insert(4096)
                #expect(try Self.size(path) < 3 * 4096, "the log is short")
                try insert(limit.walBytes)
                #expect(try Self.size(path) > limit.walBytes)
                let before = try Self.size(path)
                try copying.postponing(db) {
                    try insert(limit.walBytes)
                    #expect(try Self.size(path) == before)
                }
                #expect(try Self.size(path) > before)
            }
            try queue.close()
        }
    }

    private static func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
