import API
import Model

/// What an export is written to.
protocol ExportTarget {
    var path: String { get }
    /// Rows that follow are of this table.
    func begin(_ table: TableReply) throws
    /// Rows that follow are of this table, which began before.
    func resume(_ table: TableReply) throws
    /// - Parameter line: the row as the daemon sends it, without its line break.
    func add(_ line: [UInt8], _ cells: @autoclosure () throws -> [SQLCell]) throws
    /// Returns when all is written.
    func end() throws
    /// Removes what was written.
    func abandon()
    /// The files of an earlier export that were not replaced, since their tables are gone.
    var leftovers: [String] { get }
}

/// Copies the tables of the daemon to a file or a folder.
struct Export {
    let client: ControlClient
    let filter: EventFilter
    /// The time zone of messages if nothing is found.
    let zone: Zone
    let target: any ExportTarget
    let progress: ProgressLine
    /// How long it waits while glossd is busy before it asks again.
    var pause = Duration.seconds(1)

    /// How often it asks glossd again while that is busy.
    private static let mostPauses = 60
    /// How many rows one statement returns. It has to end in time.
    private static let pageRows: Int64 = 100_000

    /// - Returns: the number of events.
    /// - Throws: `ControlError.nothing` also if there is a filter that no event meets.
    func run() async throws -> Int64 {
        defer { progress.clear() }
        let status = try await patiently { try await client.status() }
        guard let newest = status.events?.newestID else {
            throw ControlError.no("the store is damaged: glossctl status says more")
        }
        let tables = try await tables()
        var events: Int64 = 0
        for table in tables where table.event == nil && table.name != Self.definitionRows {
            progress.show("\(table.name) ...")
            try target.begin(table)
            let rows = try await copy(table, upTo: newest)
            guard table.name == "events" else { continue }
            events = rows
            if events == 0, !filter.items.isEmpty {
                progress.clear()
                throw await NothingFound(client: client, filter: filter, zone: zone).answer()
            }
        }
        let definitions = tables.filter { $0.event != nil }
        progress.show("tables of definitions ...")
        for table in definitions { try target.begin(table) }
        try await copy(definitions, upTo: newest)
        progress.show("Finishing ...")
        guard try await self.tables() == tables else {
            throw ControlError.no("definitions have changed during the export: export again")
        }
        try target.end()
        return events
    }

    private func tables() async throws -> [TableReply] {
        try await patiently { try await client.tables() }.map { table in
            var table = table
            table.columns.removeAll { $0.hidden == true }
            return table
        }
    }

    // MARK: definitions

    private static let definitionRows = "gloss_rows"
    /// How many tables one request is for at most, and how many columns of parameters they have together: each takes
    /// memory for all events of a block.
    private static let (batchTables, batchColumns) = (250, 2000)
    private static let batchRows: Int64 = 20_000
    /// Rows are held until so many bytes of them can be written table by table.
    private static let heldBytes = 4 << 20
    /// A table that has one of so many of the newest events is copied by itself, which takes less for each row.
    private static let (newestEvents, rareEvents) = (100_000, 50)

    /// Copies the tables of definitions. There may be tens of thousands, most of them with few events: events are read for
    /// many tables at a time.
    private func copy(_ tables: [TableReply], upTo newest: Int64) async throws {
        let ofEvents = "FROM events WHERE id <= \(newest) AND dictionary IS NOT NULL"
        let sent = try await keys("SELECT DISTINCT dictionary, event \(ofEvents)")
        let frequent = try await keys(
            """
            SELECT dictionary, event \(ofEvents) AND id > \(newest - Int64(Self.newestEvents)) GROUP BY 1, 2
            HAVING count(*) > \(Self.newestEvents / Self.rareEvents)
            """)
        var rare: [TableReply] = []
        for table in tables {
            let key = Self.key(table.dictionary ?? "", table.event ?? "")
            if frequent.contains(key) {
                try target.resume(table)
                _ = try await copy(table, upTo: newest)
            } else if sent.contains(key) {
                rare.append(table)
            }
        }
        let shortest = query(Self.statement(for: "", after: .max, upTo: newest), limit: Self.batchRows)
        let room = SQLSession.longestPath - APIPath.sql(shortest).utf8.count
        var rest = rare[...]
        while !rest.isEmpty {
            let done = 100 * (rare.count - rest.count) / rare.count
            var (batch, columns, bytes) = ([TableReply](), 0, 0)
            while let table = rest.first, batch.count < Self.batchTables,
                batch.isEmpty || columns + table.parameters <= Self.batchColumns && bytes + table.bytesInPath <= room
            {
                batch.append(rest.removeFirst())
                columns += table.parameters
                bytes += table.bytesInPath
            }
            try await copyTogether(batch, upTo: newest, "tables of definitions  \(done) %")
        }
    }

    /// - Parameter names: those of tables, in quotes and separated by commas.
    private static func statement(for names: String, after: Int64, upTo newest: Int64) -> String {
        """
        SELECT id, table_name, cells FROM \(definitionRows)
        WHERE id > \(after) AND id <= \(newest) AND table_name IN (\(names)) ORDER BY id
        """
    }

