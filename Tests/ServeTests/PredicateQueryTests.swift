import API
import Foundation
import Model
import Predicates
import Store
import TestSupport
import Testing

@testable import Serve

/// Events by a predicate.
struct PredicateQueryTests {
    private static let dictionary = Sample.defining(
        [Sample.definition("account/sign_in", "Signed in.", [Parameter(name: "owner", type: .bigint, role: .user)])],
        common: [
            Parameter(name: "user_id", type: .bigint, privacy: .hash, role: .user),
            Parameter(name: "app_version", type: .string()),
        ])

    private static let sent = [
        Sample.Sent("account/sign_in", payload: #"{"user_id":"\#(Sample.hash("42"))","app_version":"25.4"}"#),
        Sample.Sent("account/sign_in", payload: #"{"owner":42,"app_version":"25.10","items":[{"price":3}]}"#),
        Sample.Sent("account/sign_in", payload: #"{"owner":7,"device":{"os":17.1}}"#),
        Sample.Sent("account/sign_in", .plain, payload: "plain 42"),
    ]

    private static func query(_ predicate: String) -> String {
        let text = predicate.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "predicate=\(text)"
    }

    @Test(arguments: [
        ("user == 42", ["event 2", "event 1"]), ("app_version > 25.4", ["event 2"]), ("not exists user", ["event 4"]),
        ("owner in {7, 8} or user_id = 42", ["event 3", "event 1"]), ("payload.items[0].price >= 3", ["event 2"]),
        ("payload.device.os < 18 and s like *", ["event 3"]), ("m:42 and not exists app_version", ["event 4"]),
        ("time > -1h and time < now", []), ("id > 2", ["event 4", "event 3"]), ("user != 42", ["event 4", "event 3"]),
        (#"message matches "^plain \d+$""#, ["event 4"]),
        ("journal.NUMBER == 2", ["event 2"]), ("journal.NUMBER >= 1", ["event 4", "event 2"]),
        ("journal.TWICE in {4, x4}", ["event 4"]), ("not exists journal.NUMBER", ["event 3", "event 1"]),
        ("journal.TWICE beginswith x and owner == 42 or id == 1", ["event 2", "event 1"]),
        ("journal.OTHER exists", []),
    ])
    func `events are found by what a predicate says`(predicate: String, found: [String]) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            #expect(try await server.get("/v1/events?\(Self.query(predicate))").summaries() == found)
            let both = try await server.get("/v1/events?\(Self.query(predicate))&where=owner=7").summaries()
            #expect(both == found.filter { $0 == "event 3" })
        }
    }

    @Test(arguments: [
        ("journal._exe = 42", "a journal field has capital letters"), ("journal.A[0] = 1", "a journal field has"),
        ("ownr = 42", "there is no key and no defined parameter ownr; did you mean owner?"),
        ("level = loud", "a level is one of emerg"), ("level >=", "is not understood: expected a value"),
        ("device = d1", "no definition has a parameter with the role device"),
        ("m matches '('", "is not a regular expression"),
        (
            "level = info and (m contains '(' or m matches a|'(')",
            "a|'(')\n                                                  ^^^"
        ),
        (String(repeating: "(", count: 300), "nested deeper"),
    ])
    func `a predicate that cannot be answered is refused with the place`(predicate: String, reason: String) async throws
    {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            for path in ["/v1/events", "/v1/reports/undefined"] {
                let reply = try await server.get("\(path)?\(Self.query(predicate))")
                #expect(reply.status == 422)
                let detail = try reply.object()["detail"] as? String
                #expect(detail?.contains(reason) == true, "\(detail ?? "")")
                #expect(detail?.contains("\n") == true && detail?.contains("^") == true)
            }
        }
    }

    /// A connection whose other end is unknown counts as a caller that may not read the journal.
    @Test(arguments: [
        ("journal.MESSAGE contains a", 403), ("user = 42", 403), ("not user_id in {42}", 403),
        (#"user_id ==[c] "\#(Sample.hash("42"))""#, 200), (#"user_id == "<hash:42>""#, 403), ("owner = 42", 200),
        (#"payload.list[0]."a.user_id" = 42"#, 403), ("payload.a.user_id = 42", 403),
        ("user_id contains hash", 200), ("payload.list[0].user_id = 42", 403), ("owner = 1 or user_id = 42", 403),
    ])
    func `only callers that may read the journal ask for the plain text of hashed values`(
        predicate: String, status: Int
    ) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let api = ControlAPI(
                options: ControlOptions(
                    socket: server.socket, mode: 0o666, adminGroup: nil, maximumTails: 1, maximumBodyBytes: 1,
                    maximumTailLag: 1),
                store: server.store, daemon: server.daemon)
            var found = 200
            do {
                var filter = EventFilter()
                filter[.predicate] = [predicate]
                _ = try await api.predicate(filter, from: ControlContext(source: .init(channel: nil)))
            } catch let problem as Problem {
                found = problem.status
            }
            #expect(found == status)
        }
    }

    @Test func `a tail takes a predicate`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let tail = try await TailClient(server, "\(Self.query("app_version >= 25.4 and not owner = 7"))&n=0")
            #expect(try await tail.status() == 200)
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["event 1", "event 2"])
        }
    }

    private static func defining(_ privacy: Privacy = .public, userIs user: String) -> EventDictionary {
        Sample.defining(
            [],
            common: ["session", "user_id"].map { name in
                Parameter(
                    name: name, type: .bigint, privacy: name == "session" ? privacy : .public,
                    role: name == user ? .user : nil)
            })
    }

    /// The second payload has what the first one is found by, in the form or at the place that changed definitions say.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("session = 7", #"{"session":7}"#, #"{"session":"\#(Sample.hash("7"))"}"#),
            ("user = 7", #"{"session":7,"user_id":1}"#, #"{"session":1,"user_id":7}"#),
            ("@of_user", #"{"session":7,"user_id":1}"#, #"{"session":1,"user_id":7}"#),
        ])
    func `a tail selects and marks by the definitions and names that are in force`(
        predicate: String, first: String, second: String
    ) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.defining(userIs: "session")])
            server.daemon.set(predicates: ["of_user": "session = 7"])
            let query = Self.query(predicate)
            let tail = try await TailClient(server, "\(query)&n=0")
            let marking = try await TailClient(server, "\(query.replacing("predicate=", with: "highlight="))&n=0")
            for client in [tail, marking] { #expect(try await client.status() == 200) }
            func send(_ payloads: String..., from seqnum: UInt64) async throws {
                let sent = payloads.map { Sample.Sent("account/sign_in", payload: $0) }
                try await server.store.save(Sample.batch(sent, from: seqnum), journal: "machine")
            }
            try await send(first, from: 1)
            #expect(try await tail.lines(1).map(\.summary) == ["event 1"])
            _ = try await marking.lines(1)
            server.daemon.set(dictionaries: [Self.defining(.hash, userIs: "user_id")])
            server.daemon.set(predicates: ["of_user": "user_id = 7"])
            try await send(#"{"session":2,"user_id":2}"#, second, from: 2)
            #expect(try await tail.lines(2).map(\.summary) == ["event 1", "event 3"])
            let marked = try await marking.lines(3).map { line in
                if case .event(let event) = line { event.isHighlighted } else { false }
            }
            #expect(marked == [true, false, true])
        }
    }

    @Test func `a tail ends with an error when its predicate means nothing any more`() async throws {
        try await withServer { server in
            let tail = try await TailClient(server, "\(Self.query("@plain"))&n=0")
            #expect(try await tail.status() == 200)
            server.daemon.set(predicates: [:])
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            let reply = try await tail.rest()
            #expect(reply.isComplete)
            #expect(try reply.summaries() == ["error Bad query"])
        }
    }

    @Test(arguments: ["time < -1h", "time < 2020-01-01 and level = err", "id < 0", "id <= 3", "id in {1, 3}"])
    func `a tail that could never show anything is refused`(predicate: String) async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            let reply = try await server.get("/v1/events?follow=true&\(Self.query(predicate))")
            #expect(reply.status == 422, "\(predicate)")
        }
    }

    @Test func `predicates are as long as they may be, also in a URL`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            let long = "app_version = \"\(String(repeating: "夕", count: 5000))\" or m:42".replacing(
                "app", with: "payload.app")
            #expect(
                try await server.get("/v1/events?\(Self.query(long))").summaries() == ["event 4", "event 2", "event 1"])
            let larger = try await server.get("/v1/events?\(Self.query(long + String(repeating: " ", count: 2000)))")
            #expect(larger.status == 422)
        }
    }

    @Test(arguments: [
        ("m matches \"(\"", "predicate"), ("email ==[c] \"a@b\"", "predicate"), ("user_id ==[c] 42", "predicate"),
    ])
    func `what a predicate has wrong is not blamed on others`(predicate: String, parameter: String) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let reply = try await server.get("/v1/events?grep=x&\(Self.query(predicate))")
            #expect(try reply.object()["parameter"] as? String == parameter)
        }
    }

    @Test(arguments: [
        ("event like recipe_detail/*", ["recipe_detail"]), ("not event.category = recipe_detail", ["search"]),
        ("event.category in {search, recipe_detail}", ["recipe_detail", "search"]), ("dictionary = other", []),
        ("dictionary != other and event.name beginswith s", ["search"]), ("level = err", ["recipe_detail", "search"]),
    ])
    func `a report of what was never sent has the definitions that a predicate asks for`(
        predicate: String, categories: [String]
    ) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [
                Sample.defining([
                    Sample.definition("recipe_detail/tap", "Tapped."), Sample.definition("search/show", "Shown."),
                ])
            ])
            let report = try await server.report(UnseenRow.self, .unseen, Self.query(predicate))
            #expect(report.rows.map(\.category) == categories)
        }
    }

    @Test func `a report counts the events that a predicate selects`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            for (predicate, examined) in [("exists owner", 2), ("app_version like 25.*", 2), ("id < 0", 0)] {
                let report = try await server.report(ViolationRow.self, .violations, Self.query(predicate))
                #expect(report.scope.events.values.reduce(0, +) == examined, "\(predicate)")
            }
        }
    }

    @Test func `groups of events by journal fields`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            let few = try await server.get("/v1/stats?by=event&\(Self.query("journal.NUMBER > 2"))")
            #expect(few.status == 200 && few.text.contains(#""events":1"#), "\(few.text)")
            let by = try await server.get("/v1/stats?by=journal.NUMBER")
            #expect(by.status == 422 && by.text.contains("not grouped by journal fields"), "\(by.text)")
            let sql = try await server.get("/v1/sql?statement=SELECT%201&\(Self.query("journal.NUMBER > 2"))")
            #expect(sql.status == 422 && sql.text.contains("Journal fields are not in tables"), "\(sql.text)")
            let marked = try await server.get("/v1/events?n=2&highlight=journal.NUMBER%3D4")
            #expect(try marked.lines.map { try EventLine.parse(Array($0.utf8)).isHighlighted } == [true, false])
        }
    }
}
