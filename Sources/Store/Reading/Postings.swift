internal import GRDB

/// The table `postings`: which events of a complete block belong to a series.
enum Postings {
    static func offsets(of series: Int64, in block: Int64, _ db: Database) throws -> OffsetSet? {
        let row = try BareStatement(db, reusing: "SELECT events, offsets FROM postings WHERE block = ? AND series = ?")
        try row.bind(1, block)
        try row.bind(2, series)
        return try row.step() ? offsets(row.bytes(1), count: row.int64(0), in: block) : nil
    }

    static func offsets(_ encoded: UnsafeRawBufferPointer, count: Int64, in block: Int64) throws -> OffsetSet {
        var offsets = OffsetSet()
        guard offsets.insert(encoded: encoded, count: Int(count)) else {
            throw damaged("the postings of block \(block)")
        }
        return offsets
    }

    /// Ascending.
    static func ids(of wanted: Set<Int64>, in block: Int64, _ db: Database) throws -> [Int64] {
        var offsets = OffsetSet()
        let rows = try BareStatement(db, reusing: "SELECT series, events, offsets FROM postings WHERE block = ?")
        try rows.bind(1, block)
        while try rows.step() {
            guard wanted.contains(rows.int64(0)) else { continue }
            guard offsets.insert(encoded: rows.bytes(2), count: Int(rows.int64(1))) else {
                throw damaged("the postings of block \(block)")
            }
        }
        return offsets.offsets.map { block + Int64($0) }
    }

    static func damaged(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
    }
}
