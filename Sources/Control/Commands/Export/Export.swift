import API
import JSON
import Model

/// What an export is written to.
protocol ExportTarget {
    var path: String { get }
    func begin(_ table: TableReply) throws
    /// - Parameter line: the row as the daemon sent it, without its line break.
    func add(_ line: [UInt8], _ cells: [SQLCell]) throws
    /// Returns when all is written.
    func end() throws
    /// Removes what was written.
    func abandon()
}

/// Copies the tables of the daemon to a file or a folder.
struct Export {
    let client: ControlClient
    let filter: EventFilter
    let target: any ExportTarget
    let progress: ProgressLine

    /// How many rows one statement returns. It has to end in time.
    private static let pageRows: Int64 = 100_000

    /// - Returns: the number of events.
    func run() async throws -> Int64 {
        let status = try await client.document(StatusReply.self, APIPath.status)
        guard let newest = status.events?.newestID else {
            throw ControlError.no("the store is damaged: glossctl status says more")
        }
        let tables = try await client.document(TableList.self, APIPath.tables()).tables
        let sent = try await sentKeys(upTo: newest)
        var (events, batch) = (Int64(0), [TableReply]())
        for table in tables {
            if let event = table.event {
                // Most definitions of many have few events: one request for several of them.
                if sent.contains(ExactString("\(table.dictionary ?? "") \(event)")) {
                    batch.append(table)
                    if batch.count == Self.batchTables { try await copy(&batch, upTo: newest) }
                } else {
                    try target.begin(table)
                }
                continue
            }
            progress.show("\(table.name) ...")
            try target.begin(table)
            let rows = try await copy(table, upTo: newest)
            if table.name == "events" { events = rows }
        }
        try await copy(&batch, upTo: newest)
        progress.show("Finishing ...")
        try target.end()
        progress.clear()
        return events
    }

    /// How many tables one request is for. Its statements have to end in time together.
    private static let batchTables = 50
    /// A table with more rows is copied by itself.
    private static let batchRows: Int64 = 5000

    /// Copies tables of definitions. The list is empty afterwards.
    private func copy(_ batch: inout [TableReply], upTo newest: Int64) async throws {
        guard !batch.isEmpty else { return }
        let tables = batch
        batch = []
        progress.show("\(tables[0].name) ...")
        let statements = tables.map { table in
            "SELECT * FROM \(table.name) WHERE gloss_id <= \(newest) ORDER BY gloss_id LIMIT \(Self.batchRows)"
        }
        var query = SQLQuery()
        (query.filter, query.statement, query.limit) = (filter, statements.joined(separator: ";\n"), nil)
        // Rows are written when it is known that all of their table are there.
        var (number, held) = (-1, [([UInt8], [SQLCell])]())
        var large: [TableReply] = []
        func endTable() throws {
            guard tables.indices.contains(number) else { return }
            if held.count < Self.batchRows {
                try target.begin(tables[number])
                for (line, cells) in held { try target.add(line, cells) }
            } else {
                large.append(tables[number])
            }
            held = []
        }
        try await client.answer(to: query) { line, parsed in
            switch parsed {
            case .columns:
                try endTable()
                number += 1
            case .row(let cells): held.append((line, cells))
            case .end: try endTable()
            case .error: break
            }
        }
        for table in large {
            try target.begin(table)
            _ = try await copy(table, upTo: newest)
        }
    }

    /// Returns the dictionaries and keys of which there are events.
    private func sentKeys(upTo newest: Int64) async throws -> Set<ExactString> {
        var keys: Set<ExactString> = []
        try await rows(
            "SELECT DISTINCT dictionary, event FROM events WHERE id <= \(newest) AND dictionary IS NOT NULL", limit: nil
        ) { _, cells in
            keys.insert(ExactString("\(cells[0].shown) \(cells[1].shown)"))
        }
        return keys
    }

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
                guard case .number(let digits)? = cells.first, let id = Int64(digits.text) else {
                    throw ControlError.badReply("a row without an id")
                }
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
        var query = SQLQuery()
        (query.filter, query.statement, query.limit) = (filter, statement, limit)
        try await client.answer(to: query) { line, parsed in
            if case .row(let cells) = parsed { try body(line, cells) }
        }
    }
}
