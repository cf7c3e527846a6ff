internal import GRDB
package import Model

/// One moment of a store, for a process that only reads: the store as it was when the first thing was read.
package struct StoreSnapshot {
    let db: Database
    let frames = BlockFrames()
    let kept = KeptBlocks()

    /// Opens the database of a store, which a daemon may have open. Blocks.
    /// - Parameter path: the path of the database.
    package static func read<Value>(
        _ path: String, _ body: (StoreSnapshot) throws -> Value
    ) throws -> Value {
        let file = try StoreFile(path: path)
        var configuration = ReadLanes.configuration("store.snapshot")
        configuration.prepareDatabase { db in try StoreDatabase.refuseForeign(db, file) }
        do {
            return try DatabaseQueue(path: file.path, configuration: configuration).read {
                try body(StoreSnapshot(db: $0))
            }
        } catch let error as DatabaseError {
            throw StoreError(error, file: file)
        }
    }

    /// The number of events.
    package func count() throws -> Int64 { try StoredRange.count(db) }

    /// The gap records, oldest first.
    package func gaps() throws -> [GapRecord] { try GapTable.records(after: 0, limit: .max, db) }
}