    private func copyTogether(_ tables: [TableReply], upTo newest: Int64, _ text: String) async throws {
        let names = tables.map { "'\($0.name)'" }.joined(separator: ", ")
        var rows: [ExactString: [String]] = [:]
        var bytes = 0
        func write() throws {
            for table in tables {
                guard let found = rows[ExactString(table.name)] else { continue }
                try target.resume(table)
                for row in found {
                    let line = ExportLine.row(row)
                    try target.add(line, Self.cells(line))
                }
            }
            (rows, bytes) = ([:], 0)
        }
        var (after, count) = (Int64(0), Self.batchRows)
        while count == Self.batchRows {
            progress.show(text)
            count = 0
            let statement = Self.statement(for: names, after: after, upTo: newest)
            try await self.rows(statement, limit: Self.batchRows) { _, cells in
                guard cells.count == 3, let id = cells[0].id, case .text(let name) = cells[1],
                    case .text(let row) = cells[2]
                else { throw ControlError.badReply("no row of a table") }
                rows[name, default: []].append(row.text)
                bytes += row.text.utf8.count
                (after, count) = (id, count + 1)
                if bytes > Self.heldBytes { try write() }
            }
        }
        try write()
    }

    private static func cells(_ line: [UInt8]) throws -> [SQLCell] {
        guard case .row(let cells) = try SQLLine.parse(line) else { throw ControlError.badReply("no row of a table") }
        return cells
    }

    /// - Parameter statement: selects dictionaries and keys.
    private func keys(_ statement: String) async throws -> Set<ExactString> {
        var keys: Set<ExactString> = []
        try await rows(statement, limit: nil) { _, cells in
            guard cells.count == 2 else { throw ControlError.badReply("no key") }
            keys.insert(Self.key(cells[0].shown, cells[1].shown))
        }
        return keys
    }

    private static func key(_ dictionary: String, _ event: String) -> ExactString {
        ExactString("\(dictionary) \(event)")
    }

    // MARK: other tables

    /// - Returns: the number of rows.
    private func copy(_ table: TableReply, upTo newest: Int64) async throws -> Int64 {
        // The number of the event, of all that have rows for events.
        guard let key = table.columns.first?.name,
            table.event != nil || ["events", "violations", "warnings"].contains(table.name)
        else {
            var count: Int64 = 0
            try await rows("SELECT * FROM \(table.name)", limit: nil) { line, cells in
                count += 1
                try target.add(line, cells)
            }
            return count
        }
        var (count, after, limit) = (Int64(0), Int64(0), Self.pageRows)
        while true {
            // Rows of one event belong together: those of the last one may be cut, and come again.
            var held: [([UInt8], [SQLCell])] = []
            let start = after
            var (last, rowsOfPage) = (after, Int64(0))
            func release() throws {
                for (line, cells) in held { try target.add(line, cells) }
                count += Int64(held.count)
                held = []
            }
            try await rows(
                "SELECT * FROM \(table.name) WHERE \(key) > \(after) AND \(key) <= \(newest) ORDER BY \(key)",
                limit: limit
            ) { line, cells in
                guard let id = cells.first?.id else { throw ControlError.badReply("a row without an id") }
                if id != last {
                    try release()
                    (after, last) = (last, id)
                }
                held.append((line, cells))
                rowsOfPage += 1
                if rowsOfPage % 10_000 == 0 {
                    progress.show("\(table.name)  \(Quantity.count(count)) rows, \(100 * id / max(1, newest)) %")
                }
            }
            if rowsOfPage < limit {
                try release()
                return count
            }
            // One event has more rows than a page.
            if after == start { limit *= 10 }
        }
    }

    private func rows(
        _ statement: String, limit: Int64?, _ body: ([UInt8], [SQLCell]) throws -> Void
    ) async throws {
        // No answer that has begun ends with 503: no row comes twice.
        try await patiently {
            try await client.answer(to: query(statement, limit: limit)) { line, parsed in
                if case .row(let cells) = parsed { try body(line, cells) }
            }
        }
    }

    private func query(_ statement: String, limit: Int64?) -> SQLQuery {
        var query = SQLQuery()
        (query.filter, query.statement, query.limit) = (filter, statement, limit)
        query.isExact = true
        return query
    }

    /// Asks again when glossd is too busy to answer, so that what was copied before is not lost.
    private func patiently<Value>(_ ask: () async throws -> Value) async throws -> Value {
        for _ in 0..<Self.mostPauses {
            do {
                return try await ask()
            } catch ControlError.refused(let problem) where problem.status == 503 {
                progress.show("waiting: \(problem.detail ?? problem.title)")
                try await Task.pause(for: pause)
            }
        }
        return try await ask()
    }
}

extension SQLCell {
    fileprivate var id: Int64? { if case .number(let digits) = self { Int64(digits.text) } else { nil } }
}

extension TableReply {
    /// The number of its columns that are of parameters, in the table of a definition.
    fileprivate var parameters: Int { columns.count { !$0.name.hasPrefix("gloss_") } }

    /// The most bytes that `'NAME', ` takes in the path of a request: three for each.
    fileprivate var bytesInPath: Int { 3 * (name.utf8.count + 4) }
}
