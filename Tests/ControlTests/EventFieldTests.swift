import API
import Foundation
import Model
import Predicates
import Testing

@testable import Control

struct EventFieldTests {
    private static let utc = Zone.utc

    /// The first event of the fixture that has a payload, with another payload.
    private func event(_ payload: String) throws -> EventLine {
        for case .event(var event) in try Fixture.streamLines() {
            guard case .payload = event.content else { continue }
            event.content = .payload(Array(payload.utf8))
            return event
        }
        throw ControlError.no("the fixture has no event")
    }

    @Test(
        arguments: [
            ("payload.a", "1.50"), ("payload.b.c", "x y"), ("payload.flat.name", "2"),
            ("payload.l[1].n", "3"),
            ("payload.l[0]", "[]"), (#"payload."x y""#, "5"), ("payload.b", #"{"c":"x y"}"#), ("payload.nul", "null"),
            ("payload.absent", nil), ("payload.l[9]", nil), ("payload.b.c.d", nil), ("payload.twice", "2"),
            ("payload.esc", #"é\n"#), ("payload.again.b", nil), ("payload.again.c", "2"),
            (#"payload."q\"uote""#, "v1"),
        ] as [(String, String?)])
    func `a parameter is found where it stands`(field: String, text: String?) throws {
        let event = try event(
            #"""
            {"a":1.50,"b":{"c":"x y"},"flat.name":2,"l":[[],{"n":3}],"x y":5,"nul":null,"twice":1,"twice":2,"esc":"\u00e9\n","again":{"b":1},"again":{"c":2},"q\"uote":"v1"}
            """#.trimmingCharacters(in: .newlines))
        #expect(try EventField(field).plain(of: event, Self.utc) == text)
    }

    @Test func `every key of predicates but roles is a field`() throws {
        let event = try event("{}")
        for field in [
            "id", "time", "level", "type", "pid", "subsystem", "event", "event.category", "resolution", "boot", "uid",
            "cursor", "payload", "unit", "violation.rule", "program_time", "message", "dictionary",
        ] {
            _ = try EventField(field).value(of: event, Self.utc)
        }
        #expect(try EventField("event").plain(of: event, Self.utc) == event.event?.description)
        #expect(try EventField("id").plain(of: event, Self.utc) == String(event.id))
        for field in ["user", "device", "", "a b", "a[x]", "user_id", "tme", "a[0]"] {
            #expect(throws: ControlError.self) { try EventField(field) }
        }
    }

    @Test func `a field needs no other members than it asks for`() throws {
        let names = PredicateKey.allCases.map(\.name) + EventField.names + ["payload.a", "payload.recipe_id"]
        let fields = names.compactMap { try? EventField($0) }
        #expect(fields.count > 25)
        for line in try Fixture.lines("events.ndjson") {
            guard case .event(let event) = try StreamLine.parse(line) else { continue }
            for field in fields {
                var reader = StreamLineReader(LineMembers(toRead: field.members))
                let part = try Fixture.part(of: line, LineMembers(toRead: field.members))
                guard case .event(let small) = try reader.read(part) else { continue }
                #expect(field.plain(of: small, .utc) == field.plain(of: event, .utc), "\(field.name)")
            }
        }
    }

    @Test(arguments: [
        ["-o", "short"], ["-o", "short", "--all", "--highlight", "id > 0"], ["-o", "short-iso", "--delta", "--diff"],
        ["-o", "cat"], ["-o", "csv"], ["-o", "markdown", "--fields", "time,payload.recipe_id"],
        ["--template", "{boot} {message} {violation.rule}"], ["-o", "full"], ["-o", "json"], ["-o", "ndjson"],
    ])
    func `only what is shown is asked for`(options: [String]) async throws {
        let lines = try Fixture.lines("events.ndjson").map { line in
            Array(
                String(decoding: line, as: UTF8.self).replacing(",\"id\":9,", with: ",\"id\":9,\"highlighted\":true,")
                    .utf8)
        }
        let arguments = ["show", "--utc", "--no-pager"] + options
        let keys = Array(
            try APICoding.encode(KeyCatalog(keys: [], parameters: [], users: ["user_id"], predicates: [])))
        @Sendable func answer(_ request: FakeDaemon.Request) -> FakeDaemon.Reply {
            guard !request.target.hasPrefix("/v1/keys") else { return .document(keys) }
            return (try? Fixture.answer(request, lines)) ?? .problem(500, "no fixture")
        }
        let daemon = try FakeDaemon { request in
            guard request.target.hasPrefix("/v1/events?") else { return answer(request) }
            let query = try? EventQuery(urlQuery: String(request.target.split(separator: "?")[1]))
            return .lines(lines.compactMap { try? Fixture.part(of: $0, query?.members ?? .all) })
        }
        defer { daemon.stop() }
        let whole = try FakeDaemon { answer($0) }
        defer { whole.stop() }
        let (some, all) = (
            await Run.glossctl(["--socket", daemon.socket] + arguments),
            await Run.glossctl(["--socket", whole.socket] + arguments)
        )
        #expect(some.output == all.output && some.errors == all.errors && some.status == all.status)
        #expect(some.output.contains("123456"))
        if options.contains("--highlight") { #expect(some.output.contains("\n> ") || some.output.hasPrefix("> ")) }
        let asksForAll = !daemon.requests.contains { $0.target.contains("members=") }
        #expect(asksForAll == ["full", "json", "ndjson"].contains(options.last))
    }

    @Test func `a quote that is escaped does not end a name`() throws {
        let event = try event(#"{"q\"uo}te,":"v1"}"#)
        let fields = try EventField.list(#"payload."q\"uo}te,",id"#)
        #expect(fields.map { $0.plain(of: event, Self.utc) } == ["v1", String(event.id)])
        #expect(try EventTemplate(#"<{payload."q\"uo}te,"}>"#).line(event, Self.utc) == "<v1>\n")
    }

    @Test func `rows are written as the format wants them`() throws {
        let event = try event("{\"a\":\"x,\\\"y\\\"|\\u001b\",\"n\":9007199254740993}")
        func row(_ form: EventTable.Form) throws -> String {
            let table = EventTable(
                form, of: try EventField.list("payload.a, payload.n,payload.z"), Style(width: 80))
            return String(decoding: table.heading + table.row(event), as: UTF8.self)
        }
        #expect(try row(.csv) == "payload.a,payload.n,payload.z\n\"x,\"\"y\"\"|\\u001b\",9007199254740993,\n")
        #expect(
            try row(.markdown)
                == "| payload.a | payload.n | payload.z |\n| --- | --- | --- |\n"
                + "| `x,\"y\"\\|\\u001b` | `9007199254740993` |  |\n")
        #expect(try row(.tabs) == "x,\"y\"|\\u001b\t9007199254740993\t\n")
        #expect(try row(.ndjson) == "{\"payload.a\":\"x,\\\"y\\\"|\\u001b\",\"payload.n\":9007199254740993}\n")
    }

    @Test func `a template is filled in`() throws {
        let event = try event(#"{"a":1}"#)
        let template = try EventTemplate(#"{{{payload.a}}}\t{level}|{payload."}z"}|"#)
        #expect(template.line(event, .utc) == "{1}\t\(event.effectiveLevel.name)||\n")
        #expect(try EventTemplate(#"C:\\temp\n\x\"#).line(event, .utc) == #"C:\temp"# + "\n" + #"\x\"# + "\n")
        for wrong in ["{a", "a}", "{user}", "{a b}"] {
            #expect(throws: ControlError.self) { try EventTemplate(wrong) }
        }
    }

    private func show(_ arguments: String...) async throws -> Run {
        let lines = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { (try? Fixture.answer($0, lines)) ?? .problem(500, "no fixture") }
        defer { daemon.stop() }
        return await Run.glossctl(["--socket", daemon.socket, "show"] + arguments)
    }

    @Test func `events are printed as tables and templates`() async throws {
        let csv = try await show("-o", "csv", "--utc")
        try expectSnapshot(csv.output, "events-csv")
        #expect(csv.output.hasPrefix("time,level,subsystem,event,resolution,message\n") && !csv.errors.isEmpty)
        let markdown = try await show("-o", "markdown", "--fields", "time,event,payload.user_id", "--utc")
        #expect(markdown.output.split(separator: "\n")[1] == "| --- | --- | --- |")
        let json = try await show("-o", "json", "--fields", "id,event", "--utc")
        let objects = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        #expect(objects?.first?["id"] is Int && objects?.count == csv.output.split(separator: "\n").count - 1)
        let findings = try await show("-o", "ndjson", "--fields", "violation.rule,violation.parameter", "--utc")
        let lists = try findings.output.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: [String]]
        }
        #expect(
            lists.contains {
                ($0["violation.rule"]?.count ?? 0) > 0
                    && $0["violation.rule"]?.count == $0["violation.parameter"]?.count
            })
        let text = try await show("--template", "{id}", "--utc")
        #expect(text.output.split(separator: "\n").allSatisfy { Int($0) != nil })
        #expect(try await show("--delta", "-o", "csv").status == .wrongUsage)
        let delta = try await show("--delta", "--utc")
        #expect(delta.output.contains("+0.500"))
        try expectSnapshot(delta.output, "events-delta")
    }

    @Test(arguments: [
        (["--template", "{x", "-n1"], "not closed"), (["--template", "x", "-o", "csv"], "does not go with"),
        (["--fields", "user", "-o", "csv"], "payload.NAME"),
        (["--fields", "tme"], "did you mean time? write payload.tme"),
        (["--fields", "id,user_id"], "there is no field user_id; write payload.user_id for a parameter of payloads"),
        (["--template", "{user_id}"], "there is no field user_id; write payload.user_id for a parameter of payloads"),
        (["--fields", "program_lime"], "did you mean program_time, program_level?"),
        (["--fields", "payload.a", "-o", "short-iso"], "--fields goes with"),
        (["--template", ""], "the text is empty"), (["--fields", "payload."], "the name of a parameter"),
        (["--fields", "payload.a..b"], "the name of a parameter"),
        (["--fields", #"payload."""#], "the name of a parameter"),
        (["--fields", "id,,b"], "field ''"), (["--fields", "id, id"], "id is there twice"),
    ])
    func `what cannot be printed is refused`(arguments: [String], reason: String) async throws {
        let lines = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { _ in .lines(lines) }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket, "show"] + arguments)
        #expect(run.status == .wrongUsage && run.errors.contains(reason), "\(run.errors)")
    }
}
