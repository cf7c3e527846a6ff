package import Model

/// Reads stored events as the rows of a table, in the order of values that many of them share, so that SQLite need not sort them
/// to group them. All columns that are asked for are kept in memory: numbers of a few bytes for each event.
package final class GroupedRows {
    private let blocks: [RowBlock]
    /// The block and the event of each row.
    private let order: [(block: Int32, event: Int32)]
    private var place = -1
    private var block: RowBlock?

    /// Whether so many events are kept in memory. If all have different values, each takes about a hundred bytes.
    /// - Parameter columns: how many columns are asked for.
    package static func mayKeep(events: Int64, columns: Int) -> Bool { events <= (4 << 20) / Int64(columns + 2) }

    /// - Parameters:
    ///   - used: the numbers of the columns that rows may be asked for.
    ///   - keys: the numbers of those by which rows are ordered, and whether in descending order.
    package init(
        _ snapshot: StoreSnapshot, _ predicate: Predicate, ids: ClosedRange<Int64>, _ columns: [RowColumn],
        used: [Int], by order: [(column: Int, isDescending: Bool)]
    ) throws {
        let keys = order.map(\.column)
        let scan = try RowScan(snapshot, predicate, ids: ids, columns)
        var blocks: [RowBlock] = []
        var (known, combined) = ([GroupNumbers](repeating: GroupNumbers(), count: keys.count), IntegerTable())
        /// The numbers of each group's values, as many as there are keys.
        var members: [Int32] = []
        /// The group of each row, in the order of the events.
        var groups: [Int32] = []
        var counts: [Int] = []
        while let block = try scan.nextBlock() {
            try block.load(Array(Set(used + keys)))
            let events = block.eventsWithRows
            let numbers = keys.indices.map { place in
                block.values(of: keys[place])?.groups(of: events, &known[place]) ?? []
            }
            var last = (key: -1, group: Int32(-1))
            for row in events.indices {
                // With more than 2^31 values a key has no number of its own; there are not as many events.
                var key = 0
                for place in numbers.indices { key = key &<< (place == 0 ? 0 : 32) | Int(numbers[place][row]) }
                if key != last.key {
                    last = (key, keys.count == 1 ? numbers[0][row] : Int32(combined.number(of: key)))
                    while counts.count <= Int(last.group) {
                        // Of one key, groups are numbered as its values are.
                        if keys.count == 1 {
                            members.append(Int32(counts.count))
                        } else {
                            for place in numbers.indices { members.append(numbers[place][row]) }
                        }
                        counts.append(0)
                    }
                }
                counts[Int(last.group)] += 1
                groups.append(last.group)
            }
            block.close()
            blocks.append(block)
        }
        self.blocks = blocks
        let sorted = counts.indices.sorted { one, other in
            for (place, key) in order.enumerated() {
                let (a, b) = (members[one * keys.count + place], members[other * keys.count + place])
                guard a != b else { continue }
                let (first, second) = (known[place].values[Int(a)], known[place].values[Int(b)])
                let column = columns[key.column]
                return key.isDescending ? column.isBefore(second, first) : column.isBefore(first, second)
            }
            return one < other
        }
        self.order = Self.order(blocks, groups, counts, sorted)
    }

    /// The most columns that a key may have: their numbers make one of 64 bits.
    package static let mostKeys = 2

    /// Sorts the rows by their groups, and within these as they were.
    /// - Parameter sorted: the groups in their order.
    private static func order(
        _ blocks: [RowBlock], _ groups: [Int32], _ counts: [Int], _ sorted: [Int]
    ) -> [(block: Int32, event: Int32)] {
        var starts = [Int](repeating: 0, count: counts.count)
        var start = 0
        for group in sorted {
            starts[group] = start
            start += counts[group]
        }
        return [(block: Int32, event: Int32)](unsafeUninitializedCapacity: groups.count) { order, filled in
            var row = 0
            for (number, block) in blocks.enumerated() {
                for event in block.eventsWithRows {
                    let group = Int(groups[row])
                    order.initializeElement(at: starts[group], to: (Int32(number), Int32(event)))
                    starts[group] += 1
                    row += 1
                }
            }
            filled = groups.count
        }
    }

    package func next() throws -> Bool {
        place += 1
        guard place < order.count else { return false }
        let (number, event) = order[place]
        let block = blocks[Int(number)]
        block.go(to: Int(event))
        self.block = block
        return true
    }

    /// See `RowScan.rowID`.
    package var rowID: Int64 { block?.rowID ?? 0 }

    /// See `RowScan.value`.
    package func value(of column: Int) throws -> RowValue { try block?.value(of: column) ?? .null }
}
