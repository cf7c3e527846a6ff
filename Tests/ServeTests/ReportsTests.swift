import TestSupport
import API
import Foundation
import Model
import Store
import Testing

@testable import Serve

struct ReportsTests {
    private func withEveryKind(
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            try await server.store.save(Sample.batch(Sample.everyKind), journal: "machine")
            try await server.store.keep(Sample.shop, files: [], loadedMicroseconds: Sample.start)
            try await body(server)
        }
    }

    private func time(_ seqnum: UInt64) -> WireTime { WireTime(microseconds: Sample.start + seqnum * 1000) }

    @Test func `undefined: the most frequent first, each with a sample and what it looks like`() async throws {
        try await withEveryKind { server in
            let report = try await server.report(UndefinedRow.self, .undefined)
            #expect(report.total == 3)
            #expect(
                report.rows == [
                    UndefinedRow(
                        dictionary: "shop", category: "recipe_detail", name: "tap_save_buton", count: 2,
                        firstSeen: time(7), lastSeen: time(8), sampleEvent: 8,
                        closest: .init(category: "recipe_detail", name: "tap_save_button", distance: 1)),
                    UndefinedRow(
                        dictionary: "shop", category: "nothing", name: "like_it_at_all", count: 1,
                        firstSeen: time(9), lastSeen: time(9), sampleEvent: 9, closest: nil),
                    UndefinedRow(
                        dictionary: nil, origin: EventOrigin(subsystem: "com.example.shop", category: "ActivityLog"),
                        category: "somebody", name: "elses", count: 1, firstSeen: time(10), lastSeen: time(10),
                        sampleEvent: 10, closest: nil),
                ])
        }
    }

    @Test func `undefined: what is defined by now is no row`() async throws {
        try await withEveryKind { server in
            server.daemon.set(dictionaries: [Sample.defining([Sample.definition("recipe_detail/tap_save_buton")])])
            let report = try await server.report(UndefinedRow.self, .undefined)
            #expect(report.rows.map(\.name) == ["like_it_at_all", "elses"])
        }
    }

    @Test func `undefined: what counts is what payloads call an event, not its name in the definitions`() async throws {
        try await withEveryKind { server in
            var (own, other) = (Sample.definition("recipe_detail/tap_save_buton"), Sample.definition("nothing/like"))
            (own.sentName, other.sentName) = ("Tap Save", "like_it_at_all")
            server.daemon.set(dictionaries: [Sample.defining([own, other])])
            let report = try await server.report(UndefinedRow.self, .undefined)
            #expect(report.rows.map(\.name) == ["tap_save_buton", "elses"])
            #expect(report.rows.first?.closest?.name == "tap_save_buton", "the program sends the definition's own name")
            let reply = try await server.get("/v1/events/\(try #require(report.rows.first?.sampleEvent))")
            #expect(try EventDetail.parse(reply.body).definition == nil)
        }
    }

    @Test func `undefined: what has been defined since is no row where names alone find definitions`() async throws {
        try await withServer { server in
            var dictionary = Sample.defining([Sample.definition("recipe_detail/tap")])
            dictionary.options.layout = PayloadLayout(category: .definingFile, name: .member(MemberPath("event")))
            server.daemon.set(dictionaries: [dictionary])
            try await server.store.save(
                Sample.batch([Sample.Sent("/tap", .undefined), Sample.Sent("/tip", .undefined)]), journal: "machine")
            let report = try await server.report(UndefinedRow.self, .undefined)
            #expect(report.rows.map(\.name) == ["tip"])
        }
    }

    @Test(arguments: [(["web", "starts"], ["other", "request"]), (["starts"], ["HTTP Request", "other", "request"])])
    func `undefined: what has been defined since is no row where a rule names the category or the event`(
        rules: [String], left: [String]
    ) async throws {
        // More than whatever has passed since the events were sent.
        let age = Duration.seconds(1 << 30)
        try await withServer(maximumAge: age) { server in
            var (request, start) = (Sample.definition("access/request"), Sample.definition("access/start"))
            (request.sentName, start.sentName) = ("HTTP Request", "Start")
            let plain = Sample.defining([request, start])
            var categories = plain.categories
            categories[0].sentName = "Access"
            var dictionary = EventDictionary(
                options: plain.options, version: plain.version, common: [], categories: categories)
            dictionary.options.layoutOfSource = [
                "web": PayloadLayout(category: .fixed("access"), name: .member(MemberPath("event"))),
                "starts": PayloadLayout(category: .fixed("access"), name: .fixed("start")),
            ].filter { rules.contains($0.key.text) }
            server.daemon.set(dictionaries: [dictionary])
            // The third had an error, and no other name in payloads.
            let keys = ["access/HTTP Request", "access/start", "Access/start", "access/request", "access/other"]
            let sent = keys.map { Sample.Sent($0, .undefined) }
            try await server.store.save(Sample.batch(sent), journal: "machine")
            // Another source may have sent them.
            let stored = try await server.report(UndefinedRow.self, .undefined)
            #expect(stored.rows.map(\.name) == ["start", "HTTP Request", "other", "request", "start"])
            // They stay counted when they are removed before they are reprocessed.
            let now = Sample.cursor(90_000).realtimeMicroseconds + age.wholeMicroseconds
            while try await server.store.maintain(now: now) {}
            #expect(try await server.store.statistics().storedEvents == 0)
            let report = try await server.report(UndefinedRow.self, .undefined)
            #expect(report.rows.map(\.name) == left)
        }
    }

    @Test func `undefined: a definition with an error is said to have one`() async throws {
        try await withEveryKind { server in
            var dictionary = Sample.shop
            dictionary.broken = [EventKey(category: "recipe_detail", name: "tap_save_buton"): "recipe_detail.md:10"]
            server.daemon.set(dictionaries: [dictionary])
            let rows = try await server.report(UndefinedRow.self, .undefined).rows
            #expect(rows.map(\.reason) == ["its definition has an error: recipe_detail.md:10", nil, nil])
            #expect(rows[0].closest == nil)
        }
    }

    @Test func `unseen: neither what came nor what is obsolete`() async throws {
        try await withEveryKind { server in
            let report = try await server.report(UnseenRow.self, .unseen)
            #expect(report.total == 1)
            #expect(
                report.rows == [
                    UnseenRow(
                        dictionary: "shop", category: "recipe_detail", name: "never_sent",
                        description: "レシピを共有した時", watchedSince: WireTime(microseconds: Sample.start))
                ])
        }
    }

    @Test func `unseen: the filters select which events count as seen, and which definitions are listed`() async throws
    {
        try await withEveryKind { server in
            let later = try await server.report(UnseenRow.self, .unseen, "since=\(Sample.start + 5500)")
            #expect(later.rows.map(\.name) == ["tap_save_button", "never_sent"])
            let elsewhere = try await server.report(UnseenRow.self, .unseen, "subsystem=org.other&n=1")
            #expect(elsewhere.rows.map(\.name) == ["tap_save_button"])
            #expect(elsewhere.total == 3)
            let search = try await server.report(UnseenRow.self, .unseen, "event=search/*&subsystem=org.other")
            #expect(search.rows.map(\.name) == ["run"])
            let resolved = try await server.report(UnseenRow.self, .unseen, "resolution=violating&event=*/r*")
            #expect(resolved.rows.map(\.name) == ["run"])
        }
    }

    @Test func `violations: by event, parameter and rule`() async throws {
        try await withEveryKind { server in
            let report = try await server.report(ViolationRow.self, .violations)
            #expect(report.total == 2)
            #expect(
                report.rows == [
                    ViolationRow(
                        dictionary: "shop", category: "recipe_detail", name: "tap_save_button",
                        parameter: "recipe_id", rule: "type", count: 2, firstSeen: time(2), lastSeen: time(3),
                        sampleEvent: 3),
                    ViolationRow(
                        dictionary: "shop", category: "recipe_detail", name: "tap_save_button", parameter: "user_id",
                        rule: "missing", count: 1, firstSeen: time(2), lastSeen: time(2), sampleEvent: 2),
                ])
            let none = try await server.report(ViolationRow.self, .violations, "event=search/*")
            #expect(none.rows.isEmpty && none.total == 0)
        }
    }

    @Test func `obsolete: events and parameters, also those that nobody sends any more`() async throws {
        try await withEveryKind { server in
            let report = try await server.report(ObsoleteRow.self, .obsolete)
            let rows = report.rows.map { "\($0.category)/\($0.name) \($0.parameter ?? "-") \($0.stillSeen)" }
            #expect(
                rows == [
                    "recipe_detail/old_event - 1", "recipe_detail/tap_save_button user_status 1", "search/run col 1",
                    "recipe_detail/older_event - 0",
                ])
            #expect(report.rows.map(\.sampleEvent) == [5, 4, 6, nil])
            #expect(report.rows.map(\.lastSeen) == [time(5), time(4), time(6), nil])
            #expect(report.total == 4)
        }
    }

    @Test func `obsolete: members of objects by their paths, and what all events share while none sends it`()
        async throws
    {
        func parameter(_ name: String, _ type: ParameterType = .string(), isObsolete: Bool = false) -> Parameter {
            Parameter(name: name, type: type, isOptional: true, isObsolete: isObsolete)
        }
        func object(_ members: [Parameter]) -> ParameterType {
            .custom(name: "Object", meaning: .object(ObjectType(members: members)))
        }
        let item = object([parameter("p"), parameter("q", isObsolete: true)])
        let device = object([parameter("model", isObsolete: true), parameter("parts", .array(of: item))])
        let dictionary = Sample.defining(
            [
                Sample.definition("cart/pay", "", [parameter("dev", device), parameter("items", .array(of: item))]),
                Sample.definition("cart/view"), Sample.definition("list/open"),
            ],
            common: [parameter("old_id", isObsolete: true), parameter("screen", isObsolete: true)],
            categoryParameters: ["cart": [parameter("coupon", isObsolete: true)]])
        let sent = [
            Sample.Sent("cart/pay", warnings: [.obsoleteParameter("items[1].q"), .obsoleteParameter("dev.model")]),
            Sample.Sent("cart/view", warnings: [.obsoleteParameter("screen")]),
        ]
        try await withServer { server in
            server.daemon.set(dictionaries: [dictionary])
            func rows(_ query: String = "") async throws -> [String] {
                try await server.report(ObsoleteRow.self, .obsolete, query).rows.map {
                    "\($0.category)/\($0.name) \($0.parameter ?? "-") \($0.stillSeen)"
                }
            }
            let unsent = ["*/* old_id 0", "*/* screen 0", "cart/* coupon 0", "cart/pay dev.model 0"]
            #expect(try await rows() == unsent + ["cart/pay dev.parts[].q 0", "cart/pay items[].q 0"])
            try await server.store.save(Sample.batch(sent), journal: "machine")
            #expect(
                try await rows() == [
                    "cart/pay dev.model 1", "cart/pay items[].q 1", "cart/view screen 1", "*/* old_id 0",
                    "cart/* coupon 0", "cart/pay dev.parts[].q 0",
                ])
            #expect(try await rows("event=list/*") == ["*/* old_id 0", "*/* screen 0"])
        }
    }

    @Test func `obsolete: a parameter of the event is none of its category, nor a common one`() async throws {
        let obsolete = ["shade", "size"].map { name in
            Parameter(name: name, type: .string(), isOptional: true, isObsolete: true)
        }
        let dictionary = Sample.defining(
            [Sample.definition("lamp/on", "", obsolete), Sample.definition("lamp/off")], common: [obsolete[0]],
            categoryParameters: ["lamp": [obsolete[1]]])
        let warnings: [Warning] = [.obsoleteParameter("shade"), .obsoleteParameter("size")]
        try await withServer { server in
            server.daemon.set(dictionaries: [dictionary])
            func rows() async throws -> [String] {
                try await server.report(ObsoleteRow.self, .obsolete).rows.map {
                    "\($0.category)/\($0.name) \($0.parameter ?? "-") \($0.stillSeen)"
                }
            }
            try await server.store.save(
                Sample.batch([Sample.Sent("lamp/on", warnings: warnings)]), journal: "machine")
            let own = ["lamp/on shade 1", "lamp/on size 1"]
            #expect(try await rows() == own + ["*/* shade 0", "lamp/* size 0"])
            try await server.store.save(
                Sample.batch([Sample.Sent("lamp/off", warnings: warnings)], from: 2), journal: "machine")
            #expect(try await rows() == ["lamp/off shade 1", "lamp/off size 1"] + own)
        }
    }

    @Test func `obsolete: parameters in an object have its path`() async throws {
        var dictionary = Sample.defining([
            Sample.definition(
                "search/run", "", [Parameter(name: "sort", type: .string(), isOptional: true, isObsolete: true)])
        ])
        dictionary.options.layout.parametersAt = MemberPath("properties")
        try await withServer { [dictionary] server in
            server.daemon.set(dictionaries: [dictionary])
            func rows() async throws -> [String] {
                try await server.report(ObsoleteRow.self, .obsolete).rows.map {
                    "\($0.parameter ?? "-") \($0.stillSeen)"
                }
            }
            #expect(try await rows() == ["properties.sort 0"])
            let sent = Sample.Sent("search/run", warnings: [.obsoleteParameter("properties.sort")])
            try await server.store.save(Sample.batch([sent]), journal: "machine")
            #expect(try await rows() == ["properties.sort 1"])
        }
    }

    @Test func `a sample is an event that is stored, also where only some sources had events removed`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            try await server.store.save(Sample.batch(1...1, source: "kept"), journal: "machine")
            let sent = Sample.everyKind + Self.keyless
            try await server.store.save(Sample.batch(sent, from: 2), journal: "machine")
            let retention = SourceRetention(maximumAge: .seconds(60))
            server.store.use([SourceRule(conditions: [], name: nil, text: Sample.source, retention: retention)])
            while try await server.store.maintain(now: Sample.start + 3_600_000_000) {}
            server.store.use([])
            try await server.store.save(Sample.batch([sent[1], sent[8]], from: 100), journal: "machine")
            let last = try await server.store.statistics().newestEventID
            let undefined = try await server.report(UndefinedRow.self, .undefined).rows
            #expect(undefined.map(\.name) == ["like_it_at_all", "tap_save_buton", "elses"])
            #expect(undefined.map(\.sampleEvent) == [last, nil, nil])
            let violations = try await server.report(ViolationRow.self, .violations).rows
            #expect(violations.map(\.count) == [3, 2] && violations.map(\.sampleEvent) == [last - 1, last - 1])
            let obsolete = try await server.report(ObsoleteRow.self, .obsolete).rows
            #expect(obsolete.map(\.stillSeen) == [1, 1, 1, 0] && obsolete.allSatisfy { $0.sampleEvent == nil })
            for report in [ReportKind.unkeyed, .malformed] {
                let rows = try await server.report(KeylessRow.self, report).rows
                #expect(!rows.isEmpty && rows.allSatisfy { $0.sampleEvent == nil && $0.reason == nil })
            }
        }
    }

    @Test func `n bounds the rows, total counts them all`() async throws {
        try await withEveryKind { server in
            let two = try await server.report(UndefinedRow.self, .undefined, "n=2")
            #expect(two.rows.map(\.count) == [2, 1])
            #expect(two.total == 3)
            #expect(try await server.report(ObsoleteRow.self, .obsolete, "n=0").rows.isEmpty)
        }
    }

    @Test(arguments: ["grep=(x", "after=1", "follow=true", "resolution=resolved", "n=all"])
    func `what a report does not take is a problem that names it`(query: String) async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/reports/undefined?\(query)")
            #expect(reply.status == (query.hasPrefix("grep") ? 422 : 400))
            #expect(reply.headers["content-type"] == "application/problem+json")
            #expect(try reply.object()["parameter"] as? String == query.split(separator: "=").first.map(String.init))
        }
    }

    @Test func `reports are narrowed by what payloads say`() async throws {
        let dictionary = Sample.defining(
            [Sample.definition("account/sign_in", "Signed in.")],
            common: [
                Parameter(name: "user_id", type: .bigint, privacy: .hash, role: .user),
                Parameter(name: "device", type: .string(), role: .device),
            ])
        try await withServer { server in
            server.daemon.set(dictionaries: [dictionary])
            let sent = [("a", "42", "d1"), ("a", "42", "d2"), ("b", "7", "d1"), ("c", "42", "d1")]
            try await server.store.save(
                Sample.batch(
                    sent.map { name, user, device in
                        Sample.Sent(
                            "account/\(name)", .undefined,
                            payload:
                                #"{"user_id":"\#(Sample.hash(user))","device":"\#(device)","at":{"n":"\#(name)"}}"#)
                    }), journal: "machine")
            for (query, expected) in [
                ("user=42", ["a 2", "c 1"]), ("user=42&user=7&device=d1", ["a 1", "b 1", "c 1"]),
                ("where=device=d2", ["a 1"]), ("where=at.n=a", ["a 2"]), ("where=n=a", []),
                ("where=at.n=a&where=device=d1", ["a 1"]), ("grep=%5Bab%5D%22%7D", ["a 2", "b 1"]), ("user=8", []),
            ] {
                let report = try await server.report(UndefinedRow.self, .undefined, query)
                #expect(report.rows.map { "\($0.name) \($0.count)" } == expected, "\(query)")
            }
            let unseen = try await server.report(UnseenRow.self, .unseen, "user=42")
            #expect(unseen.rows.map(\.name) == ["sign_in"])
            server.daemon.set(dictionaries: [Sample.shop])
            #expect(try await server.get("/v1/reports/violations?user=42").status == 422)
        }
    }

    private static let keyless: [Sample.Sent] = [
        Sample.Sent("", .unkeyed, payload: #"{"event_category":"search","event_nmae":"run"}"#),
        Sample.Sent("", .unkeyed, payload: #"{"event_category":"search","event_name":3}"#),
        Sample.Sent("", .unkeyed, payload: #"{"a":1}"#).with { ($0.dictionary, $0.subsystem) = (nil, "org.other") },
        Sample.Sent("", .malformed, payload: "{x").with { $0.findings = Findings(reason: "byte 1: expected a key") },
        Sample.Sent("", .plain, payload: "a line"),
    ].map { sent in sent.with { $0.key = nil } }

    @Test func `unkeyed: by whose they are, with what is missing in the latest`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            try await server.store.save(Sample.batch(Self.keyless), journal: "machine")
            let report = try await server.report(KeylessRow.self, .unkeyed)
            #expect(report.total == 2)
            #expect(
                report.rows == [
                    KeylessRow(
                        dictionary: "shop", origin: EventOrigin(subsystem: "com.example.shop", category: "ActivityLog"),
                        count: 2, firstSeen: time(1), lastSeen: time(2), sampleEvent: 2,
                        reason: "event_name is a number, not a string",
                        shapes: [
                            PayloadShape(
                                members: ["event_category", "event_name"], events: 1, sampleEvent: 2, advice: nil),
                            PayloadShape(
                                members: ["event_category", "event_nmae"], events: 1, sampleEvent: 1,
                                advice: "dictionary shop defines it: key: [event_category, event_nmae]"),
                        ]),
                    KeylessRow(
                        dictionary: nil, origin: EventOrigin(subsystem: "org.other", category: "ActivityLog"), count: 1,
                        firstSeen: time(3), lastSeen: time(3), sampleEvent: 3,
                        reason: "no event_category; no event_name; its members are a",
                        shapes: [
                            PayloadShape(
                                members: ["a"], events: 1, sampleEvent: 3,
                                advice: "if all of them are one event: as: {event: CATEGORY/NAME}")
                        ]),
                ])
            #expect(report.scope == ReportScope(events: ["unkeyed": 3, "malformed": 1, "plain": 1]))
            let one = try await server.report(KeylessRow.self, .unkeyed, "until=\(Sample.start + 1000)")
            #expect(one.rows.map(\.reason) == ["no event_name: event_nmae looks like it"])
        }
    }

    @Test func `unkeyed: the latest is one that is unkeyed still, after events were reprocessed`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            let sent = Self.keyless + [Self.keyless[2].with { $0.payload = #"{"b":1}"# }]
            try await server.store.save(Sample.batch(sent), journal: "machine")
            let kind = EventKind(
                dictionary: "shop", definitionsVersion: Sample.shop.version, key: EventKey(category: "x", name: "y"))
            let changes = [2, 6].map { ReprocessedEvent(id: $0, resolution: .undefined, kind: kind) }
            #expect(try await server.store.replace(changes).values.reduce(0, +) == 2)
            let rows = try await server.report(KeylessRow.self, .unkeyed).rows
            #expect(rows.map(\.count) == [1, 1])
            for row in rows {
                let isShop = row.dictionary == "shop"
                #expect(row.sampleEvent == (isShop ? 1 : 3) && row.lastSeen == time(isShop ? 1 : 3))
                #expect(row.reason?.hasPrefix(isShop ? "no event_name: event_nmae" : "no event_category;") == true)
            }
        }
    }

    /// An origin with a long name is counted with those beyond the limit. No event has the origin `(other)`.
    @Test func `unkeyed: for origins that are not counted by name, no other sample is searched`() async throws {
        try await withServer { server in
            let long = Self.keyless[2].with { $0.subsystem = String(repeating: "x", count: 600) }
            try await server.store.save(Sample.batch([long, long]), journal: "machine")
            let kind = EventKind(dictionary: nil, definitionsVersion: nil, key: EventKey(category: "x", name: "y"))
            let changes = [ReprocessedEvent(id: 2, resolution: .undefined, kind: kind)]
            #expect(try await server.store.replace(changes).values.reduce(0, +) == 1)
            let rows = try await server.report(KeylessRow.self, .unkeyed).rows
            #expect(rows.map(\.origin) == [EventOrigin(subsystem: "(other)", category: "(other)")])
            #expect(rows.map(\.sampleEvent) == [2] && rows.map(\.reason) == [nil])
            #expect(rows.allSatisfy { $0.shapes?.isEmpty != false })
        }
    }

    @Test func `unkeyed: the shapes of rare rows are found behind thousands of events of frequent ones`() async throws {
        @Sendable func sent(_ subsystem: String, _ category: String, _ count: Int, _ payload: String) -> [Sample.Sent] {
            let one = Sample.Sent("", .unkeyed, payload: payload).with {
                ($0.key, $0.dictionary, $0.subsystem, $0.category) = (nil, nil, subsystem, category)
            }
            return Array(repeating: one, count: count)
        }
        try await withServer { server in
            // The frequent row has its subsystem from one of them, and its category from the other.
            let rare =
                sent("org.shop", "ui", 3, #"{"a":1}"#) + sent("org.shop", "ui", 2, #"{"a":1,"b":2}"#)
                + sent("org.blog", "network", 2, #"{"c":1}"#)
            try await server.store.save(Sample.batch(rare), journal: "machine")
            for from: UInt64 in [1000, 10_000, 20_000, 30_000, 40_000] {
                let frequent = sent("org.shop", "network", 4000, #"{"d":1}"#)
                try await server.store.save(Sample.batch(frequent, from: from), journal: "machine")
            }
            let rows = try await server.report(KeylessRow.self, .unkeyed).rows
            #expect(rows.map(\.count) == [20_000, 5, 2])
            #expect(
                rows.map { ($0.shapes ?? []).map { "\($0.members) \($0.events) \($0.sampleEvent)" } } == [
                    [#"["d"] 100 20007"#], [#"["a"] 3 3"#, #"["a", "b"] 2 5"#], [#"["c"] 2 7"#],
                ])
        }
    }

    @Test func `malformed: by whose they are, with the reason of the latest`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(Self.keyless), journal: "machine")
            let report = try await server.report(KeylessRow.self, .malformed)
            #expect(report.rows.map(\.reason) == ["byte 1: expected a key"])
            #expect(report.rows.map(\.sampleEvent) == [4])
            #expect(report.total == 1)
        }
    }

    @Test func `rows that differ only in the dictionary or the origin have a fixed order`() async throws {
        try await withServer { server in
            let names = ["w", "v", "c", "x", "a", "u", "b", "y"]
            let undefined = names.map { name in Sample.Sent("e/x", .undefined).with { $0.dictionary = name } }
            let uncovered = names.map { name in
                Sample.Sent("e/x", .undefined).with { ($0.dictionary, $0.subsystem) = (nil, "org.\(name)") }
            }
            let violating = names.map { name in
                Sample.Sent("e/x", .violating, violations: [Sample.missing]).with { $0.dictionary = name }
            }
            try await server.store.save(Sample.batch(undefined + uncovered + violating), journal: "machine")
            let rows = try await server.report(UndefinedRow.self, .undefined).rows
            #expect(rows.compactMap(\.origin?.subsystem) == names.sorted().map { "org.\($0)" })
            #expect(rows.compactMap(\.dictionary) == names.sorted())
            #expect(try await server.report(ViolationRow.self, .violations).rows.map(\.dictionary) == names.sorted())
        }
    }

    @Test func `each report says how many events it examined, whatever becomes a row`() async throws {
        try await withEveryKind { server in
            let all = ["resolved": Int64(4), "violating": 2, "undefined": 4]
            #expect(try await server.report(UndefinedRow.self, .undefined).scope.events == all)
            #expect(try await server.report(UnseenRow.self, .unseen, "n=0").scope.events == all)
            #expect(try await server.report(ViolationRow.self, .violations).scope.events == all)
            #expect(try await server.report(ObsoleteRow.self, .obsolete).scope.events == all)
            let some = try await server.report(ViolationRow.self, .violations, "event=search/*&grep=%7B")
            #expect(some.scope.events == ["resolved": 1])
            let none = try await server.report(UndefinedRow.self, .undefined, "since=\(Sample.start + 1_000_000)")
            #expect(none.scope == ReportScope())
        }
    }

    @Test func `names that nothing has are reported`() async throws {
        try await withEveryKind { server in
            func unknown<Row: ReportRow>(_ row: Row.Type, _ kind: ReportKind, _ query: String)
                async throws -> [String]
            {
                (try await server.report(row, kind, query).scope.unknown ?? []).map { "\($0.parameter) \($0.value)" }
            }
            let typo = "subsystem=com.exmaple.*&category=ActivityLog&subsystem=*"
            #expect(try await unknown(UndefinedRow.self, .undefined, typo) == ["subsystem com.exmaple.*"])
            // Undefined events have names that no definition has; an event that is never sent, one that only it has.
            let sent = "event=recipe_detail/tap_save_buton&event=recipe_detail/never_sent&event=no/thing"
            #expect(try await unknown(UndefinedRow.self, .undefined, sent) == ["event no/thing"])
            for events in [
                try await unknown(UnseenRow.self, .unseen, sent),
                try await unknown(ViolationRow.self, .violations, sent),
                try await unknown(ObsoleteRow.self, .obsolete, sent),
            ] {
                #expect(events == ["event no/thing", "event recipe_detail/tap_save_buton"])
            }
            #expect(try await unknown(UnseenRow.self, .unseen, "event=recipe_*/*").isEmpty)
        }
    }

    @Test func `gaps of the range are summed up by cause, those outside it are not`() async throws {
        try await withServer { server in
            func gap(
                _ cause: Gap.Cause, _ seqnum: UInt64, _ count: UInt64?, _ certainty: Gap.Certainty = .exact
            ) -> Gap {
                let (from, to) = (Sample.cursor(seqnum), Sample.cursor(seqnum + 5))
                return Gap(
                    cause: cause, realtimeMicroseconds: Sample.start + 3_600_000_000, from: from, to: to, count: count,
                    certainty: certainty, message: "gone")
            }
            var batch = Sample.batch(Sample.everyKind)
            batch.gaps = [
                gap(.deleted, 100, 3210), gap(.deleted, 200, 1), gap(.damaged, 200, nil), gap(.deleted, 9000, 7),
                gap(.deleted, 100, 5, .atMost), gap(.missing, 100, 12, .atMost), gap(.missing, 150, .max, .atMost),
            ]
            try await server.store.save(batch, journal: "machine")
            let query = "until=\(Sample.start + 8_000_000)"
            #expect(
                try await server.report(ViolationRow.self, .violations, query).scope.gaps == [
                    .init(cause: "deleted", records: 3, missing: 3211, atMost: 5),
                    .init(cause: "damaged", records: 1, missing: 0, uncounted: 1),
                    .init(cause: "missing", records: 2, missing: 0, atMost: .max),
                ])
            let later = try await server.report(ViolationRow.self, .violations, "since=\(Sample.start + 300_000)")
            #expect(later.scope.gaps == [.init(cause: "deleted", records: 1, missing: 7)])
            let last = try await server.report(ViolationRow.self, .violations, "since=\(Sample.start + 10_000_000)")
            #expect(last.scope.gaps == nil)
        }
    }

    @Test func `an unknown report is not found`() async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/reports/other")
            #expect(reply.status == 404)
        }
    }
}

extension RunningServer {
    func report<Row>(
        _ row: Row.Type, _ kind: ReportKind, _ query: String = ""
    ) async throws -> Report<Row> {
        let reply = try await get("/v1/reports/\(kind.rawValue)?\(query)")
        return try APICoding.decode(Report<Row>.self, from: Data(reply.body))
    }
}
