internal import GRDB

/// Moves events between the series of a complete block.
struct PostingsEditor: ~Copyable {
    private let select: BareStatement
    private let insert: BareStatement
    private let delete: BareStatement

    init(_ db: Database) throws {
        // All or none: what cannot be copied cannot be given up half made.
        let select = try BareStatement(
            db, reusing: "SELECT events, offsets FROM postings WHERE block = ? AND series = ?")
        let insert = try BareStatement(
            db, reusing: "INSERT OR REPLACE INTO postings (block, series, events, offsets) VALUES (?, ?, ?, ?)")
        let delete = try BareStatement(db, reusing: "DELETE FROM postings WHERE block = ? AND series = ?")
        self.select = select
        self.insert = insert
        self.delete = delete
    }

    func offsets(of series: Int64, in block: Int64) throws -> OffsetSet {
        try select.bind(1, block)
        try select.bind(2, series)
        defer { select.reset() }
        var offsets = OffsetSet()
        guard try select.step() else { return offsets }
        guard offsets.insert(encoded: select.bytes(1), count: Int(select.int64(0))) else {
            throw Postings.damaged("the postings of block \(block)")
        }
        return offsets
    }

    /// Writes what belongs to the series, or removes its row when nothing does.
    func save(_ offsets: OffsetSet, of series: Int64, in block: Int64) throws {
        let list = offsets.offsets.map(UInt16.init)
        guard !list.isEmpty else {
            try delete.bind(1, block)
            try delete.bind(2, series)
            return try delete.run()
        }
        try insert.bind(1, block)
        try insert.bind(2, series)
        try insert.bind(3, Int64(list.count))
        try OffsetSet.encoded(list).withUnsafeBytes {
            try insert.bind(4, unowned: $0, asText: false)
            try insert.run()
        }
    }
}
