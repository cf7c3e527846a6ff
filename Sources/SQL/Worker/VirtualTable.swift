import GRDBSQLite
import Model
import Store

/// Gives SQLite tables that it has not made itself: each is a module that has a table of its name.
/// - Source: https://www.sqlite.org/vtab.html
enum VirtualTable {
    /// - Parameter owner: the owner of the connection, which lives longer.
    static func register(_ table: OpenTable, on connection: OpaquePointer, of owner: SQLConnection) {
        let context = Unmanaged.passRetained(Context(table, owner)).toOpaque()
        sqlite3_create_module_v2(connection, table.table.name, module, context) { pointer in
            if let pointer { Unmanaged<Context>.fromOpaque(pointer).release() }
        }
    }

    private final class Context {
        let table: OpenTable
        unowned let owner: SQLConnection
        /// SQLite keeps the number of one with the statement, and a connection has few statements.
        var plans: [Plan] = []

        init(_ table: OpenTable, _ owner: SQLConnection) { (self.table, self.owner) = (table, owner) }
    }

    // SQLite's structures come first, so that a pointer to one is a pointer to the other.
    private struct Table {
        var base = sqlite3_vtab()
        var context: Unmanaged<Context>
    }

    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        var state: Unmanaged<State>
    }

    private final class State {
        let context: Context
        private var rows: Rows?
        /// The same, without being counted for each value.
        private var uncounted: Unmanaged<Rows>?
        private(set) var isAtEnd = true

        /// What does not change is not counted either.
        private final class Rows {
            let rows: any TableRows

            init(_ rows: any TableRows) { self.rows = rows }
        }

        init(_ context: Context) { self.context = context }

        func begin(_ rows: any TableRows) throws {
            self.rows = Rows(rows)
            uncounted = self.rows.map { .passUnretained($0) }
            try next()
        }

        func next() throws {
            isAtEnd = try !(uncounted?._withUnsafeGuaranteedRef { try $0.rows.next() } ?? false)
        }

        var rowID: Int64 { rows?.rows.rowID ?? 0 }

        @inline(__always)
        func value(of column: Int) throws -> RowValue {
            try uncounted?._withUnsafeGuaranteedRef { try $0.rows.value(of: column) } ?? .null
        }
    }

    private static func context(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Context? {
        table.map { UnsafeRawPointer($0).assumingMemoryBound(to: Table.self).pointee.context.takeUnretainedValue() }
    }

    /// Keeps the error that `body` throws.
    /// - Returns: the result code for SQLite.
    @inline(__always)
    private static func withState(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (State) throws -> Void
    ) -> Int32 {
        guard let cursor else { return SQLITE_MISUSE }
        // It is called for each value of each row: counting references would take as long as the rest.
        return UnsafeRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee.state
            ._withUnsafeGuaranteedRef { state in
                do {
                    try body(state)
                    return SQLITE_OK
                } catch {
                    state.context.owner.note(error)
                    return SQLITE_ERROR
                }
            }
    }

    // The structure is never changed, and has to stay where it is.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // Without xCreate, the table has the module's name and need not be created.
        module.xConnect = { connection, pointer, _, _, result, _ in
            guard let connection, let pointer, let result else { return SQLITE_MISUSE }
            let context = Unmanaged<Context>.fromOpaque(pointer)
            let code = sqlite3_declare_vtab(connection, context.takeUnretainedValue().table.declaration)
            guard code == SQLITE_OK else { return code }
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            table.initialize(to: Table(context: context.retain()))
            result.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        module.xDisconnect = { pointer in
            guard let pointer else { return SQLITE_OK }
            let table = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Table.self)
            table.pointee.context.release()
            table.deallocate()
            return SQLITE_OK
        }
        module.xBestIndex = { table, info in
            guard let context = context(table), let info else { return SQLITE_MISUSE }
            do {
                try plan(context, info)
                return SQLITE_OK
            } catch {
                context.owner.note(error)
                return SQLITE_ERROR
            }
        }
        module.xOpen = { table, result in
            guard let context = context(table), let result else { return SQLITE_MISUSE }
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            cursor.initialize(to: Cursor(state: .passRetained(State(context))))
            result.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { pointer in
            guard let pointer else { return SQLITE_OK }
            let cursor = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Cursor.self)
            cursor.pointee.state.release()
            cursor.deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, number, _, count, values in
            withState(cursor) { state in
                let plan = state.context.plans[Int(number)]
                if plan.isByID, count == 1, sqlite3_value_type(values?[0]) == SQLITE_INTEGER,
                    let rows = try state.context.table.rows(ofEvent: sqlite3_value_int64(values?[0]))
                {
                    return try state.begin(rows)
                }
                let constraints = plan.constraints.enumerated().map { place, constraint in
                    (constraint, place < Int(count) ? operands(values?[place], isList: constraint.isList) : [.other])
                }
                try state.begin(state.context.table.rows(constraints, plan.order, isDescending: plan.isDescending))
            }
        }
        module.xNext = { cursor in withState(cursor) { try $0.next() } }
        module.xEof = { cursor in
            var isAtEnd = true
            _ = withState(cursor) { isAtEnd = $0.isAtEnd }
            return isAtEnd ? 1 : 0
        }
        module.xRowid = { cursor, result in withState(cursor) { result?.pointee = $0.rowID } }
        module.xColumn = { cursor, context, column in
            guard let context else { return SQLITE_MISUSE }
            return withState(cursor) { put(try $0.value(of: Int(column)), context) }
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return UnsafePointer(pointer)
    }()

    // MARK: values

    private static func put(_ value: RowValue, _ context: OpaquePointer) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let bytes):
            // An empty buffer may have no address, which would be NULL.
            guard let start = bytes.baseAddress else { return sqlite3_result_text(context, "", 0, SQLText.copied) }
            sqlite3_result_text64(
                context, start.assumingMemoryBound(to: CChar.self), sqlite3_uint64(bytes.count), SQLText.copied,
                UInt8(SQLITE_UTF8))
        }
    }

    private static func operands(_ value: OpaquePointer?, isList: Bool) -> [Operand] {
        guard isList else { return [operand(value)] }
        var (operands, next) = ([Operand](), OpaquePointer?.none)
        var code = sqlite3_vtab_in_first(value, &next)
        while code == SQLITE_OK, let element = next {
            operands.append(operand(element))
            code = sqlite3_vtab_in_next(value, &next)
        }
        // What is not known does not narrow anything.
        return code == SQLITE_DONE ? operands : [.other]
    }

    private static func operand(_ value: OpaquePointer?) -> Operand {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            guard let text = sqlite3_value_text(value) else { return .other }
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .other
        case SQLITE_NULL: return .null
        default: return .other
        }
    }

    // MARK: plans

    /// Which conditions `xFilter` gets the values of, and in which order rows come.
    private struct Plan {
        var constraints: [Constraint] = []
        /// Whether events are asked for by their ids, as joins do.
        var isByID = false
        var order = OpenTable.Order.ids
        var isDescending = false
    }

    private static func plan(_ context: Context, _ info: UnsafeMutablePointer<sqlite3_index_info>) throws {
        let table = context.table
        try check(table, info)
        var plan = Plan()
        for number in 0..<Int(info.pointee.nConstraint) {
            let given = info.pointee.aConstraint[number]
            guard given.usable != 0, given.iColumn >= 0, let operation = Constraint.Operator(rawValue: Int32(given.op))
            else { continue }
            var constraint = Constraint(column: Int(given.iColumn), operation: operation)
            if !hasCollation(of: table.table.columns[constraint.column], info, number) {
                // The side on the left decides: that of the other table in `x = time`. The bounds of GLOB are of bytes, too.
                constraint.isByBytes = collation(info, number) == "BINARY"
                guard constraint.isByBytes else { continue }
            }
            guard table.narrows(constraint) else { continue }
            // All values at once: one scan, not one for each.
            constraint.isList = operation == .equal && sqlite3_vtab_in(info, Int32(number), 1) != 0
            plan.constraints.append(constraint)
            info.pointee.aConstraintUsage[number].argvIndex = Int32(plan.constraints.count)
        }
        plan.isByID = table.isByID(plan.constraints)
        order(&plan, table, info)
        let (rows, cost) = table.estimate(plan.constraints)
        info.pointee.estimatedRows = rows
        info.pointee.estimatedCost = cost
        info.pointee.idxNum = Int32(context.plans.count)
        context.plans.append(plan)
        explain(plan, table, info)
    }

    /// Refuses constants that are nothing that their columns could have.
    private static func check(_ table: OpenTable, _ info: UnsafeMutablePointer<sqlite3_index_info>) throws {
        let constraints = (0..<Int(info.pointee.nConstraint)).map { info.pointee.aConstraint[$0] }
        // SQLite makes bounds of a pattern, which need not be values: GLOB '2026-12*' is also < '2026-13'. They are of
        // bytes, as only conditions on hidden columns should be.
        let patterns = Set(constraints.filter { Int32($0.op) == SQLITE_INDEX_CONSTRAINT_GLOB }.map(\.iColumn))
        for (number, given) in constraints.enumerated() where given.usable != 0 && given.iColumn >= 0 {
            let column = table.table.columns[Int(given.iColumn)]
            let isOrder: Bool
            switch Int32(given.op) {
            // SQLite tells no collation of these two.
            case SQLITE_INDEX_CONSTRAINT_NE, SQLITE_INDEX_CONSTRAINT_ISNOT: isOrder = false
            case SQLITE_INDEX_CONSTRAINT_EQ, SQLITE_INDEX_CONSTRAINT_IS:
                guard hasCollation(of: column, info, number) else { continue }
                isOrder = false
            case SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_GT,
                SQLITE_INDEX_CONSTRAINT_GE:
                guard hasCollation(of: column, info, number), !(column.isHidden && patterns.contains(given.iColumn))
                else { continue }
                isOrder = true
            default: continue
            }
            if let problem = column.problem(with: constant(info, number), isOrder: isOrder) { throw problem }
        }
    }

    /// Whether a condition compares texts as the column does.
    private static func hasCollation(
        of column: SQLColumn, _ info: UnsafeMutablePointer<sqlite3_index_info>, _ number: Int
    ) -> Bool {
        collation(info, number) == (column.isHidden ? nil : column.collation?.rawValue) ?? "BINARY"
    }

    private static func collation(_ info: UnsafeMutablePointer<sqlite3_index_info>, _ number: Int) -> String {
        String(cString: sqlite3_vtab_collation(info, Int32(number)))
    }

    /// Returns the value of a condition if it is in the statement, as `'2026'` is and `datetime('now')` is not.
    private static func constant(_ info: UnsafeMutablePointer<sqlite3_index_info>, _ number: Int) -> Operand {
        var value: OpaquePointer?
        return sqlite3_vtab_rhs_value(info, Int32(number), &value) == SQLITE_OK ? operand(value) : .other
    }

    /// Says in `EXPLAIN QUERY PLAN` which conditions the table gets.
    private static func explain(_ plan: Plan, _ table: OpenTable, _ info: UnsafeMutablePointer<sqlite3_index_info>) {
        let conditions = plan.constraints.map { constraint in
            "\(table.table.columns[constraint.column].name) \(constraint.isList ? "IN (?)" : "\(constraint.operation.sign) ?")"
        }
        let text = Array(conditions.joined(separator: " AND ").utf8CString)
        guard let copy = sqlite3_malloc64(sqlite3_uint64(text.count)) else { return }
        // It has at least the zero byte that ends it.
        text.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        info.pointee.idxStr = copy.assumingMemoryBound(to: CChar.self)
        info.pointee.needToFreeIdxStr = 1
    }

    /// Decides in which order rows come, and says whether SQLite has to sort them.
    private static func order(
        _ plan: inout Plan, _ table: OpenTable, _ info: UnsafeMutablePointer<sqlite3_index_info>
    ) {
        let wanted = (0..<Int(info.pointee.nOrderBy)).map { info.pointee.aOrderBy[$0] }
        guard let first = wanted.first, wanted.allSatisfy({ $0.iColumn >= 0 }) else { return }
        let columns = wanted.map { Int($0.iColumn) }
        if wanted.allSatisfy({ $0.desc == first.desc }), let order = table.order(by: columns) {
            (plan.order, plan.isDescending) = (order, first.desc != 0)
            info.pointee.orderByConsumed = 1
            return
        }
        plan.isDescending = first.desc != 0 && table.followsIDs(columns[0])
        // 1: for GROUP BY. Rows with equal values would do in any order, but this version of SQLite does not sort either if
        // ORDER BY has the same columns.
        guard sqlite3_vtab_distinct(info) == 1, !table.findsOne(plan.constraints) else { return }
        // The last bit stands for all columns from there on.
        let used = table.table.columns.indices.filter { info.pointee.colUsed >> UInt64(min($0, 63)) & 1 == 1 }
        guard table.groups(by: columns, used: used) else { return }
        plan.order = .groups(keys: wanted.map { (Int($0.iColumn), $0.desc != 0) }, used: used)
        plan.isDescending = false
        info.pointee.orderByConsumed = 1
    }
}
