internal import GRDB
package import Model

/// One moment of a store, for a process that only reads: the store as it was when the first thing was read.
package struct StoreSnapshot {
    let db: Database
    let frames = BlockFrames()
    let kept = KeptBlocks()

    /// The number of events.
    package func count() throws -> Int64 { try StoredRange.count(db) }

    /// The gap records, oldest first.
    package func gaps() throws -> [GapRecord] { try GapTable.records(after: 0, limit: .max, db) }
}

/// A store that another process reads, one moment after the other. It stays open, because opening it takes longer than finding a
/// few events.
package struct StoreReader {
    private let file: StoreFile
    private let queue: DatabaseQueue

    /// Opens the database, which a daemon may have open. Blocks.
    /// - Parameter path: the path of the database.
    /// - Throws: `StoreError`.
    package init(_ path: String) throws {
        let file = try StoreFile(path: path)
        var configuration = ReadLanes.configuration("store.snapshot")
        configuration.prepareDatabase { db in try StoreDatabase.refuseForeign(db, file) }
        self.file = file
        do {
            queue = try DatabaseQueue(path: file.path, configuration: configuration)
        } catch {
            throw StoreError(error, file: file)
        }
    }

    /// Reads one moment of the store. Blocks.
    package func read<Value>(_ body: (StoreSnapshot) throws -> Value) throws -> Value {
        do {
            return try queue.read { db in
                do {
                    return try body(StoreSnapshot(db: db))
                } catch let error as DatabaseError {
                    throw StoreError(error, file: file, on: db)
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, file: file)
        }
    }
}
