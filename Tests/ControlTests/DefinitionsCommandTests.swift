import Model
import API
import TestSupport
import Testing

@testable import Control

@Suite struct DefinitionsCommandTests {
    private static let shop = "/v1/dictionaries/shop"

    /// A daemon with two dictionaries, `shop` and `web`, which has the same definitions.
    @Sendable private static func two(_ request: FakeDaemon.Request) throws -> FakeDaemon.Reply {
        guard request.target != "/v1/dictionaries" else {
            let all = ["shop", "web"].map { #"{"name":"\#($0)","subsystem":"*","category":"*"}"# }
            return .document(Array(#"{"dictionaries":[\#(all.joined(separator: ","))]}"#.utf8))
        }
        let target = request.target.replacing("/web/", with: "/shop/")
        let reply = try Fixture.answer(FakeDaemon.Request(method: "GET", target: target), [])
        guard target != request.target, case .document(let body, 200, _) = reply else { return reply }
        let text = String(decoding: body, as: UTF8.self)
        return .document(Array(text.replacing(#""dictionary": "shop""#, with: #""dictionary": "web""#).utf8))
    }

    @Test func `definitions are listed with what came of them`() async throws {
        let (run, requests) = try await ask("definitions") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(requests.map(\.target) == ["/v1/dictionaries", "\(Self.shop)/definitions?n=10000"])
        try expectSnapshot(run.output, "definitions-pipe")
        let (list, _) = try await ask("definitions", "list") { try Fixture.answer($0, []) }
        #expect(list.output == run.output)
    }

    @Test func `a terminal gets the beginning of long lines`() async throws {
        let (run, _) = try await ask(
            "definitions", "--utc", width: 80, environment: ["NO_COLOR": "1"], answer: Self.two)
        for line in run.output.split(separator: "\n") { #expect(DisplayWidth.columns(line) <= 80) }
        try expectSnapshot(run.output, "definitions-80-two")
    }

    @Test func `a state and a dictionary are asked for`() async throws {
        let (_, requests) = try await ask("definitions", "--state", "unseen", "--dictionary", "web", answer: Self.two)
        #expect(
            requests.map(\.target)
                == ["/v1/dictionaries", "/v1/dictionaries/web/definitions?state=unseen&n=10000"])
    }

    @Test(arguments: ["definitions", "search save", "definitions versions", "definitions show search/start"])
    func `a dictionary is asked for only if it covers what the other options say`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init) + ["--dictionary", "shop", "--subsystem", "org.other"]
        let daemon = try FakeDaemon { (try? Fixture.answer($0, [])) ?? .problem(500, "") }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + words)
        #expect(run.status == .no && daemon.requests.map(\.target) == ["/v1/dictionaries"])
        #expect(run.errors.hasPrefix("glossctl: no dictionary covers subsystem org.other: shop covers "))
    }

    @Test func `definitions are listed by their keys`() async throws {
        func names(_ arguments: String...) async throws -> [String] {
            let daemon = try FakeDaemon { (try? Fixture.answer($0, [])) ?? .problem(500, "") }
            defer { daemon.stop() }
            let run = await Run.glossctl(["--socket", daemon.socket, "definitions"] + arguments)
            #expect(run.status == .done, "\(run.errors)")
            let rows = run.output.split(separator: "\n").dropFirst()
            return rows.compactMap { $0.split(separator: " ").first.map(String.init) }
        }
        let detail = ["recipe_detail/tap_save_button", "recipe_detail/old_event"]
        #expect(try await names("--event", "recipe_detail/*") == detail)
        let several = try await names("list", "--event", "*/start", "--event", "recipe_detail/tap*")
        #expect(several == [detail[0], "search/start"])
        let (json, _) = try await ask("definitions", "--event", "search/*", "-o", "json") { try Fixture.answer($0, []) }
        let lists = try ControlClient.decode([DefinitionList].self, Array(json.output.utf8))
        #expect(lists.map(\.total) == [1] && lists.flatMap(\.keys).map(\.description) == ["search/start"])
    }

    @Test(arguments: [
        ("recipe_detial/*", "did you mean recipe_detail/*?"),
        ("recipe_detail/tap_save_buton", "did you mean recipe_detail/tap_save_button?"),
        ("shop/*", "glossctl search WORDS looks for words"),
    ])
    func `a key that no definition has is answered with near ones`(event: String, hint: String) async throws {
        let (run, _) = try await ask("definitions", "--event", event) { try Fixture.answer($0, []) }
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: no definition has the key \(event); \(hint)\n")
        let name = await Run.glossctl("definitions", "--event", "checkout")
        #expect(name.status == .wrongUsage)
        #expect(name.errors.contains("--event checkout: write CATEGORY/NAME, such as 'checkout/*' or '*/checkout'"))
    }

    @Test func `a category of events may be meant where one of journal entries stands`() async throws {
        for format in ["text", "json"] {
            let (run, _) = try await ask("definitions", "--category", "search", "-o", format, answer: Self.two)
            #expect(run.status == .done && !run.output.isEmpty)
            #expect(
                run.errors == """
                    glossctl: --category is about journal entries. For the category of events search, write \
                    --event 'search/*'

                    """)
        }
        let (other, _) = try await ask("definitions", "--category", "other", answer: Self.two)
        #expect(other.status == .done && other.errors.isEmpty)
    }

    @Test func `json is what the daemon wrote, page by page`() async throws {
        let page = #"{"dictionary":"shop","next":"a/b"}"#
        let last = #"{"dictionary":"shop"}"#
        let (run, requests) = try await ask("definitions", "-o", "json") { request in
            switch request.target {
            case "/v1/dictionaries": try Fixture.answer(request, [])
            case "\(Self.shop)/definitions?n=10000": .document(Array(page.utf8))
            case "\(Self.shop)/definitions?n=10000&after=a%2Fb": .document(Array(last.utf8))
            default: .problem(404, "not found")
            }
        }
        #expect(run.output == "[\(page),\(last)]\n")
        #expect(requests.count == 3)
    }

    @Test func `keys are completed by those of all pages`() async throws {
        func page(_ name: String, _ next: String) -> FakeDaemon.Reply {
            let definitions = #"[{"name":"\#(name)"},{"name":"\#(name)2"}]"#
            return .document(Array(#"{"categories":[{"name":"a","definitions":\#(definitions)}]\#(next)}"#.utf8))
        }
        let pages = [page("b", #","next":"a/b2""#), page("c", "")]
        let daemon = try FakeDaemon { request in
            switch request.target {
            case "/v1/dictionaries": (try? Fixture.answer(request, [])) ?? .problem(500, "")
            case "\(Self.shop)/definitions?n=10000": pages[0]
            case "\(Self.shop)/definitions?n=10000&after=a%2Fb2": pages[1]
            default: .problem(404, "not found")
            }
        }
        defer { daemon.stop() }
        let keys = try await Completions.definitionKeys(ControlClient(socket: daemon.socket))
        #expect(keys == ["a/b", "a/b2", "a/c", "a/c2"])
    }

    @Test func `a page that leads to itself is not asked for again`() async throws {
        let (run, requests) = try await ask("definitions", "-o", "json") { request in
            guard request.target != "/v1/dictionaries" else { return try Fixture.answer(request, []) }
            return .document(Array(#"{"next":"a/b"}"#.utf8))
        }
        #expect(run.status == .done)
        #expect(requests.count == 3)
    }

    @Test func `a dictionary without definitions is reported as empty`() async throws {
        let (run, _) = try await ask("definitions", "--state", "obsolete") { request in
            guard request.target != "/v1/dictionaries" else { return try Fixture.answer(request, []) }
            return .document(
                Array(
                    #"{"dictionary":"shop","version":"0","key":[],"common_parameters":[],"categories":[],"total":0}"#
                        .utf8))
        }
        #expect(run.status == .done)
        #expect(run.output == "No definitions.\n")
        let (none, _) = try await ask("definitions") { _ in .document(Array(#"{"dictionaries":[]}"#.utf8)) }
        #expect(none.status == .no)
        #expect(none.errors == "glossctl: there is no dictionary: see dictionaries in gloss.yaml\n")
    }

    @Test func `an old way to ask for one definition is answered with the new one`() async {
        let run = await Run.glossctl("definitions", "recipe_detail/tap_save_button")
        #expect(run.status == .wrongUsage)
        #expect(run.errors.contains("write glossctl definitions show CATEGORY/NAME"))
    }

    @Test func `one definition is shown with all that is known of it`() async throws {
        let key = "recipe_detail/tap_save_button"
        let (run, _) = try await ask("definitions", "show", key) { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(terminalControls(in: run.output) == [])
        try expectSnapshot(run.output, "definition-pipe")
        let (json, _) = try await ask("definitions", "show", key, "-o", "json") { try Fixture.answer($0, []) }
        #expect(Array(json.output.utf8) == (try Fixture.bytes("definition.json")) + [UInt8(ascii: "\n")])
    }

    @Test func `columns are listed if their names differ from the paths, without the object with the parameters`()
        async throws
    {
        let flat = String(decoding: try Fixture.bytes("definition.json"), as: UTF8.self)
            .replacing("\"device.os\"", with: "\"device_os\"")
            .replacing("\"device.device_id\"", with: "\"device_device_id\"")
        let inObject = flat.replacing("\"path\": \"", with: "\"path\": \"properties.")
            .replacing("{\n \"dictionary\"", with: "{\n \"parameters_at\": \"properties\",\n \"dictionary\"")
        let renamed = inObject.replacing("\"column\": \"source\"", with: "\"column\": \"source_2\"")
        for (text, rows) in [(flat, []), (inObject, []), (renamed, ["  properties.source  source_2"])] {
            let (run, _) = try await ask("definitions", "show", "recipe_detail/tap_save_button") { request in
                request.target.hasSuffix("tap_save_button")
                    ? .document(Array(text.utf8)) : try Fixture.answer(request, [])
            }
            #expect(run.status == .done)
            let lines = run.output.split(separator: "\n").map(String.init)
            let listed = lines.drop { $0 != "Columns with other names in SQL" }.dropFirst(2).prefix { $0 != "Links" }
            #expect(Array(listed) == rows)
        }
    }

    @Test(arguments: ["", "/show", "recipe/"])
    func `a key with an empty part is answered with what to write`(key: String) async {
        let run = await Run.glossctl("definitions", "show", key)
        #expect(run.status == .wrongUsage)
        #expect(run.errors.contains("write CATEGORY/NAME, such as recipe_detail/tap_save_button"), "\(run.errors)")
    }

    @Test func `a parameter with a long name does not push its description to the edge`() async throws {
        let name = String(repeating: "long_", count: 12)
        let (run, _) = try await ask("definitions", "show", "recipe_detail/tap_save_button", width: 80) { request in
            guard case .document(let body, let status, let type) = try Fixture.answer(request, []) else {
                return .problem(404, "not found")
            }
            let text = String(decoding: body, as: UTF8.self)
                .replacing("\"keyword\"", with: "\"\(name)\"")
                .replacing("What was searched for before", with: String(repeating: "検索したときの語。", count: 10))
            return .document(Array(text.utf8), status: status, type: type)
        }
        let lines = run.output.replacing(#/\e\[\d*m/#, with: "").split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("  \(name)  !string? 256") })
        #expect(lines.filter { $0.contains("検索したとき") }.allSatisfy { $0.hasPrefix("      ") })
        #expect(lines.allSatisfy { $0.contains("\u{1B}") || DisplayWidth.columns($0) <= 80 })
    }

    @Test func `a terminal opens the links`() async throws {
        let (run, _) = try await ask("definitions", "show", "recipe_detail/tap_save_button", width: 80) {
            try Fixture.answer($0, [])
        }
        let sql = "https://sql.example.com/?q=recipe_detail%2Ftap_save_button"
        #expect(run.output.contains("\u{1B}]8;;\(sql)\u{1B}\\"))
        // The escape character that a link tries to bring in.
        #expect(run.output.contains("\u{1B}]8;;https://wiki.example.com/recipe_detail%1B]8;;x\u{1B}\\"))
        try expectSnapshot(run.output.replacing("\u{1B}", with: "ESC"), "definition-80-colour")
    }

    @Test func `a definition that is in two dictionaries needs the dictionary's name`() async throws {
        let key = "recipe_detail/tap_save_button"
        let (run, _) = try await ask("definitions", "show", key, answer: Self.two)
        #expect(run.status == .wrongUsage)
        #expect(
            run.errors == "glossctl: \(key) is defined in 2 dictionaries, shop, web: say in which with --dictionary\n")
        let (one, _) = try await ask("definitions", "show", key, "--dictionary", "web", answer: Self.two)
        #expect(one.status == .done)
    }

    @Test func `a definition that does not exist is answered with near ones`() async throws {
        let (run, _) = try await ask("definitions", "show", "recipe_detial/tap_save_buton") {
            try Fixture.answer($0, [])
        }
        #expect(run.status == .no)
        #expect(
            run.errors == """
                glossctl: recipe_detial/tap_save_buton: no such definition in dictionary shop
                Similar definitions:
                  recipe_detail/tap_save_button

                """)
        let (none, _) = try await ask("definitions", "show", "completely/different", answer: Self.two)
        #expect(
            none.errors == """
                glossctl: completely/different: no such definition in 2 dictionaries
                glossctl search WORDS looks for words.

                """)
    }

    @Test func `a name is enough if it is the only one`() async throws {
        let (run, requests) = try await ask("definitions", "show", "tap_save_button") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(requests.last?.target == "\(Self.shop)/definitions/recipe_detail/tap_save_button")
        let text = String(decoding: try Fixture.bytes("definitions.json"), as: UTF8.self)
        let twice = text.replacing(#""name": "start""#, with: #""name": "old_event""#)
        let (several, _) = try await ask("definitions", "show", "old_event") { request in
            request.target.contains("definitions?") ? .document(Array(twice.utf8)) : try Fixture.answer(request, [])
        }
        #expect(several.status == .wrongUsage)
        #expect(
            several.errors
                == "glossctl: old_event is the name of several: write one of recipe_detail/old_event, search/old_event\n"
        )
    }

    @Test(arguments: [
        ("tap_save_buton", Outcome.no, "Similar definitions:\n  recipe_detail/tap_save_button\n"),
        ("search", .wrongUsage, "search is a category: glossctl definitions --event 'search/*' lists it\n"),
        ("nothing", .no, "nothing: no such definition in dictionary shop\nglossctl search WORDS looks for words.\n"),
    ])
    func `a name that no definition has is answered with what is meant`(
        name: String, status: Outcome, hint: String
    ) async throws {
        let (run, _) = try await ask("definitions", "show", name) { try Fixture.answer($0, []) }
        #expect(run.status == status && run.errors.hasSuffix(hint), "\(run.errors)")
    }

    @Test func `a definition with an error is said to have one`() async throws {
        let detail = "recipe/share of the dictionary shop is not in force: its definition has an error: recipe.md:10"
        let (run, _) = try await ask("definitions", "show", "recipe/share", "--dictionary", "shop") {
            $0.target.hasSuffix("/definitions/recipe/share") ? .problem(422, detail) : try Fixture.answer($0, [])
        }
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: \(detail)\n")
    }

    @Test func `a dictionary that does not exist is answered with those that do`() async throws {
        for arguments in [["definitions"], ["search", "x"], ["definitions", "versions"]] {
            let daemon = try FakeDaemon { (try? Fixture.answer($0, [])) ?? .problem(500, "") }
            defer { daemon.stop() }
            let run = await Run.glossctl(["--socket", daemon.socket] + arguments + ["--dictionary", "web"])
            #expect(run.status == .no)
            #expect(run.errors == "glossctl: no dictionary is called web: there are shop\n")
        }
    }

    @Test func `versions are listed with the one in force marked`() async throws {
        let (run, _) = try await ask("definitions", "versions") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        try expectSnapshot(run.output, "versions")
        let (json, _) = try await ask("definitions", "versions", "-o", "json") { try Fixture.answer($0, []) }
        #expect(Array(json.output.utf8) == Array("[".utf8) + (try Fixture.bytes("versions.json")) + Array("]\n".utf8))
    }
}
