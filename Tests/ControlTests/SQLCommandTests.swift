import API
import Foundation
import Model
import Synchronization
import Testing

@testable import Control

struct SQLCommandTests {
    private static let lines = [
        #"{"type":"columns","columns":["event","n","note"]}"#, #"{"type":"row","values":["recipe_detail/夕食",12,null]}"#,
        #"{"type":"row","values":["a,\"b\"|c",1.5,"\u001b[31mred"]}"#,
    ]
    private static let end = #"{"type":"end","rows":2,"cut":false}"#

    private func run(
        _ lines: [String], _ arguments: [String], width: Int? = nil, input: String = ""
    ) async throws -> (Run, [String]) {
        let daemon = try FakeDaemon { request in
            request.target.hasPrefix("/v1/sql") ? .lines(lines.map { Array($0.utf8) }) : .problem(500, "")
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(
            ["--socket", daemon.socket, "sql"] + arguments, width: width,
            environment: ["NO_COLOR": "1", "GLOSS_PAGER": ""],
            input: input)
        return (run, daemon.requests.map(\.target).filter { $0.hasPrefix("/v1/sql") })
    }

    private func lines(_ run: Run) -> [String] { run.output.split(separator: "\n").map(String.init) }

    @Test func `an answer is a table, or what programs read`() async throws {
        let (text, targets) = try await run(Self.lines + [Self.end], ["SELECT 1", "--user", "7"])
        #expect(text.status == .done && text.errors.isEmpty)
        #expect(targets == ["/v1/sql?user=7&statement=SELECT%201"])
        #expect(
            text.output == """
                event                 n  note
                recipe_detail/夕食   12  NULL
                a,"b"|c             1.5  \\u001b[31mred

                """)
        let (csv, all) = try await run(Self.lines + [Self.end], ["SELECT 1", "-o", "csv"])
        #expect(all == ["/v1/sql?n=all&statement=SELECT%201"])
        #expect(csv.output == "event,n,note\nrecipe_detail/夕食,12,\n\"a,\"\"b\"\"|c\",1.5,\u{1B}[31mred\n")
        let (json, _) = try await run(Self.lines + [Self.end], ["SELECT 1", "-o", "json"])
        #expect(
            json.output
                == "[{\"event\":\"recipe_detail/夕食\",\"n\":12,\"note\":null},{\"event\":\"a,\\\"b\\\"|c\",\"n\":1.5,\"note\":\"\\u001b[31mred\"}]\n"
        )
        let (ndjson, _) = try await run(Self.lines + [Self.end], ["SELECT 1", "-o", "ndjson"])
        #expect(
            lines(ndjson).count == 2 && lines(ndjson)[0] == "{\"event\":\"recipe_detail/夕食\",\"n\":12,\"note\":null}")
        let (markdown, _) = try await run(Self.lines + [Self.end], ["SELECT 1", "-o", "markdown"])
        #expect(lines(markdown)[1...2] == ["| --- | --- | --- |", "| recipe\\_detail/夕食 | 12 |  |"])
        let (none, _) = try await run([Self.lines[0], #"{"type":"end","rows":0,"cut":false}"#], ["SELECT 1"])
        #expect(none.status == .done && none.output == "event  n  note\n")
    }

    @Test func `a filter that no event meets is told beside the result`() async throws {
        let count = [#"{"type":"columns","columns":["n"]}"#, #"{"type":"row","values":[0]}"#, Self.end]
        for (isFound, rows) in [(false, 1), (false, 2), (true, 1)] {
            let event = try Fixture.lines("events.ndjson")[0]
            let daemon = try FakeDaemon { request in
                guard request.target.hasPrefix("/v1/sql") else {
                    return (try? Fixture.answer(request, isFound ? [event] : [])) ?? .problem(500, "")
                }
                let end = Self.end.replacing("\"rows\":2", with: "\"rows\":\(rows)")
                return .lines((count.dropLast() + [end]).map { Array($0.utf8) })
            }
            defer { daemon.stop() }
            let run = await Run.glossctl("--socket", daemon.socket, "sql", "--event", "shop/nope", "SELECT 0", "-ocsv")
            #expect(run.status == .done && run.output == "n\n0\n")
            #expect(
                run.errors
                    == (!isFound ? "glossctl: No events match; 512,000 are stored, none with event shop/nope.\n" : ""))
        }
    }

    @Test func `columns of the same name are different members of an object`() async throws {
        let lines = [
            #"{"type":"columns","columns":["a","a","a_2","夕","a","夕"]}"#, #"{"type":"row","values":[1,2,3,4,5,6]}"#,
            #"{"type":"end","rows":1,"cut":false}"#,
        ]
        let object = #"{"a":1,"a_3":2,"a_2":3,"夕":4,"a_4":5,"夕_2":6}"#
        #expect(try await run(lines, ["SELECT", "-o", "json"]).0.output == "[\(object)]\n")
        #expect(try await run(lines, ["SELECT", "-o", "ndjson"]).0.output == "\(object)\n")
        #expect(try await run(lines, ["SELECT", "-o", "csv"]).0.output == "a,a,a_2,夕,a,夕\n1,2,3,4,5,6\n")
    }

    @Test func `a statement may begin with a comment`() async throws {
        let statement = "-- one = 1\nSELECT 1"
        let (run, targets) = try await run(Self.lines + [Self.end], [statement, "--utc", "--predicate=level >= err"])
        #expect(run.status == .done, "\(run.errors)")
        #expect(
            targets == ["/v1/sql?predicate=level%20%3E%3D%20err&statement=--%20one%20%3D%201%0ASELECT%201"])
    }

    @Test func `several statements have several answers`() async throws {
        let both = Self.lines + [#"{"type":"columns","columns":["x"]}"#, #"{"type":"row","values":[2]}"#, Self.end]
        #expect(try await run(both, ["SELECT 1; SELECT 2"]).0.output.hasSuffix("\\u001b[31mred\n\nx\n2\n"))
        #expect(try await run(both, ["SELECT", "-o", "csv"]).0.output.hasSuffix("red\n\nx\n2\n"))
        #expect(try await run(both, ["SELECT", "-o", "json"]).0.output.hasSuffix("\n[{\"x\":2}]\n"))
    }

    @Test func `what is missing is said`() async throws {
        let (cut, targets) = try await run(
            Self.lines + [#"{"type":"end","rows":2,"cut":true}"#], ["-n", "2", "SELECT 1"])
        #expect(cut.status == .done && targets == ["/v1/sql?n=2&statement=SELECT%201"])
        #expect(cut.errors == "glossctl: there are more than 2 rows: -n all, or -n NUMBER, shows more\n")
        let problem =
            #"{"type":"error","problem":{"type":"about:blank","title":"No","status":422,"detail":"It took too long."}}"#
        let (failed, _) = try await run(Self.lines + [problem], ["SELECT 1", "-o", "csv"])
        #expect(failed.status == .no && failed.errors == "glossctl: It took too long.\n")
        for beginning in ["{\"ty", String(Self.lines[1].dropLast(5))] {
            let (cut, _) = try await run(Self.lines + [beginning, problem], ["SELECT 1", "-o", "csv"])
            #expect(cut.status == .no && cut.errors == "glossctl: It took too long.\n")
            let (wrong, _) = try await run(Self.lines + [beginning, Self.end], ["SELECT 1", "-o", "csv"])
            #expect(wrong.status != .done && wrong.errors.contains("cannot be understood"), "\(wrong.errors)")
        }
        let (left, _) = try await run(Self.lines, ["SELECT 1"])
        #expect(left.status == .unreachable && left.errors.contains("ended the connection"))
        let text = String(repeating: "夕", count: 8000)
        for arguments in [["SELECT '\(text)'"], ["SELECT 1", "--user", text]] {
            let (long, sent) = try await run([], arguments)
            #expect(long.status == .no && sent.isEmpty)
            #expect(long.errors.contains("the statement and the filters take 70.3 KiB in a request"), "\(long.errors)")
        }
        #expect(try await run([], [".help"]).0.status == .wrongUsage)
        #expect(try await run([], ["  "]).0.status == .wrongUsage)
    }

    @Test(arguments: [".tables\nselect 1;", ".schema shop_buy\n\nselect 1;", ".tables x", ".tables select 1;"])
    func `what follows a command is refused`(text: String) async throws {
        let (run, sent) = try await run([], [], input: text)
        #expect(run.status == .wrongUsage && sent.isEmpty && run.output.isEmpty)
        #expect(run.errors.contains(text.hasPrefix(".tables") ? "glossctl: .tables: " : "glossctl: .schema: "))
    }

    @Test func `a row may be as long as the longest event`() async throws {
        let text = String(repeating: "x", count: 70 << 20)
        let (long, _) = try await run(
            [Self.lines[0], #"{"type":"row","values":["\#(text)",1,null]}"#, Self.end], ["SELECT 1", "-o", "csv"])
        #expect(long.status == .done && long.errors.isEmpty, "\(long.errors)")
        #expect(long.output.utf8.count == "event,n,note\n,1,\n".utf8.count + text.utf8.count)
    }

    @Test func `a statement may come from standard input`() async throws {
        let (run, targets) = try await run(Self.lines + [Self.end], [], input: "SELECT 1\nFROM events")
        #expect(run.status == .done && targets == ["/v1/sql?statement=SELECT%201%0AFROM%20events"])
    }

    @Test func `the schema is shown as SQL declares it`() async throws {
        let list = TableList(tables: [
            TableReply(
                name: "shop_buy", description: "shop/buy: 夕食\nを買う",
                columns: [
                    ColumnOfTable(name: "gloss_id", type: "INTEGER", description: "The number"),
                    ColumnOfTable(name: "day", type: "TEXT", description: "The day", hidden: true),
                    ColumnOfTable(name: "名前", type: "TEXT", description: "\u{1B}[31m"),
                ])
        ])
        let body = Array(try APICoding.encode(list))
        let daemon = try FakeDaemon { _ in .document(body) }
        defer { daemon.stop() }
        let schema = await Run.glossctl("--socket", daemon.socket, "sql", ".schema shop_buy;")
        #expect(daemon.requests.map(\.target) == ["/v1/tables?name=shop_buy"])
        #expect(
            schema.output == """
                -- shop/buy: 夕食 を買う
                CREATE TABLE shop_buy (
                    gloss_id INTEGER, -- The number
                    day      TEXT,    -- The day (not in SELECT *)
                    名前     TEXT     -- \\u001b[31m
                );

                """)
        let tables = await Run.glossctl("--socket", daemon.socket, "sql", "\n .tables;\n")
        #expect(tables.output == "table     rows are\nshop_buy  shop/buy: 夕食 を買う\n")
        let names = await Run.glossctl("--socket", daemon.socket, "sql", ".tables", "-o", "json")
        #expect(names.output == "[{\"table_name\":\"shop_buy\",\"description\":\"shop/buy: 夕食\\nを買う\"}]\n")
        let columns = await Run.glossctl("--socket", daemon.socket, "sql", ".schema shop_buy", "-o", "csv")
        #expect(
            lines(columns) == [
                "table_name,column_name,type,description", "shop_buy,gloss_id,INTEGER,The number",
                "shop_buy,day,TEXT,The day", "shop_buy,名前,TEXT,\u{1B}[31m",
            ])
    }

    @Test(arguments: [
        ("SELECT 1;", true), ("SELECT 1; -- one", true), ("SELECT 1; /* one */ ", true), ("SELECT ';' ;", true),
        ("SELECT 'it''s';", true), ("SELECT \"a", false), ("SELECT 'never closed;", true),
        ("SELECT 1", false), ("-- one;", false), ("-- one;\nSELECT 1", false), ("-- one;\nSELECT 1;", true),
        ("SELECT /* ; */", false), ("SELECT /* ;", false), ("SELECT ';'", false), ("SELECT [a;]", false),
        ("SELECT 1; SELECT 2", false), ("", false), ("SELECT 1 - 2;", true),
    ])
    func `a semicolon at the end ends a statement, not one in a comment or in quotes`(text: String, isEnded: Bool) {
        #expect(text.endsStatement == isEnded)
    }

    @Test func `at a prompt, statements may have several lines, and errors do not end it`() async throws {
        let typed = Mutex([
            "", "SELECT 1", "FROM events;", ".help", "SELECT 2 -- two;", ";", "nonsense;", "  .tables x", ".quit",
            "SELECT 3;",
        ])
        let prompts = Mutex<[String]>([])
        let remembered = Mutex<[String]>([])
        let output = Mutex("")
        let errors = Mutex("")
        let daemon = try FakeDaemon { request in
            request.target.contains("nonsense")
                ? .problem(422, "syntax error") : .lines((Self.lines + [Self.end]).map { Array($0.utf8) })
        }
        defer { daemon.stop() }
        let editor = LineEditor(
            readLine: { prompt in
                prompts.withLock { $0.append(prompt) }
                return typed.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            }, remember: { line in remembered.withLock { $0.append(line) } })
        let console = Console(
            environment: [:],
            output: ByteSink { bytes in output.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
            errors: ByteSink { bytes in errors.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
            lineEditor: { editor }, now: { Run.now })
        #expect(await Glossctl.run(["--socket", daemon.socket, "sql"], on: console) == .done)
        #expect(
            daemon.requests.map(\.target).prefix(3) == [
                "/v1/sql?statement=SELECT%201%0AFROM%20events%3B", "/v1/sql?statement=SELECT%202%20--%20two%3B%0A%3B",
                "/v1/sql?statement=nonsense%3B",
            ])
        #expect(errors.withLock { $0 }.contains("glossctl: syntax error\n"))
        #expect(errors.withLock { $0 }.contains("glossctl: .tables: nothing may follow"))
        #expect(prompts.withLock { $0.prefix(3) } == ["gloss> ", "gloss> ", "  ...> "])
        #expect(remembered.withLock { $0.prefix(3) } == ["SELECT 1\nFROM events;", ".help", "SELECT 2 -- two;\n;"])
        // What came after .quit was not read.
        #expect(typed.withLock { $0 } == ["SELECT 3;"])
        #expect(output.withLock { $0 }.contains("A statement ends with a semicolon"))
    }
}
