internal import GRDB
internal import GRDBSQLite

/// The data of a block in the database, of which only the parts are read that are asked for. It is for one access to the
/// database.
/// - Source: https://www.sqlite.org/c3ref/blob_open.html
final class BlobSource: BlockSource {
    private let connection: OpaquePointer
    private let blob: OpaquePointer

    /// - Parameter id: of the block's first event.
    init(ofBlock id: Int64, _ db: Database) throws {
        guard let connection = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        var blob: OpaquePointer?
        let code = sqlite3_blob_open(connection, "main", "block_data", "data", id, 0, &blob)
        guard code == SQLITE_OK, let blob else {
            // SQLite's word for a row that is not there.
            if code == SQLITE_ERROR { throw BlockDamage("its data are not there") }
            throw BareStatement.error(on: connection)
        }
        self.connection = connection
        self.blob = blob
    }

    deinit { sqlite3_blob_close(blob) }

    var count: Int { max(0, Int(sqlite3_blob_bytes(blob)) - OffPage.zeros) }

    func read(_ range: Range<Int>, into output: inout [UInt8]) throws {
        output.removeAll(keepingCapacity: true)
        var code = SQLITE_OK
        output.append(upTo: range.count) {
            code = sqlite3_blob_read(blob, $0.baseAddress, Int32(range.count), Int32(OffPage.zeros + range.lowerBound))
            return code == SQLITE_OK ? range.count : 0
        }
        guard code == SQLITE_OK else { throw BareStatement.error(on: connection) }
    }
}
