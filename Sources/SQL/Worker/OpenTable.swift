import Model
import Store

/// A table that statements read, over one moment of a store.
final class OpenTable {
    let table: SQLTable
    /// The tables of definitions whose rows it has, if it has those of several.
    private let definitions: [SQLTable]
    private let snapshot: StoreSnapshot
    /// Which events the tables of events have.
    private let predicate: Predicate
    /// The number of events in the store.
    private let events: Int64
    /// Whether conditions leave out events before SQLite sees them; not in tests that compare.
    private let isNarrowing: Bool

    /// - Parameter tables: those that the statement names.
    init(
        _ table: SQLTable, among tables: [SQLTable] = [], _ snapshot: StoreSnapshot, _ predicate: Predicate,
        events: Int64, isNarrowing: Bool = true
    ) {
        self.table = table
        definitions = if case .definitionRows = table.content { tables.filter { $0.definition != nil } } else { [] }
        (self.snapshot, self.predicate) = (snapshot, predicate)
        (self.events, self.isNarrowing) = (events, isNarrowing)
    }

    /// The table as it is declared. Real numbers are NUMERIC: with REAL, SQLite makes a real number of an integer when it sorts,
    /// but not otherwise.
    var declaration: String {
        let columns = table.columns.map { column in
            let type = column.type == .real ? "NUMERIC" : column.type.rawValue
            // SQLite forgets the collation of a hidden column.
            let rest = column.isHidden ? " HIDDEN" : column.collation.map { " COLLATE \($0.rawValue)" } ?? ""
            return SQLText.quoted(column.name) + " " + type + rest
        }
        return "CREATE TABLE t (\(columns.joined(separator: ", ")))"
    }

    // MARK: planning

    /// In which order rows come.
    enum Order {
        case ids, times
        /// Equal values follow each other.
        case groups(keys: [(column: Int, isDescending: Bool)], used: [Int])
    }

    /// Returns the order in which rows come sorted by some columns, in the same direction; `nil` if they have to be sorted.
    func order(by columns: [Int]) -> Order? {
        switch columns.map({ table.columns[$0].source }) {
        case [.id]: .ids
        case [.time], [.time, .id]: mayComeByTime ? .times : nil
        default: nil
        }
    }

    private lazy var mayComeByTime: Bool = {
        guard isNarrowing, case .stored(.events, _) = table.content else { return false }
        // What is damaged is found by reading.
        return (try? TimedRows.mayRead(snapshot)) ?? false
    }()

    /// Whether rows in descending order of ids are almost in descending order of the column.
    func followsIDs(_ column: Int) -> Bool { table.columns[column].source == .time }

    /// Whether rows may come in the order of some columns, for GROUP BY. Not if their ids are asked for: a join by them would look up
    /// rows of one block after the other, and come back to each for every group. Sorting takes less.
    /// - Parameter used: the columns that rows are asked for.
    func groups(by columns: [Int], used: [Int]) -> Bool {
        guard isNarrowing, case .stored(.events, _) = table.content, (1...GroupedRows.mostKeys).contains(columns.count)
        else { return false }
        let sources = Set(columns + used).map { table.columns[$0].source }
        return GroupedRows.mayKeep(events: events, columns: used.count)
            && sources.allSatisfy { $0 != .id && $0?.isCompact ?? false }
    }

    /// Whether at most one event meets the conditions.
    func findsOne(_ constraints: [Constraint]) -> Bool { constraints.contains(where: isID) }

    /// Whether events are asked for by their ids, and nothing else.
    func isByID(_ constraints: [Constraint]) -> Bool { constraints.count == 1 && isID(constraints[0]) }

    private func isID(_ constraint: Constraint) -> Bool {
        table.columns[constraint.column].source == .id && constraint.operation == .equal && !constraint.isList
    }

    func narrows(_ constraint: Constraint) -> Bool {
        guard isNarrowing else { return false }
        let column = table.columns[constraint.column]
        // Or a join would go through all of them for each event.
        if case .rows = table.content { return constraint.operation == .equal && column.type == .text }
        // By bytes, levels are in another order.
        if constraint.isByBytes, column.collation == .level, constraint.operation != .equal { return false }
        return column.source?.narrows(constraint.operation) ?? false
    }

    /// Returns how many rows there may be, and what it costs to read them.
    func estimate(_ constraints: [Constraint]) -> (rows: Int64, cost: Double) {
        if case .rows(let rows) = table.content {
            return constraints.isEmpty ? (Int64(rows.count), Double(rows.count)) : (1, 1)
        }
        guard case .stored(let kind, let own) = table.content else { return (1000, 1000) }
        var share = kind == .events ? (own == .everything ? 1 : 0.1) : 0.05
        for constraint in constraints {
            switch table.columns[constraint.column].source {
            // At most a block is read for one event, and less than all of it. That has to cost less than reading all events, or
            // joins would do that for each row.
            case .id where constraint.operation == .equal:
                let read = constraint.isList ? events : min(events, 2048)
                return (1, max(1, Double(read) * (0.1 + share)))
            case .parameter: share *= 0.01
            default: share *= constraint.operation == .equal ? 0.1 : 0.4
            }
        }
        return (max(1, Int64(Double(events) * share)), max(1, Double(events) * (0.1 + share)))
    }

