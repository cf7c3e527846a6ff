import API
import Hummingbird
import JSON
import Model
import NIOCore
import Queries
import SQL
import Store

extension ControlAPI {
    /// The most statements that run at a time. Each has a process.
    static let maximumStatements = 4

    /// `GET /v1/sql`
    func sql(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try SQLQuery(urlQuery: request.uri.query)
        let predicate = try await predicate(query.filter, from: context)
        guard !predicate.readsJournal else {
            throw Problem(
                status: 422, title: "Bad query",
                detail: "Journal fields are not in tables: ask for them with show, tail, stats or report.")
        }
        if let exclusion = store.exclusion { throw exclusion }
        guard let place = statements.takeAtOnce(1) else {
            return .busy(
                "Too many statements",
                "\(Self.maximumStatements) statements are running, which is the limit. Try again later.", seconds: 1)
        }
        let catalog = catalogs.catalog(of: await daemon.dictionaries())
        let tables = catalog.tables(of: query.statement)
        let statement = try await SQLStatement(
            SQLRequest(
                statement: query.statement, tables: query.isExact ? tables.map(\.exact) : tables, predicate: predicate,
                limit: query.limit.map { Int(clamping: $0) }, limits: limits.sql),
            statementProcesses, place)
        // The first line comes before anything is read, and says what is wrong with the statement.
        let first = try await statement.next()
        if let problem = Self.problem(first) { throw catalog.explained(problem, in: query.statement) }
        return Response(
            stream: ResponseBody { writer in
                let body = PacedBody(writer, channel: context.channel)
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await Self.pass(first, of: statement, to: body)
                }
            }, watchesClient: true)
    }

    private static func pass(_ first: [UInt8], of statement: SQLStatement, to writer: PacedBody) async throws {
        var (body, bytes) = (writer, first)
        var isWithinLine = false
        do {
            while !bytes.isEmpty {
                isWithinLine = bytes.last != UInt8(ascii: "\n")
                try await body.write(bytes)
                bytes = try await statement.next()
            }
        } catch let problem as Problem {
            var lines = StreamLineWriter()
            try lines.append(problem)
            // A line that was cut off is lost.
            try await body.write(ByteBuffer(bytes: (isWithinLine ? [UInt8(ascii: "\n")] : []) + lines.bytes))
        }
        try await body.finish()
    }

    /// - Parameter bytes: the beginning of an answer.
    private static func problem(_ bytes: [UInt8]) -> Problem? {
        let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
        guard case .error(let problem)? = try? SQLLine.parse(line) else { return nil }
        return problem
    }

    /// `GET /v1/tables`
    func tables(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try TableQuery(urlQuery: request.uri.query)
        let catalog = catalogs.catalog(of: await daemon.dictionaries())
        // Case makes no difference in names of tables.
        func known(_ name: String) throws -> String {
            guard let table = catalog[name] else {
                throw catalog.explained(
                    Problem(status: 404, title: "Not found", detail: "no such table: \(name)"), in: "")
            }
            return table.name
        }
        var seen: Set<ExactString> = []
        let all = query.names.isEmpty ? catalog.names : try query.names.map(known).filter { seen.insert($0) }
        var start = 0
        if let after = try query.after.map(known) {
            guard let place = all.firstIndex(where: { $0 == after }) else {
                throw Problem(status: 422, title: "Unknown place", detail: "after: \(after) is not among the names")
            }
            start = place + 1
        }
        let names = Array(all[start...].prefix(query.limit ?? .max))
        let next = start + names.count < all.count ? names.last : nil
        // Tens of thousands are many megabytes, of which only some are made at a time.
        return Response(
            jsonBody: ResponseBody { writer in
                var body = PacedBody(writer, channel: context.channel)
                var json = JSONWriter()
                json.beginObject()
                json.key("tables")
                json.beginArray()
                for start in stride(from: 0, to: names.count, by: Self.tablesPerPiece) {
                    let piece = names[start..<min(start + Self.tablesPerPiece, names.count)]
                    try await withTaskExecutorPreference(documents.thread) {
                        for table in piece.lazy.compactMap({ catalog[$0] }) {
                            json.raw(try APICoding.encode(TableReply(table)))
                        }
                    }
                    if json.pendingBytes >= LineMemory.leastBytes { try await body.write(json.take()) }
                }
                json.endArray()
                if let next {
                    json.member("next", next)
                }
                json.endObject()
                try await body.write(json.take())
                try await body.finish()
            })
    }

    private static let tablesPerPiece = 10
}

extension TableReply {
    fileprivate init(_ table: SQLTable) {
        self.init(
            name: table.name, description: table.description,
            columns: table.columns.map {
                ColumnOfTable(
                    name: $0.name, type: $0.type.rawValue, description: $0.description,
                    hidden: $0.isHidden ? true : nil)
            }, dictionary: table.definition?.dictionary, event: table.definition?.event)
    }
}
