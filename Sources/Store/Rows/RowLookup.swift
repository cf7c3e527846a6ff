internal import GRDB
package import Model

/// Finds rows by the ids of their events, one after the other, as joins do. A block that is asked for again is kept, and so is
/// the next one then, from the beginning.
package final class RowLookup {
    private let snapshot: StoreSnapshot
    private let predicate: Predicate
    private let kind: RowKind
    private let matcher: BlockMatcher
    private let columns: [RowColumn]
    /// The block that was asked for last, and its rows once it is asked for again.
    private var last: (ids: ClosedRange<Int64>, rows: RowBlock?, asks: Int)?

    /// - Parameters:
    ///   - predicate: which events have rows.
    ///   - columns: the columns that a row may be asked for.
    package init(
        _ snapshot: StoreSnapshot, _ predicate: Predicate, of kind: RowKind, _ columns: [RowColumn]
    ) throws {
        (self.snapshot, self.predicate, self.kind, self.columns) = (snapshot, predicate, kind, columns)
        matcher = try BlockMatcher(predicate)
    }

    /// The rows of an event in a block that is kept.
    package final class Rows {
        private let block: RowBlock
        private let event: Int
        private var row = -1

        fileprivate init(_ block: RowBlock, _ event: Int) { (self.block, self.event) = (block, event) }

        package func next() throws -> Bool {
            row += 1
            return try block.go(to: event, row: row)
        }

        /// See `RowScan.rowID`.
        package var rowID: Int64 { block.rowID(of: event, row: row) }

        /// See `RowScan.value`.
        package func value(of column: Int) throws -> RowValue {
            // Several rows of a statement may be in the block.
            _ = try block.go(to: event, row: row)
            return try block.value(of: column)
        }
    }

    package enum Found {
        case none
        case rows(Rows)
        /// The block is not kept: the caller reads the event by itself.
        case notKept
    }

    package func rows(of id: Int64) throws -> Found {
        var isKept = true
        if !(last?.ids.contains(id) ?? false) {
            guard let ids = try block(of: id) else { return .none }
            isKept = (last?.asks ?? 0) > 1
            last = (ids, nil, 0)
        }
        last?.asks += 1
        guard isKept, let block = last else { return .notKept }
        let rows = try block.rows ?? read(block.ids)
        last?.rows = rows
        return rows.event(of: id).map { .rows(Rows(rows, $0)) } ?? .none
    }

    /// Returns the ids of the block that may have the event, or of the open events.
    private func block(of id: Int64) throws -> ClosedRange<Int64>? {
        if let open = try StoredRange.parts(of: 0 ... .max, snapshot.db).open, open.contains(id) {
            guard let stored = try StoredRange.ids(snapshot.db), stored.contains(id) else { return nil }
            return open.lowerBound...stored.upperBound
        }
        var walk = try BlockWalk(snapshot.db, ids: id...id, isAscending: true, matcher)
        guard case .block(let block) = try walk.next() else { return nil }
        return block.ids
    }

    private func read(_ ids: ClosedRange<Int64>) throws -> RowBlock {
        let scan = try RowScan(snapshot, predicate, ids: ids, of: kind, columns)
        return try scan.nextBlock()
            ?? RowBlock(OpenEvents(snapshot.db, ids: ids), [], kind, columns, isDescending: false)
    }
}
