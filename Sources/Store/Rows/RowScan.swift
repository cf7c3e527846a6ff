internal import GRDB
package import Model

/// Reads stored events as the rows of a table, one after the other, and of each block only the columns that are asked for.
package final class RowScan {
    private let snapshot: StoreSnapshot
    private let matcher: BlockMatcher
    private let ids: ClosedRange<Int64>
    private let kind: RowKind
    private let columns: [RowColumn]
    private let isDescending: Bool
    /// What is not read yet; the last part comes first.
    private var parts: [Part]
    private var block: RowBlock?
    /// The same, without being counted for each value.
    private var uncounted: Unmanaged<RowBlock>?
    /// The packed block that is read.
    private var packed: (block: StoredBlock, content: BlockContent)?

    private enum Part {
        case block(StoredBlock)
        /// The open events from this id on.
        case open(ClosedRange<Int64>)

        /// The places of its times. Those of open events are not known.
        var times: ClosedRange<Int64> {
            guard case .block(let block) = self else { return .min ... .max }
            return SQLTime.places(of: block.times)
        }
    }

    /// - Parameters:
    ///   - predicate: which events have rows.
    ///   - ids: the range of ids.
    ///   - columns: the columns that a row may be asked for. They cost nothing until one is.
    ///   - isDescending: whether the rows are in descending order of ids, else in ascending order.
    ///   - byTime: whether blocks come in the order of their first times, in this direction, instead of ids.
    package init(
        _ snapshot: StoreSnapshot, _ predicate: Predicate, ids: ClosedRange<Int64> = 0 ... .max,
        of kind: RowKind = .events, _ columns: [RowColumn], isDescending: Bool = false, byTime: Bool = false
    ) throws {
        (self.snapshot, self.ids, self.kind) = (snapshot, ids, kind)
        (self.columns, self.isDescending) = (columns, isDescending)
        matcher = try BlockMatcher(predicate)
        parts = try Self.parts(snapshot.db, ids, matcher)
        if !isDescending { parts.reverse() }
        if byTime {
            parts.sort {
                isDescending ? $0.times.upperBound < $1.times.upperBound : $0.times.lowerBound > $1.times.lowerBound
            }
        }
        // Lookups of single events and blocks do not read all of them again.
        if ids.lowerBound == 0 { snapshot.kept.beginScan() }
    }

    /// Returns what may have rows, ascending.
    private static func parts(_ db: Database, _ ids: ClosedRange<Int64>, _ matcher: BlockMatcher) throws -> [Part] {
        guard let stored = try StoredRange.ids(db), stored.overlaps(ids) else { return [] }
        let (packed, open) = try StoredRange.parts(of: ids.clamped(to: stored), db)
        var parts: [Part] = []
        if let packed {
            var walk = try BlockWalk(db, ids: packed, isAscending: true, matcher)
            while case .block(let block) = try walk.next() { parts.append(.block(block)) }
        }
        if let open { parts.append(.open(open)) }
        return parts
    }

    /// A bound of the places of all times that `nextBlock` has not come to, where blocks come by time: the last one in
    /// descending order, else the first one. `nil` after the last block.
    var timeBound: Int64? { parts.last.map { isDescending ? $0.times.upperBound : $0.times.lowerBound } }

    /// Returns the places of the times of each block.
    static func times(_ snapshot: StoreSnapshot) throws -> [ClosedRange<Int64>] {
        guard let packed = try StoredRange.parts(of: 0 ... .max, snapshot.db).packed else { return [] }
        return try parts(snapshot.db, packed, BlockMatcher.everything).map(\.times)
    }

    /// Goes to the next row.
    /// - Returns: `false` after the last one.
    package func next() throws -> Bool {
        while true {
            if try uncounted?._withUnsafeGuaranteedRef({ try $0.next() }) ?? false { return true }
            block = try nextBlock()
            uncounted = block.map { .passUnretained($0) }
            if block == nil { return false }
        }
    }

    /// Returns the next block, before its first row; `nil` after the last one.
    func nextBlock() throws -> RowBlock? {
        if let (block, content) = packed { snapshot.kept.keep(content.columns, of: block) }
        packed = nil
        return try parts.popLast().map(open)
    }

    private func open(_ part: Part) throws -> RowBlock {
        switch part {
        case .block(let block):
            return try block.naming {
                let content = try block.content(snapshot.db, snapshot.frames, snapshot.kept.columns(of: block))
                packed = (block, content)
                return try RowBlock(
                    content, try matcher.select(content, of: ids), kind, columns, isDescending: isDescending, in: block)
            }
        case .open(let range):
            let events = try OpenEvents(snapshot.db, ids: range)
            return try RowBlock(events, try matcher.select(events), kind, columns, isDescending: isDescending)
        }
    }

    /// A number that no other row of the table has, in whichever way rows are read. In tables with a row for each event, it is the
    /// event's id.
    package var rowID: Int64 { block?.rowID ?? 0 }

    /// Returns the row's value in a column, by its number. The bytes of a text are valid until the next value is asked for.
    package func value(of column: Int) throws -> RowValue {
        try uncounted?._withUnsafeGuaranteedRef { try $0.value(of: column) } ?? .null
    }
}
