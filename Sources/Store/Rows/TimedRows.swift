package import Model

/// Reads stored events as the rows of a table in the order of their times. This is nearly the order of their ids, so that it
/// takes no sorting: blocks whose times overlap are read together.
package final class TimedRows {
    /// The most blocks that are read together, of which one stands for the open events: the columns that are asked for are in memory.
    private static let mostBlocks = 8

    /// What is read of a block, or of the open events.
    private struct Part {
        let rows: RowBlock
        /// The events that have rows, in the order of the statement.
        let order: [(time: Int64, event: Int)]
        var place = 0

        var event: Int { order[place].event }
        var time: Int64 { order[place].time }
        var id: Int64 { rows.id(of: event) }
        var isAtEnd: Bool { place == order.count }
    }

    private let scan: RowScan
    private let isDescending: Bool
    private var parts: [Part] = []
    private var current: RowBlock?

    /// Whether few enough blocks overlap. They do unless journals of the same time were read one after the other, or many times are
    /// damaged.
    package static func mayRead(_ snapshot: StoreSnapshot) throws -> Bool {
        let ranges = try RowScan.times(snapshot)
        var (ends, overlapping, most) = (ranges.map(\.upperBound).sorted()[...], 1, 1)
        for start in ranges.map(\.lowerBound).sorted() {
            while let end = ends.first, end < start {
                ends.removeFirst()
                overlapping -= 1
            }
            overlapping += 1
            most = max(most, overlapping)
        }
        return most <= mostBlocks
    }

    /// See `RowScan`.
    package init(
        _ snapshot: StoreSnapshot, _ predicate: Predicate, ids: ClosedRange<Int64>, _ columns: [RowColumn],
        isDescending: Bool
    ) throws {
        scan = try RowScan(snapshot, predicate, ids: ids, columns, isDescending: isDescending, byTime: true)
        self.isDescending = isDescending
    }

    /// Goes to the next row. Those of the same time are in the order of ids, which is descending where times are.
    /// - Returns: `false` after the last one.
    package func next() throws -> Bool {
        var first = firstPart
        // What may have an earlier row is opened, with descending order a later one.
        while let bound = scan.timeBound, first.map({ !isBefore(parts[$0].time, bound) }) ?? true {
            guard let rows = try scan.nextBlock() else { break }
            let part = Part(rows: rows, order: try order(rows))
            if !part.isAtEnd { parts.append(part) }
            first = firstPart
        }
        guard let first else { return false }
        current = parts[first].rows
        current?.go(to: parts[first].event)
        parts[first].place += 1
        if parts[first].isAtEnd { parts.remove(at: first) }
        return true
    }

    /// The part that has the next row.
    private var firstPart: Int? {
        guard var first = parts.indices.first else { return nil }
        for place in parts.indices.dropFirst() where isBefore(parts[place], parts[first]) { first = place }
        return first
    }

    private func isBefore(_ one: Part, _ other: Part) -> Bool {
        one.time == other.time ? isBefore(one.id, other.id) : isBefore(one.time, other.time)
    }

    private func isBefore(_ one: Int64, _ other: Int64) -> Bool { isDescending ? one > other : one < other }

    private func order(_ rows: RowBlock) throws -> [(time: Int64, event: Int)] {
        let times = try rows.times()
        var order = rows.eventsWithRows.map { (time: SQLTime.place(of: times[$0]), event: $0) }
        if isDescending { order.reverse() }
        // Most of them are in order already.
        order.sort { isDescending ? $0 > $1 : $0 < $1 }
        return order
    }

    /// See `RowScan.rowID`.
    package var rowID: Int64 { current?.rowID ?? 0 }

    /// See `RowScan.value`.
    package func value(of column: Int) throws -> RowValue { try current?.value(of: column) ?? .null }
}
