internal import GRDB
internal import Model

/// The table `parameter_values`: finds the events of a complete block by their parameters.
enum ParameterValues {
    static func save(_ index: ParameterIndex, block: Int64, _ db: Database) throws {
        guard !index.isEmpty else { return }
        let row = try BareStatement(
            db, reusing: "INSERT OR REPLACE INTO parameter_values (block, names, entries) VALUES (?, ?, ?)")
        try row.bind(1, block)
        try row.bind(2, index.names.joined(separator: " "))
        try index.encoded.withUnsafeBytes {
            try row.bind(3, unowned: $0, asText: false)
            try row.run()
        }
    }

    /// Makes the rows of the blocks anew that these events belong to.
    /// - Parameters:
    ///   - ids: ascending, of complete blocks.
    ///   - index: without entries.
    static func renew(blocksOf ids: [Int64], _ index: ParameterIndex, _ db: Database) throws {
        try Blocks.forEach(of: ids[...], id: \.self, db) { ids, _ in try renew(ids, index, db) }
    }

    private static func renew(_ block: ClosedRange<Int64>, _ index: ParameterIndex, _ db: Database) throws {
        // What the row held of the old payloads must not stay, whatever is indexed today.
        try db.execute(sql: "DELETE FROM parameter_values WHERE block = ?", arguments: [block.lowerBound])
        guard !index.isEmpty else { return }
        var index = index
        let rows = try BareStatement(db, reusing: "SELECT id, payload FROM event_rows WHERE id BETWEEN ? AND ?")
        try rows.bind(1, block.lowerBound)
        try rows.bind(2, block.upperBound)
        while try rows.step() { index.insert(rows.bytes(1), at: Int(rows.int64(0) - block.lowerBound)) }
        try save(index, block: block.lowerBound, db)
    }

    /// Where events may be that meet all conditions of which the block knows the parameters.
    /// - Returns: `nil` when it knows those of none, and every event may.
    static func candidates(
        for conditions: [ParameterCondition], in block: Int64, _ db: Database
    ) throws -> OffsetSet? {
        let row = try BareStatement(db, reusing: "SELECT names, entries FROM parameter_values WHERE block = ?")
        try row.bind(1, block)
        guard try row.step() else { return nil }
        let names = Set(exact: row.text(0).unicodeScalars.split(separator: " ").map { String($0) })
        var result: OffsetSet?
        for condition in conditions where condition.names.isSubset(of: names) {
            var offsets = OffsetSet()
            for name in condition.names {
                for value in condition.values {
                    for offset in ParameterIndex.offsets(of: name.text, value.text, in: row.bytes(1)) {
                        guard offset < OffsetSet.capacity else { throw Postings.damaged("the parameters of \(block)") }
                        offsets.insert(offset)
                    }
                }
            }
            result = result?.intersection(offsets) ?? offsets
        }
        return result
    }
}
