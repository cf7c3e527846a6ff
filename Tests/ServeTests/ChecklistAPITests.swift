import API
import Foundation
import Model
import Store
import TestSupport
import Testing
import Watches

@testable import Serve

struct ChecklistAPITests {
    private static let list = "checklist: release\nitems: [recipe_detail/tap_save_button]"
    private static let hashed = EventDictionary(
        options: DictionaryOptions(name: "shop", path: "/x"), version: "0123456789abcdef",
        common: [Parameter(name: "user_id", type: .bigint, privacy: .hash, role: .user)], categories: [])

    private func reply(_ raw: RawReply) throws -> ChecklistReply {
        try APICoding.decode(ChecklistReply.self, from: Data(raw.body))
    }

    @Test func `a run is started, asked for, changed and removed`() async throws {
        try await withServer { server in
            let started = try await server.request("POST", "/v1/checklists?name=a%20b", body: Self.list)
            #expect(started.status == 200)
            #expect(try reply(started).name == "a b")
            #expect(try await server.request("POST", "/v1/checklists?name=a%20b", body: Self.list).status == 409)
            try await server.store.save(Sample.batch(3_600_001...3_600_003), journal: "machine")
            let shown = try reply(await server.get("/v1/checklists/a%20b"))
            #expect(shown.result == .done && shown.items[0].count == 3 && shown.text == Self.list)
            let scope = try APICoding.decode(
                ChecklistScope.self, from: Data(try await server.get("/v1/checklists/a%20b/scope").body))
            #expect(scope.scope.events == ["resolved": 3] && scope.programs.map(\.identifier) == ["shop"])
            #expect(!scope.beginsInFuture && scope.idleSources.isEmpty)
            #expect(try reply(await server.request("POST", "/v1/checklists/a%20b/reset")).items[0].count == 0)
            #expect(try reply(await server.request("POST", "/v1/checklists/a%20b/stop")).state == .stopped)
            #expect(try await server.get("/v1/checklists").text.contains(#""name":"a b""#))
            #expect(try await server.request("DELETE", "/v1/checklists/a%20b").status == 200)
            #expect(try await server.get("/v1/checklists/a%20b").status == 404)
        }
    }