    // MARK: reading

    /// What rows may be asked for.
    private lazy var sources = table.columns.compactMap(\.source)
    /// What all rows meet.
    private lazy var base =
        switch table.content {
        case .stored(_, let own): own.and(predicate)
        case .definitionRows: DefinitionRows.predicate(definitions).and(predicate)
        case .gaps, .rows: predicate
        }

    /// Finds events by their ids, with conditions that were asked for last.
    private var lookup: (predicate: Predicate, rows: RowLookup)?

    private func rows(of id: Int64, _ kind: RowKind, _ predicate: Predicate) throws -> any TableRows {
        let rows: RowLookup
        if let lookup, lookup.predicate == predicate {
            rows = lookup.rows
        } else {
            rows = try RowLookup(snapshot, predicate, of: kind, sources)
            lookup = (predicate, rows)
        }
        switch try rows.rows(of: id) {
        case .none: return FixedRows([])
        case .rows(let rows): return rows
        case .notKept: return try RowScan(snapshot, predicate, ids: id...id, of: kind, sources)
        }
    }

    /// The places of given rows, by the texts in a column.
    private var given: [Int: [ExactString: [Int]]] = [:]

    /// Returns the places of the given rows that meet a condition on texts, and perhaps the others; `nil` for all rows.
    private func places(_ constraints: [(Constraint, [Operand])], _ rows: [[SQLValue]]) -> [Int]? {
        for (constraint, operands) in constraints where operands.allSatisfy(\.isTextOrNull) {
            let column = constraint.column
            if given[column] == nil {
                given[column] = rows.indices.reduce(into: [:]) { places, row in
                    if case .text(let text) = rows[row][column] { places[ExactString(text), default: []].append(row) }
                }
            }
            return Set(operands.compactMap(\.text)).flatMap { given[column]?[$0] ?? [] }.sorted()
        }
        return nil
    }

    private func wanted(_ kind: RowKind, _ constraints: [(Constraint, [Operand])]) -> Wanted {
        var wanted = Wanted(predicate: base)
        for (constraint, operands) in constraints {
            let column = table.columns[constraint.column]
            // By bytes, a time or a level in another form has another place.
            guard !constraint.isByBytes || operands.allSatisfy(column.hasForm) else { continue }
            // What is no time or level, and comes from data, is no mistake of the statement: it is equal to none.
            let operands =
                constraint.operation == .equal
                ? operands.filter { column.problem(with: $0, isOrder: false) == nil } : operands
            column.source?.narrow(&wanted, constraint.operation, operands, kind)
        }
        return wanted
    }

    /// Returns the rows of one event. For a join by ids, everything that `rows` does for other conditions would take as long again.
    /// - Returns: `nil` if the table has no stored events.
    func rows(ofEvent id: Int64) throws -> (any TableRows)? {
        guard case .stored(let kind, _) = table.content, id >= 0 else { return nil }
        return try rows(of: id, kind, base)
    }

    /// - Parameters:
    ///   - constraints: with the values that their columns are compared with.
    ///   - isDescending: whether the order of ids or times is descending.
    func rows(
        _ constraints: [(Constraint, [Operand])], _ order: Order, isDescending: Bool
    ) throws -> any TableRows {
        switch table.content {
        case .gaps: return FixedRows(SQLTable.rows(try snapshot.gaps()))
        case .rows(let rows): return FixedRows(rows, at: places(constraints, rows))
        case .definitionRows:
            let wanted = wanted(.events, constraints)
            guard let ids = wanted.ids, !definitions.isEmpty else { return FixedRows([]) }
            return try DefinitionRows(snapshot, wanted.predicate, ids: ids, definitions, isDescending: isDescending)
        case .stored(let kind, _):
            let wanted = wanted(kind, constraints)
            guard let ids = wanted.ids else { return FixedRows([]) }
            if case .groups(let keys, let used) = order {
                return try GroupedRows(snapshot, wanted.predicate, ids: ids, sources, used: used, by: keys)
            }
            if ids.lowerBound == ids.upperBound { return try rows(of: ids.lowerBound, kind, wanted.predicate) }
            if case .times = order {
                return try TimedRows(snapshot, wanted.predicate, ids: ids, sources, isDescending: isDescending)
            }
            return try RowScan(snapshot, wanted.predicate, ids: ids, of: kind, sources, isDescending: isDescending)
        }
    }
}

extension RowColumn {
    /// Whether its values take little memory, because events share them or they are numbers.
    fileprivate var isCompact: Bool {
        switch self {
        case .uid, .payload, .message, .rule, .subject, .expected, .found: false
        case .parameter(_, let isObject, _): !isObject
        default: true
        }
    }
}
