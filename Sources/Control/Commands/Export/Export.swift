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
        var events: Int64 = 0
        for table in tables {
            progress.show("\(table.name) ...")
            try target.begin(table)
            if let event = table.event, !sent.contains(ExactString("\(table.dictionary ?? "") \(event)")) { continue }
            let rows = try await copy(table, upTo: newest)
            if table.name == "events" { events = rows }
        }
        progress.show("Finishing ...")
        try target.end()
        progress.clear()
        return events
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
