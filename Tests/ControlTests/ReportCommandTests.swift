import API
import Model
import TestSupport
import Testing

@testable import Control

@Suite struct ReportCommandTests {
    @Test func `all reports are summed up and explained`() async throws {
        let (run, requests) = try await ask("report") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(
            requests.map(\.target)
                == ["/v1/status"]
                + ["undefined", "unseen", "violations", "obsolete", "unkeyed", "malformed"].map {
                    "/v1/reports/\($0)?n=100"
                })
        #expect(run.errors.isEmpty)
        #expect(terminalControls(in: run.output) == [])
        try expectSnapshot(run.output, "report-pipe")
    }

    @Test func `a terminal gets the beginning of long lines`() async throws {
        let (run, _) = try await ask("report", width: 80, environment: ["NO_COLOR": "1"]) {
            try Fixture.answer($0, [])
        }
        for line in run.output.split(separator: "\n") { #expect(DisplayWidth.columns(line) <= 80) }
        try expectSnapshot(run.output, "report-80")
    }

    @Test func `filters reach the daemon as they were given`() async throws {
        let (_, requests) = try await ask(
            "report", "violations", "undefined", "--subsystem", "com.*", "--event", "x/*", "--last", "5m", "-n", "7",
            "--user", "1", "--device", "-d", "--where", "at.n=b", "--grep", "x+"
        ) { try Fixture.answer($0, []) }
        let query =
            "subsystem=com.%2A&event=x%2F%2A&since=1795186510000000&user=1&device=-d"
            + "&where=at.n%3Db&grep=x%2B&n=7"
        #expect(
            requests.dropFirst().map(\.target) == [
                "/v1/reports/undefined?\(query)", "/v1/reports/violations?\(query)",
            ])
    }

    @Test(arguments: [
        (1200, 5000, "are being reprocessed by changed definitions, 1,200 of 5,000 done"),
        // It is so after each start.
        (0, 0, "may have to be reprocessed by changed definitions"),
    ])
    func `reports of events that are being reprocessed say so`(
        done: Int64, total: Int64, expected: String
    ) async throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.reprocessing = .init(done: done, total: total)
        let body = Array(try APICoding.encode(status))
        for format in ["text", "json", "csv", "markdown"] {
            let (run, _) = try await ask("report", "violations", "-o", format) { request in
                request.target == "/v1/status" ? .document(body) : try Fixture.answer(request, [])
            }
            #expect(run.status == .done && !run.output.isEmpty)
            #expect(
                run.errors.hasPrefix("glossctl: the reports may change: stored events \(expected)\n"), "\(run.errors)")
        }
    }

    @Test(
        arguments: ["text", "markdown"],
        [
            ("--event", "a/*", "defined but never sent"),
            ("--level", "error", "defined but not among the events examined"),
            ("--last", "5m", "defined but not among the events examined"),
        ])
    func `what a filter leaves out is not called never sent`(
        output: String, filter: (option: String, value: String, meaning: String)
    ) async throws {
        let (run, _) = try await ask("report", "unseen", "-o", output, filter.option, filter.value) {
            try Fixture.answer($0, [])
        }
        #expect(run.output.split(separator: "\n").first?.hasSuffix(filter.meaning) == true, "\(run.output)")
    }

    @Test(arguments: [(100, "-n all"), (10_000, "narrow them by filters")])
    func `rows that are left out are counted, with what shows them`(count: Int, hint: String) async throws {
        let row =
            #"{"category":"c","name":"n","count":1,"first_seen":"2026-11-21T01:00:00Z","last_seen":"2026-11-21T01:00:00Z"}"#
        let rows = Array(repeating: row, count: count).joined(separator: ",")
        let reply = Array(
            #"{"report":"undefined","rows":[\#(rows)],"total":\#(count + 50),"scope":{"events":{}}}"#.utf8)
        let (run, _) = try await ask("report", "undefined", "-n", "all") { _ in .document(reply) }
        #expect(run.output.hasSuffix("… and 50 more (\(hint))\n"))
        let (csv, _) = try await ask("report", "undefined", "-n", "all", "-o", "csv") { _ in .document(reply) }
        #expect(csv.errors.contains("only the first"))
    }

    @Test(arguments: [
        ("undefind", "'undefind' is no report; did you mean undefined?"),
        ("Unseen,violation", "'Unseen,violation' is no report; did you mean unseen,violations?"),
        ("level", "'level' is no report: write undefined, "),
        ("unseen,x", "'unseen,x' is no report: write undefined, "),
    ])
    func `a word that is no report is answered with those that may be meant`(word: String, answer: String) async {
        let run = await Run.glossctl("report", word)
        #expect(run.status == .wrongUsage && run.errors.contains(answer), "\(run.errors)")
    }

    @Test func `json is what the daemon wrote`() async throws {
        let (run, requests) = try await ask("report", "unseen", "obsolete", "-o", "json") { try Fixture.answer($0, []) }
        #expect(
            requests.dropFirst().map(\.target) == ["/v1/reports/unseen?n=10000", "/v1/reports/obsolete?n=10000"])
        let replies = try ["unseen", "obsolete"].map { try Fixture.bytes("report-\($0).json") }
        #expect(
            Array(run.output.utf8) == Array("[".utf8) + replies[0] + Array(",".utf8) + replies[1] + Array("]\n".utf8))
    }

    @Test func `csv has one table whose rows all have the same fields`() async throws {
        let (run, _) = try await ask("report", "-o", "csv") { try Fixture.answer($0, []) }
        try expectSnapshot(run.output, "report-csv")
        #expect(run.errors == "glossctl: unseen: only the first 2 rows\n")
        let rows = CSV.rows(run.output)
        #expect(rows.allSatisfy { $0.count == 16 })
        // In a file, values are what they are.
        #expect(rows.contains { $0.contains("=cmd|'x'!A1") && $0.contains("a,\"b\"\u{1B}[31m`c`\nd") })
    }

    @Test func `markdown has a table for each report`() async throws {
        let (run, _) = try await ask("report", "-o", "markdown", "--utc") { try Fixture.answer($0, []) }
        try expectSnapshot(run.output, "report-markdown")
    }

    @Test(arguments: [
        ("a|b", "`a|b`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a``b`c", "```a``b`c```"), ("", ""),
        ("a\nb\u{1B}", #"`a\nb\u001b`"#), ("保存_する", "`保存_する`"), ("a`\u{301} @b", "``a`\u{301} @b``"),
        (" ", "` `"), ("   ", "`   `"), (" a ", "`  a  `"), (" a", "` a`"),
    ])
    func `a name is a code span that nothing in it can end`(name: String, expected: String) {
        #expect(MarkdownText.code(name) == expected)
        #expect(MarkdownText.codeInTable(name) == expected.replacing("|", with: "\\|"))
    }

    @Test func `text of a cell is text`() {
        #expect(MarkdownText.escaped("a | *b* <i>\n@c") == #"a \| \*b\* \<i\>\\n\@c"#)
        #expect(MarkdownText.escaped("a |\u{301} b").utf8.elementsEqual("a \\|\u{301} b".utf8))
    }
}

/// Takes a line of RFC 4180 apart.
private enum CSV {
    static func rows(_ text: String) -> [[String]] {
        var (rows, fields) = ([[String]](), [""])
        var isQuoted = false
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\"" where isQuoted && rest.first == "\"":
                rest.removeFirst()
                fields[fields.count - 1].append("\"")
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields.append("")
            case "\n" where !isQuoted:
                rows.append(fields)
                fields = [""]
            default: fields[fields.count - 1].append(character)
            }
        }
        return rows
    }
}
