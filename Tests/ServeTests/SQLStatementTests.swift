import API
import Foundation
import Model
import SQL
import Store
import TestSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(3))) struct SQLStatementTests {
    private static let dictionary = Sample.defining(
        [Sample.definition("account/sign_in", "Signed in.", [Parameter(name: "owner", type: .bigint, role: .user)])])
    private static let endless =
        "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"

    private func path(_ statement: String, _ others: String = "") -> String {
        let allowed = CharacterSet.alphanumerics
        return "/v1/sql?statement=\(statement.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")\(others)"
    }

    private func withEvents(
        limits: ControlLimits = ControlLimits(), patience: Duration = .zero,
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        var limits = limits
        limits.sqlPatience = patience
        try await withServer(limits: limits) { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let sent = (1...20).map { Sample.Sent("account/sign_in", payload: #"{"owner":\#($0 % 3)}"#) }
            try await server.store.save(Sample.batch(sent), journal: "machine")
            try await body(server)
        }
    }

    /// The processes that this process has started for statements.
    private func processes() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { pid in
            let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return stat.contains("(gloss-sql) ") && stat.contains(" \(getpid()) ") && !stat.contains(") Z ")
        }
    }

    /// Returns the process that waits for a statement: the one that is there when that of the last statement has ended.
    private func waitingProcess() async throws -> Int32 {
        var (last, looks) = ([Int32](), 0)
        try await eventually {
            let now = try processes()
            looks = now.count == 1 && now == last ? looks + 1 : 0
            last = now
            return looks == 20
        }
        return try #require(last.first)
    }

    private func eventually(_ condition: () throws -> Bool) async throws {
        for _ in 0..<6000 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("not within a minute")
    }

    @Test func `a statement has rows`() async throws {
        try await withEvents { server in
            let reply = try await server.get(
                path("SELECT owner, count(*) AS n, NULL, 'a\"b' FROM account_sign_in GROUP BY owner ORDER BY owner"))
            #expect(reply.status == 200 && reply.headers["content-type"] == "application/x-ndjson")
            let lines = try reply.lines.map { try SQLLine.parse(Array($0.utf8)) }
            #expect(
                lines == [
                    .columns(["owner", "n", "NULL", "'a\"b'"]),
                    .row([.number("0"), .number("6"), .null, .text("a\"b")]),
                    .row([.number("1"), .number("7"), .null, .text("a\"b")]),
                    .row([.number("2"), .number("7"), .null, .text("a\"b")]), .end(rows: 3, isCut: false),
                ])
            let exact = try await server.get(
                path("SELECT owner FROM account_sign_in WHERE gloss_id = 1", "&exact=true"))
            #expect(exact.lines.dropFirst().first == #"{"type":"row","values":[1]}"#)
            let few = try await server.get(path("SELECT id FROM events ORDER BY id", "&n=2&user=1"))
            #expect(
                try few.lines.map { try SQLLine.parse(Array($0.utf8)) } == [
                    .columns(["id"]), .row([.number("1")]), .row([.number("4")]), .end(rows: 2, isCut: true),
                ])
            let plain = try await server.get(path("SELECT max(user), min(time) > '2026' FROM events WHERE user < 2"))
            #expect(try SQLLine.parse(Array(plain.lines[1].utf8)) == .row([.number("1"), .number("1")]))
            let others = try await server.get(path("SELECT x'00ff', 1e400, -1e400"))
            #expect(others.lines.dropFirst().first == #"{"type":"row","values":["X'00FF'","Inf","-Inf"]}"#)
        }
    }

    @Test func `a common parameter is found in an object on the way to the others`() async throws {
        var dictionary = Sample.defining(
            [Sample.definition("order/paid", "", [Parameter(name: "order_id", type: .string())])],
            common: [
                Parameter(name: "schema", type: .string()), Parameter(name: "message_id", type: .string()),
                Parameter(name: "account", type: .string(), role: .user),
            ])
        dictionary.options.layout = PayloadLayout(
            category: .definingFile, name: .member(MemberPath("data.schema")), parametersAt: MemberPath("data.data"))
        let sent = [
            #"{"schema":"s","data":{"schema":"paid","message_id":"m1","account":"a1","data":{"order_id":"o1"}}}"#,
            #"{"message_id":"m2","account":"a2","data":{"schema":"paid","data":{"order_id":"o2"}}}"#,
        ].map { Sample.Sent("order/paid", payload: $0) }
        try await withServer { [dictionary] server in
            server.daemon.set(dictionaries: [dictionary])
            try await server.store.save(Sample.batch(sent), journal: "machine")
            func rows(_ statement: String) async throws -> [SQLLine] {
                try await server.get(path(statement)).lines.dropFirst().dropLast().map {
                    try SQLLine.parse(Array($0.utf8))
                }
            }
            #expect(
                try await rows("SELECT schema, message_id, account, order_id FROM order_paid ORDER BY gloss_id") == [
                    .row([.text("s"), .text("m1"), .text("a1"), .text("o1")]),
                    .row([.null, .text("m2"), .text("a2"), .text("o2")]),
                ])
            #expect(
                try await rows("SELECT gloss_id FROM order_paid WHERE message_id = 'm1'") == [.row([.number("1")])])
            #expect(
                try await rows("SELECT user FROM events ORDER BY id") == [.row([.text("a1")]), .row([.text("a2")])])
            #expect(try await server.get("/v1/events?user=a1").summaries() == ["event 1"])
        }
    }

    @Test func `what is wrong is said with a status`() async throws {
        try await withEvents { server in
            for (statement, expected) in [
                ("DROP TABLE events", "only"), ("SELECT usr FROM events", "no such column: usr"),
                ("SELECT * FROM account_sign_on", "did you mean account_sign_in?"),
                ("SELEC 1", "near \"SELEC\": syntax error"),
                ("SELECT * FROM [account/sign_in]", "did you mean account_sign_in?"),
                ("SELECT * FROM sign_in", "did you mean account_sign_in?"),
                ("SELECT * FROM account/sign_in", "tables are named with _ in place of /"),
                ("SELECT 1 FROM events WHERE level=\"err\"", "no such column: err; texts are in single quotes: 'err'"),
                ("SELECT owner FROM events", "account_sign_in has it; events has json_extract(payload, '$.owner')"),
                ("SELECT e.payload.owner FROM events e", "json_extract(payload, '$.owner')"),
                ("SELECT payload.owner FROM events", "json_extract(payload, '$.owner')"),
                ("SELECT levle FROM events", "no such column: levle; did you mean level?"),
                ("show tables", "glossctl sql .tables lists the tables"),
                ("DESCRIBE events", "'.schema TABLE' shows the columns"),
                ("SELECT median(owner) FROM account_sign_in", "glossctl stats --of"),
            ] {
                let reply = try await server.get(path(statement))
                #expect(
                    reply.status == 422
                        && reply.text.replacing("\\/", with: "/").contains(expected.replacing("\"", with: "\\\"")),
                    "\(reply.text)")
            }
            #expect(try await server.get("/v1/sql").status == 400)
            #expect(try await server.get(path("SELECT 1", "&n=-1")).status == 400)
            #expect(try await server.get(path("SELECT 1", "&exact=1")).status == 400)
            #expect(try await server.get(path("SELECT 1", "&predicate=nonsense")).status == 422)
            #expect(try await server.get(path(String(repeating: "-", count: 65 << 10))).status >= 400)
            // An error behind the first rows is the last line.
            let late = try await server.get(
                path("SELECT json_extract(iif(id < 15, '1', 'x'), '$') FROM events ORDER BY id"))
            #expect(late.status == 200)
            guard case .error(let problem) = try SQLLine.parse(Array(try #require(late.lines.last).utf8)) else {
                Issue.record("\(late.text)")
                return
            }
            #expect(problem.detail == "malformed JSON")
        }
    }

    @Test func `tables have columns with descriptions`() async throws {
        try await withEvents { server in
            let all = try APICoding.decode(TableList.self, from: Data(try await server.get("/v1/tables").body))
            #expect(
                all.tables.map(\.name) == [
                    "events", "violations", "warnings", "gaps", "definitions", "gloss_rows", "account_sign_in",
                ])
            let one = try APICoding.decode(
                TableList.self, from: Data(try await server.get("/v1/tables?name=account_sign_in").body))
            #expect(
                one.tables[0].columns.last == ColumnOfTable(name: "owner", type: "INTEGER", description: "(!bigint)"))
            #expect(
                one.tables[0].columns.filter { $0.hidden == true }.map(\.name) == [
                    "gloss_time_minute", "gloss_time_hour", "gloss_time_day",
                ])
            var (paged, path) = ([TableReply](), "/v1/tables?n=3")
            while true {
                let page = try APICoding.decode(TableList.self, from: Data(try await server.get(path).body))
                #expect(page.tables.count <= 3 && !page.tables.isEmpty)
                paged += page.tables
                guard let next = page.next else { break }
                path = "/v1/tables?n=3&after=\(next)"
            }
            #expect(paged == all.tables)
            #expect(try await server.get("/v1/tables?n=0").status == 400)
            #expect(try await server.get("/v1/tables?after=acount_sign_in").status == 404)
            #expect(try await server.get("/v1/tables?name=events&after=gaps").status == 422)
            // A name that is repeated, in whatever case, is that of one table.
            let repeated = try await server.get("/v1/tables?name=events&name=gaps&name=EVENTS&n=1&after=gaps")
            let last = try APICoding.decode(TableList.self, from: Data(repeated.body))
            #expect(last.tables.isEmpty && last.next == nil)
            let both = try await server.get("/v1/tables?name=events&name=events&n=1")
            #expect(try APICoding.decode(TableList.self, from: Data(both.body)).next == nil)
            let behind = try await server.get("/v1/tables?after=EVENTS&n=1")
            let next = try APICoding.decode(TableList.self, from: Data(behind.body))
            #expect(next.tables.map(\.name) == ["violations"])
            let none = try await server.get("/v1/tables?name=acount_sign_in")
            #expect(none.status == 404 && none.text.contains("did you mean account_sign_in?"))
        }
    }

    @Test func `statements that never end are ended, and hold up nobody`() async throws {
        var limits = ControlLimits()
        limits.sql.seconds = 5
        try await withEvents(limits: limits) { server in
            async let first = server.get(path(Self.endless))
            async let second = server.get(path(Self.endless))
            // The second one begins long before the first one ends.
            try await eventually { try processes().count == 2 }
            #expect(try await server.get("/v1/status").status == 200)
            #expect(try await server.get(path("SELECT 1")).status == 200)
            for reply in try await [first, second] {
                guard case .error(let problem) = try SQLLine.parse(Array(try #require(reply.lines.last).utf8)) else {
                    Issue.record("\(reply.text)")
                    return
                }
                #expect(problem.status == 422 && problem.detail?.hasPrefix("It took longer than 5 seconds.") == true)
                #expect(!reply.text.contains("\n\n"))
            }
            try await eventually { try processes().isEmpty }
        }
    }

    @Test func `only a few statements run at a time, and those of clients that leave end`() async throws {
        try await withEvents { server in
            var clients: [RawClient] = []
            for number in 1...ControlAPI.maximumStatements {
                let client = try await server.connect()
                try await client.send("GET \(path(Self.endless)) HTTP/1.1\r\nHost: gloss\r\n\r\n")
                clients.append(client)
                try await eventually { try processes().count == number }
            }
            let refused = try await server.get(path("SELECT 1"))
            #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
            for client in clients { client.leave() }
            try await eventually { try processes().isEmpty }
            #expect(try await server.get(path("SELECT 1")).status == 200)
        }
    }

    @Test func `as many clients as statements may run can ask one after the other`() async throws {
        try await withEvents { server in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<ControlAPI.maximumStatements {
                    group.addTask {
                        var statuses: [Int] = []
                        for _ in 0..<25 { statuses.append(try await server.get(path("SELECT 1")).status) }
                        return statuses
                    }
                }
                for try await statuses in group { #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)") }
            }
        }
    }

    @Test func `a process waits for the next statement, for a while`() async throws {
        try await withEvents(patience: .seconds(5)) { server in
            #expect(try processes().isEmpty)
            let reply = try await server.get(path("SELECT count(*) FROM events"))
            #expect(reply.lines.count == 3)
            let waiting = try await waitingProcess()
            // It takes the next statement, sees what was stored while it waited, and another one waits then.
            try await server.store.save(
                Sample.batch([Sample.Sent("account/sign_in", payload: #"{"owner":3}"#)], from: 21), journal: "machine")
            let counted = try await server.get(path("SELECT count(*) FROM events"))
            #expect(counted.lines.dropFirst().first == #"{"type":"row","values":[21]}"#)
            var next: [Int32] = []
            try await eventually {
                next = try processes()
                return next.count == 1 && next != [waiting]
            }
            // One that was ended is not given a statement.
            kill(try #require(next.first), SIGKILL)
            try await eventually { try processes().isEmpty }
            #expect(try await server.get(path("SELECT 2")).lines.count == 3)
            try await eventually { try processes().count == 1 }
            try await eventually { try processes().isEmpty }
        }
    }

    @Test func `a process that has waited ends with its client, and one waits after a mistake, too`() async throws {
        try await withEvents(patience: .seconds(60)) { server in
            #expect(try await server.get(path("SELEC 1")).status == 422)
            let waiting = try await waitingProcess()
            let client = try await server.connect()
            try await client.send("GET \(path(Self.endless)) HTTP/1.1\r\nHost: gloss\r\n\r\n")
            // It has the statement when it takes processor time.
            try await eventually {
                let stat = try String(contentsOfFile: "/proc/\(waiting)/stat", encoding: .utf8).split(separator: " ")
                return (Int(stat[13]) ?? 0) > 20
            }
            client.leave()
            try await eventually { try !processes().contains(waiting) }
            // Statements that end at the same time leave one process.
            async let (first, second) = (server.get(path("SELECT 1")), server.get(path("SELECT 2")))
            #expect(try await first.status == 200)
            #expect(try await second.status == 200)
            try await eventually { try processes().count == 1 }
        }
    }

    @Test func `several large sorts at a time do with the memory that there is`() async throws {
        try await withEvents { server in
            // Nine megabytes are sorted by each.
            let sorts = (1...6).map { "row_number() OVER (ORDER BY hex(zeroblob(500)) || \($0) || x) AS n\($0)" }
            let rows = "WITH c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 9000)"
            let reply = try await server.get(
                path("\(rows) SELECT max(n1), max(n6) FROM (SELECT \(sorts.joined(separator: ", ")) FROM c)"))
            #expect(reply.lines.dropFirst().first == #"{"type":"row","values":[9000,9000]}"#, "\(reply.text)")
        }
    }

    @Test func `a statement has no more memory than its limit`() async throws {
        var limits = ControlLimits()
        limits.sql.heapBytes = 8 << 20
        try await withEvents(limits: limits) { server in
            for statement in [
                "SELECT group_concat(hex(zeroblob(100000)) || a.id || b.id) FROM events a, events b, events c",
                "WITH RECURSIVE c(x) AS (VALUES ('x') UNION ALL SELECT x || x FROM c) SELECT max(length(x)) FROM c",
                "SELECT hex(zeroblob(30000000))",
            ] {
                let reply = try await server.get(path(statement))
                guard case .error(let problem) = try SQLLine.parse(Array(try #require(reply.lines.last).utf8)) else {
                    Issue.record("\(reply.text)")
                    continue
                }
                #expect(problem.status == 422 && problem.detail?.contains("memory") == true, "\(problem)")
            }
            // Rows that are sorted or grouped go to a file.
            let reply = try await server.get(
                path(
                    "SELECT count(*) FROM (SELECT DISTINCT a.id * 400 + b.id * 20 + c.id AS k, a.payload FROM events a, events b, events c ORDER BY 1)"
                ))
            #expect(try SQLLine.parse(Array(reply.lines[1].utf8)) == .row([.number("8000")]))
        }
    }

    @Test func `the temporary files of a statement have one limit, however many they are`() async throws {
        var limits = ControlLimits()
        limits.sql.temporaryBytes = 16 << 20
        try await withEvents(limits: limits) { server in
            // Each arm has six megabytes, which are sorted in a file of their own.
            let arm =
                "SELECT * FROM (WITH c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 2000) SELECT hex(zeroblob(1500)) || x FROM c)"
            func reply(_ arms: Int) async throws -> [String] {
                let rows = Array(repeating: arm, count: arms).joined(separator: " UNION ALL ")
                return try await server.get(path("SELECT count(*) FROM (\(rows) ORDER BY 1)")).lines
            }
            #expect(try await reply(2).dropFirst().first == #"{"type":"row","values":[4000]}"#)
            let refused = try await reply(8)
            guard case .error(let problem) = try SQLLine.parse(Array(try #require(refused.last).utf8)) else {
                Issue.record("\(refused)")
                return
            }
            let words = "there is no room to sort so many rows"
            #expect(problem.status == 422 && problem.detail?.hasPrefix(words) == true, "\(problem)")
        }
    }
}
