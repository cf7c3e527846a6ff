internal import JSON
internal import GRDB
internal import GRDBSQLite

/// Reads parts of a block's data in the database, and only the parts that are requested. An instance is valid within
/// one access to the database.
/// - Source: https://www.sqlite.org/c3ref/blob_open.html
final class BlobSource: BlockSource {
    private let connection: OpaquePointer
    private let blob: OpaquePointer

    /// - Parameter id: the id of the block's first event.
    init(ofBlock id: Int64, _ db: Database) throws {
        guard let connection = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        var blob: OpaquePointer?
        let code = sqlite3_blob_open(connection, "main", "block_data", "data", id, 0, &blob)
        guard code == SQLITE_OK, let blob else {
            // SQLite returns this code when the row does not exist.
            if code == SQLITE_ERROR { throw BlockDamage("its data is missing") }
            throw BareStatement.error(on: connection)
        }
        self.connection = connection
        self.blob = blob
    }

    deinit { sqlite3_blob_close(blob) }

    var count: Int { max(0, Int(sqlite3_blob_bytes(blob)) - OverflowBlob.zeros) }

    func read(_ range: Range<Int>, into output: inout [UInt8]) throws {
        output.removeAll(keepingCapacity: true)
        var code = SQLITE_OK
        output.append(upTo: range.count) {
            code = sqlite3_blob_read(
                blob, $0.baseAddress, Int32(range.count), Int32(OverflowBlob.zeros + range.lowerBound))
            return code == SQLITE_OK ? range.count : 0
        }
        guard code == SQLITE_OK else { throw BareStatement.error(on: connection) }
    }
}

/// The zeros that precede a blob whose content must leave no copy behind when it is removed. SQLite keeps the
/// beginning of a row in a page that it shares with other rows, and leaves copies there when it moves rows between
/// pages. The rest is on overflow pages, which are overwritten when they become free (`secure_delete`). Therefore the
/// beginning of the blob is zeros.
/// - Source: https://www.sqlite.org/fileformat2.html#b_tree_pages ("Cell payload overflow")
enum OverflowBlob {
    /// The largest part of a row that SQLite keeps in a shared page: all but 35 bytes of a page of 4096.
    static let zeros = Int(SizeLimit.pageBytes) - 35

    static func bytes(_ content: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: zeros) + content }

    /// - Returns: the bytes after the zeros, empty when there is no content.
    static func content(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(zeros))
    }
}
