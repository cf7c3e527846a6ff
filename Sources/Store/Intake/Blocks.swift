internal import GRDB

/// The table `blocks`.
enum Blocks {
    /// Goes through the complete blocks that events belong to.
    /// - Parameters:
    ///   - items: of complete blocks, ascending by `id`.
    ///   - body: gets the block's ids, and its items.
    static func forEach<Item>(
        of items: ArraySlice<Item>, id: (Item) -> Int64, _ db: Database,
        _ body: (ClosedRange<Int64>, ArraySlice<Item>) throws -> Void
    ) throws {
        let find = try BareStatement(
            db, reusing: "SELECT block, last_id FROM blocks WHERE block <= ? ORDER BY block DESC LIMIT 1")
        var rest = items
        while let first = rest.first {
            try find.bind(1, id(first))
            guard try find.step(), id(first) <= find.int64(1) else {
                throw Postings.damaged("event \(id(first)) is in no block")
            }
            let ids = find.int64(0)...find.int64(1)
            find.reset()
            let part = rest.prefix { id($0) <= ids.upperBound }
            try body(ids, part)
            rest = rest.dropFirst(part.count)
        }
    }
}
