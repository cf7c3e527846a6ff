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

/// What must leave no copy of itself behind when it is removed. SQLite keeps the beginning of a row in a page that it shares
/// with others, and leaves copies there when it moves rows from page to page; the rest is on pages of its own, which are
/// overwritten when they are free (`secure_delete`). So the beginning is zeros.
/// - Source: https://www.sqlite.org/fileformat2.html#b_tree_pages ("Cell payload overflow")
enum OffPage {
    /// How much of a row is in a page with others, at most: of pages of 4096 bytes, all but 35.
    static let zeros = Int(SizeLimit.pageBytes) - 35

    static func bytes(_ content: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: zeros) + content }

    /// - Returns: none when there is no content.
    static func content(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(zeros))
    }
}