    @Test func `a name that nothing ever had is unknown, also in the predicate of an item`() async throws {
        try await withServer { server in
            let list = """
                checklist: release
                items:
                  - {event: a/b, predicate: subsystem == com.exmaple.shop, never: true}
                  - {event: a/c, predicate: subsystem == com.exmaple.shop or category == Activity}
                """
            #expect(try await server.request("POST", "/v1/checklists", body: list).status == 200)
            let scope = try APICoding.decode(
                ChecklistScope.self, from: Data(try await server.get("/v1/checklists/release/scope").body))
            #expect(
                scope.scope.unknown == [
                    .init(parameter: "subsystem", value: "com.exmaple.shop"),
                    .init(parameter: "category", value: "Activity"),
                ])
        }
    }

    @Test func `an event that is not defined comes with the closest one that is`() async throws {
        try await withServer { server in
            server.daemon.meanings.use([Sample.dictionary])
            let list = "checklist: release\nitems: [recipe_detail/tap_save_buton, recipe_detail/tap_save_button, a/b]"
            #expect(try await server.request("POST", "/v1/checklists", body: list).status == 200)
            let shown = try reply(await server.get("/v1/checklists/release"))
            #expect(shown.items.map(\.isDefined) == [false, true, false])
            #expect(shown.items.map(\.closest) == ["recipe_detail/tap_save_button", nil, nil])
        }
    }

    @Test func `a source is idle while none of its events is stored, but not one of Gloss itself`() async throws {
        try await withServer { server in
            let shop = SourceRule(conditions: [], name: nil, text: "shop")
            var diagnostics = SourceRule(conditions: [], name: nil, text: "glossd's diagnostics")
            diagnostics.isOwn = true
            server.daemon.set(rules: [diagnostics, SourceRule(excluding: [], text: "others"), shop])
            #expect(try await server.request("POST", "/v1/checklists", body: Self.list).status == 200)
            let scope = try APICoding.decode(
                ChecklistScope.self, from: Data(try await server.get("/v1/checklists/release/scope").body))
            #expect(scope.idleSources == ["shop"])
        }
    }

    @Test(arguments: [
        ("predicate=level%20%3E%3D%20err", "level >= err"), ("user=42", #"user == "42""#),
        ("user=42&predicate=level%20%3E%3D%20err", #"user == "42" and (level >= err)"#),
    ])
    func `a predicate stays as it was written where it is alone`(query: String, predicate: String) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.hashed])
            _ = try await server.request("POST", "/v1/checklists?\(query)", body: Self.list)
            #expect(try await server.checklists.reply("release").predicate == predicate)
        }
    }

    @Test(arguments: [
        ("", "items: []", 422, "the list has no items"), ("", "", 422, "is not UTF-8"),
        ("?format=markdown", "- [] a/b", 422, "write `- [ ] CATEGORY/NAME`"),
        ("?predicate=x", "items: [a/b]", 422, "x"), ("?user=1", "items: [a/b]", 422, "role user"),
        ("?predicate=level%20%3D%3D%20err)%20or%20(level%20%3D%3D%20info", "items: [a/b]", 422, "predicate"),
        ("?since=soon", "items: [a/b]", 400, "since"), ("?name=a%2Fb", "items: [a/b]", 400, "the name has a /"),
        ("?file=%00", "items: {", 422, "not YAML"),
    ])
    func `what is wrong is said`(query: String, body: String, status: Int, reason: String) async throws {
        try await withServer { server in
            let raw = try await server.request("POST", "/v1/checklists\(query)", body: body)
            #expect(raw.status == status && raw.text.contains(reason), "\(raw.status) \(raw.text)")
        }
    }

    /// The lines that have come; waits until there are that many.
    private func lines(_ count: Int, from client: RawClient, _ bytes: inout [UInt8]) async throws -> [String] {
        while true {
            if let reply = try? RawReply(bytes), reply.lines.count >= count { return reply.lines }
            bytes += try await client.receive()
        }
    }

    @Test func `each change is a line, until the run is removed`() async throws {
        try await withServer { server in
            let counting = Task { await server.checklists.run() }
            _ = try await server.request("POST", "/v1/checklists", body: Self.list)
            let client = try await server.connect()
            _ = try await client.send("GET /v1/checklists/release/changes HTTP/1.1\r\nHost: x\r\n\r\n")
            var bytes: [UInt8] = []
            let missing = try await lines(1, from: client, &bytes)[0]
            #expect(missing.contains(#""result":"missing""#) && !missing.contains(#""text""#))
            try await server.store.save(Sample.batch(3_600_001...3_600_001), journal: "machine")
            #expect(try await lines(2, from: client, &bytes)[1].contains(#""result":"done""#))
            _ = try await server.request("DELETE", "/v1/checklists/release")
            #expect(try await lines(3, from: client, &bytes)[2].hasPrefix(#"{"type":"error""#))
            // It took as long as its client wanted, and is no slow request.
            let end = Array("\r\n0\r\n\r\n".utf8)
            while bytes.firstRange(of: end) == nil { bytes += try await client.receive() }
            // What ended before is recorded by then.
            _ = try await server.get("/v1/gaps")
            #expect(try await eventually { try await server.scrape().text.contains("route=\"/v1/gaps\"") })
            #expect(try await server.scrape().text.contains("/changes") == false)
            counting.cancel()
            await counting.value
        }
    }

    @Test func `the closest event is looked for again when the dictionaries have changed`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.dictionary])
            let counting = Task { await server.checklists.run() }
            let list = "checklist: release\nitems: [recipe_detail/tap_save_buton, recipe_detail/tap_save_button]"
            _ = try await server.request("POST", "/v1/checklists", body: list)
            let client = try await server.connect()
            _ = try await client.send("GET /v1/checklists/release/changes HTTP/1.1\r\nHost: x\r\n\r\n")
            var bytes: [UInt8] = []
            let first = try await lines(1, from: client, &bytes)[0]
            #expect(first.contains(#""closest":"recipe_detail/tap_save_button""#))
            server.daemon.set(dictionaries: [Sample.defining([Sample.definition("recipe_detail/tap_save_buto")])])
            try await server.store.save(Sample.batch(3_600_001...3_600_001), journal: "machine")
            let second = try await lines(2, from: client, &bytes)[1]
            #expect(second.contains(#""closest":"recipe_detail/tap_save_buto""#))
            counting.cancel()
            await counting.value
        }
    }

    /// A connection whose other end is unknown counts as a caller that may not read the journal.
    @Test func `only callers that may read the journal ask for hashed values, and see who did`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.hashed])
            let api = ControlAPI(
                options: ControlOptions(
                    socket: server.socket, mode: 0o666, adminGroup: nil, maximumTails: 1, maximumBodyBytes: 1000,
                    maximumTailLag: 1),
                store: server.store, daemon: server.daemon)
            let stranger = ControlContext(source: .init(channel: nil))
            // This test's own user may read the journal.
            #expect(try await server.request("POST", "/v1/checklists?user=42", body: Self.list).status == 200)
            let reply = try await server.checklists.reply("release")
            #expect(reply.predicate == #"user == "42""# && reply.text == Self.list)
            let shown = try await api.shown(reply, to: stranger)
            #expect(shown.predicate == nil && shown.text == nil)
            let secret = """
                checklist: secret
                items: [{event: a/b, predicate: user == 42}, {event: a/c, name: c}]
                orders: [[c, a/b]]
                funnels: [{name: f, steps: [a/b, c]}]
                """
            #expect(try await server.request("POST", "/v1/checklists", body: secret).status == 200)
            let hidden = try await api.shown(try await server.checklists.reply("secret"), to: stranger)
            #expect(hidden.items.map(\.name) == ["a/b (1)", "c"] && hidden.funnels[0].steps[0].name == "a/b (1)")
            #expect(!String(decoding: try APICoding.encode(hidden), as: UTF8.self).contains("42"))
            // The name of a hidden item may be a part of the sentence, or of another name.
            let short = """
                checklist: short
                items: [{event: a/b, name: s, predicate: user == 42}, {event: a/c, name: bees}]
                orders: [[s, bees]]
                """
            #expect(try await server.request("POST", "/v1/checklists", body: short).status == 200)
            var failed = try await server.checklists.reply("short")
            failed.orders[0].problem = .steps(later: "bees", "was sent before", earlier: "s")
            let order = try await api.shown(failed, to: stranger).orders[0]
            #expect(order.steps == ["a/b (1)", "bees"])
            #expect(order.problem?.description == "bees was sent before a/b (1)")
        }
    }

    @Test func `alerts are listed, tried, tested and silenced`() async throws {
        try await withServer { server in
            let rule = AlertRule(
                name: "taps", predicate: "event == recipe_detail/tap_save_button",
                condition: .count(2, within: .seconds(60)), notify: ["chat"])
            try await server.alerts.use([rule])
            #expect(try await server.get("/v1/alerts").text.contains(#""when":"2 events in 1 min""#))
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            let trial = try await server.request("POST", "/v1/alerts/taps/trial?since=0")
            #expect(trial.text.contains("taps: 2 events in 1 min"))
            let text = "alerts: [{name: other, predicate: level >= notice, when: {count: 3, within: 1s}}]"
            #expect(
                try await server.request("POST", "/v1/alerts/other/trial?since=0", body: text).text.contains(
                    "other: 3 events in 1 s"))
            #expect(try await server.request("POST", "/v1/alerts/other/trial").status == 404)
            // A file without rules does not mean the rule in force.
            #expect(try await server.request("POST", "/v1/alerts/taps/trial?since=0&file=a.yaml").status == 404)
            #expect(try await server.request("POST", "/v1/alerts/x/trial", body: "alerts: [{name: x}]").status == 422)
            let wrong = try await server.request(
                "POST", "/v1/alerts/x/trial?file=r.yaml",
                body: "alerts:\n- {name: x, predicate: lvel >= error, when: first}")
            #expect(wrong.status == 422 && wrong.text.contains("r.yaml:2: error: alert x: there is no key and no"))
            #expect(!wrong.text.contains(#""parameter""#))
            #expect(try await server.request("POST", "/v1/alerts/taps/test").status == 200)
            #expect(try await server.get("/v1/alerts/history?alert=taps&n=1").text.contains(#""state":"test""#))
            #expect(try await server.get("/v1/alerts/history?n=501").status == 400)
            for _ in 0..<2 { _ = try await server.request("POST", "/v1/alerts/taps/test") }
            var (query, pages) = (NoticeQuery(), [NoticeList]())
            query.limit = 2
            repeat {
                let reply = try await server.get(APIPath.notices(query))
                pages.append(try APICoding.decode(NoticeList.self, from: Data(reply.text.utf8)))
                query.before = pages.last?.next
            } while query.before != nil
            #expect(pages.map { $0.notices.map(\.id) } == [[3, 2], [1]])
            #expect(pages.flatMap(\.notices).allSatisfy { $0.deliveries.map(\.notifier) == ["chat"] })
            #expect(
                try await server.request("POST", "/v1/alerts/taps/silence?until=4102444800000000").text.contains(
                    #""silenced_until""#))
        }
    }
}
