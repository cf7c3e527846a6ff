import GRDBSQLite
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
        var rows: (any TableRows)?
        var isAtEnd = true

        init(_ context: Context) { self.context = context }

        func next() throws { isAtEnd = try !(rows?.next() ?? false) }

        /// Keeps an error.
        /// - Returns: the result code for SQLite.
        func failed(_ error: any Error) -> Int32 {
            context.owner.note(error)
            return SQLITE_ERROR
        }
    }

    private static func context(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Context? {
        table.map { UnsafeRawPointer($0).assumingMemoryBound(to: Table.self).pointee.context.takeUnretainedValue() }
    }

    /// - Returns: what `body` returns: a result code of SQLite.
    @inline(__always)
    private static func withState(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (State) -> Int32
    ) -> Int32 {
        guard let cursor else { return SQLITE_MISUSE }
        // It is called for each value of each row: counting references would take as long as the rest.
        return UnsafeRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee.state
            ._withUnsafeGuaranteedRef { body($0) }
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
            plan(context.table, info)
            return SQLITE_OK
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
        module.xFilter = { cursor, number, text, count, values in
            withState(cursor) { state in
                let plan = Plan(number, text.map { String(cString: $0) } ?? "")
                let constraints = plan.constraints.enumerated().map { place, constraint in
                    (constraint, place < Int(count) ? operands(values?[place], isList: constraint.isList) : [.other])
                }
                do {
                    state.rows = try state.context.table.rows(
                        constraints, isDescending: plan.isDescending, groups: plan.groups)
                    try state.next()
                    return SQLITE_OK
                } catch {
                    return state.failed(error)
                }
            }
        }
        module.xNext = { cursor in
            withState(cursor) { state in
                do {
                    try state.next()
                    return SQLITE_OK
                } catch {
                    return state.failed(error)
                }
            }
        }
        module.xEof = { cursor in withState(cursor) { $0.isAtEnd ? 1 : 0 } }
        module.xRowid = { cursor, result in
            withState(cursor) { state in
                result?.pointee = state.rows?.id ?? 0
                return SQLITE_OK
            }
        }
        module.xColumn = { cursor, context, column in
            guard let context else { return SQLITE_MISUSE }
            return withState(cursor) { state in
                do {
                    put(try state.rows?.value(of: Int(column)) ?? .null, context)
                    return SQLITE_OK
                } catch {
                    return state.failed(error)
                }
            }
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
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            // An empty buffer may have no address, which would be NULL.
            sqlite3_result_text64(
                context, start ?? emptyText, sqlite3_uint64(bytes.count), copied, UInt8(SQLITE_UTF8))
        }
    }

    nonisolated(unsafe) private static let emptyText: UnsafePointer<CChar> = {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        text.initialize(to: 0)
        return UnsafePointer(text)
    }()

    /// SQLITE_TRANSIENT, a macro that Swift does not import.
    nonisolated(unsafe) private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

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
        default: return .other
        }
    }

    // MARK: plans

    /// Which conditions `xFilter` gets the values of, and in which order rows come.
    private struct Plan {
        var constraints: [Constraint] = []
        var isDescending = false
        /// The columns of an order, and those that are used.
        var groups: (keys: [(column: Int, isDescending: Bool)], used: [Int])?

        init() {}

        init(_ number: Int32, _ text: String) {
            isDescending = number == 1
            let parts = text.split(separator: "|", omittingEmptySubsequences: false)
            let lists = parts.dropFirst().map { $0.split(separator: ",").compactMap { Int($0) } }
            // A descending column is written as the complement of its number.
            if lists.count == 2 { groups = (lists[0].map { $0 < 0 ? (~$0, true) : ($0, false) }, lists[1]) }
            constraints = (parts.first ?? "").split(separator: ";").compactMap { part in
                let numbers = part.split(separator: ",").compactMap { Int($0) }
                guard numbers.count == 3, let operation = Constraint.Operator(rawValue: Int32(numbers[1])) else {
                    return nil
                }
                return Constraint(column: numbers[0], operation: operation, isList: numbers[2] == 1)
            }
        }

        var text: String {
            let lists = groups.map { [$0.keys.map { $0.isDescending ? ~$0.column : $0.column }, $0.used] } ?? []
            return constraints.map { "\($0.column),\($0.operation.rawValue),\($0.isList ? 1 : 0)" }.joined(
                separator: ";")
                + lists.map { "|" + $0.map(String.init).joined(separator: ",") }.joined()
        }
    }

    private static func plan(_ table: OpenTable, _ info: UnsafeMutablePointer<sqlite3_index_info>) {
        var plan = Plan()
        for number in 0..<Int(info.pointee.nConstraint) {
            let given = info.pointee.aConstraint[number]
            guard given.usable != 0, given.iColumn >= 0,
                let operation = Constraint.Operator(rawValue: Int32(given.op)),
                String(cString: sqlite3_vtab_collation(info, Int32(number))) == "BINARY"
            else { continue }
            var constraint = Constraint(column: Int(given.iColumn), operation: operation)
            guard table.narrows(constraint) else { continue }
            // All values at once: one scan, not one for each.
            constraint.isList = operation == .equal && sqlite3_vtab_in(info, Int32(number), 1) != 0
            plan.constraints.append(constraint)
            info.pointee.aConstraintUsage[number].argvIndex = Int32(plan.constraints.count)
        }
        if info.pointee.nOrderBy == 1, let order = info.pointee.aOrderBy?[0], order.iColumn >= 0 {
            let column = Int(order.iColumn)
            let isOrdered = table.isOrdered(by: column)
            plan.isDescending = order.desc != 0 && (isOrdered || table.followsIDs(column))
            info.pointee.orderByConsumed = isOrdered ? 1 : 0
        }
        // 1: for GROUP BY. Rows with equal values would do in any order, but this version of SQLite does not sort either if
        // ORDER BY has the same columns.
        if info.pointee.orderByConsumed == 0, info.pointee.nOrderBy > 0, sqlite3_vtab_distinct(info) == 1 {
            let order = (0..<Int(info.pointee.nOrderBy)).map { info.pointee.aOrderBy[$0] }
            let keys = order.map { Int($0.iColumn) }
            // The last bit stands for all columns from there on.
            let used = table.table.columns.indices.filter { info.pointee.colUsed >> UInt64(min($0, 63)) & 1 == 1 }
            if keys.allSatisfy({ $0 >= 0 }), table.groups(by: keys, used: used) {
                plan.groups = (zip(keys, order).map { ($0, $1.desc != 0) }, used)
                plan.isDescending = false
                info.pointee.orderByConsumed = 1
            }
        }
        let (rows, cost) = table.estimate(plan.constraints)
        info.pointee.estimatedRows = rows
        info.pointee.estimatedCost = cost
        info.pointee.idxNum = plan.isDescending ? 1 : 0
        info.pointee.idxStr = Self.copy(plan.text)
        info.pointee.needToFreeIdxStr = 1
    }

    /// Returns a copy in memory of SQLite.
    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let bytes = Array(text.utf8CString)
        guard let memory = sqlite3_malloc64(sqlite3_uint64(bytes.count)) else { return nil }
        let copy = memory.bindMemory(to: CChar.self, capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return copy
    }
}
