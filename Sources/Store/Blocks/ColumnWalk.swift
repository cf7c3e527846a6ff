internal import GRDB

/// Goes through stored events by their columns, in the order of their ids: the blocks that may have what is looked for, and
/// the newest events.
enum ColumnWalk {
    /// - Parameters:
    ///   - ids: of which events are wanted; a block may have others besides.
    ///   - turn: ends the walk when it is over, but not before one block was looked at.
    ///   - body: returns whether the walk is to go on.
    /// - Returns: the last id that was gone through; `nil` when all were.
    static func forEach(
        of ids: ClosedRange<Int64>, _ matcher: BlockMatcher, _ db: Database, _ turn: ReadTurn? = nil,
        _ body: (any EventColumns) throws -> Bool
    ) throws -> Int64? {
        let lastPacked = try PackedBlockTable.lastID(db)
        if ids.lowerBound <= lastPacked {
            let frames = BlockFrames()
            var walk = try BlockWalk(db, ids: ids.clamped(to: 0...lastPacked), isAscending: true, matcher)
            while let step = try walk.next(until: turn) {
                switch step {
                case .over(let looked): return looked.upperBound
                case .block(let block):
                    let goesOn = try block.read(db, frames) { try body($0) }
                    let isEnough = !goesOn || turn?.isOver ?? false
                    if isEnough, block.ids.upperBound < ids.upperBound { return block.ids.upperBound }
                }
            }
        }
        guard ids.upperBound > lastPacked else { return nil }
        let open = try OpenEvents(db, ids: max(ids.lowerBound, lastPacked + 1)...ids.upperBound)
        if open.count > 0 { _ = try body(open) }
        return nil
    }
}
