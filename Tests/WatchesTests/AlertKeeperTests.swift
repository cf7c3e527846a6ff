import API
import Foundation
import GRDB
import Model
import Synchronization
import TestSupport
import Testing

@testable import Store
@testable import Watches

struct AlertKeeperTests {
    /// An alert keeper with the store and the clock of `Keeping`, which starts a second after the first event.
    private struct Alerting {
        let keeping: Keeping
        let keeper: AlertKeeper

        /// - Parameter onLook: called when it begins to look at events.
        init(_ keeping: Keeping, onLook: @escaping @Sendable () -> Void = {}) {
            self.keeping = keeping
            let log = keeping.log
            keeper = AlertKeeper(
                store: keeping.store, meanings: keeping.meanings, clock: { log.now },
                completeUntil: {
                    onLook()
                    return log.now
                }, report: { log.add($0) })
        }

        func pass(_ seconds: UInt64) async {
            for _ in 0..<seconds {
                keeping.log.now += 1_000_000
                await keeper.look()
            }
        }

        var notices: [String] {
            get async throws {
                try await keeping.store.notices(limit: 100).reversed().map {
                    try APICoding.decode(AlertNotice.self, from: Data($0.notice.utf8)).text
                }
            }
        }

        /// What is saved of the only rule.
        var saved: String {
            get async throws {
                try await keeping.store.savedWatches(.alert).filter { $0.name != [AlertLook].savedName }[0].state
            }
        }
    }

    private static let errors = AlertRule(
        name: "errors", predicate: "resolution == violating and event == recipe/tap",
        condition: .count(2, within: .seconds(60)), by: ["event", "user"], notify: ["chat", "page"])

    @Test func `a store that fails is reported once, as a problem, and nothing is sent twice or lost`() async throws {
        try await withTemporaryFolder { folder in
            let alerting = Alerting(Keeping(try await openStore(folder), [try Keeping.dictionary()]))
            let keeping = alerting.keeping
            try await alerting.keeper.use([Self.errors])
            try await keeping.send([.of("tap", user: 1, "", .violating), .of("tap", user: 1, "", .violating)], from: 1)
            #expect(alerting.keeper.problems == [])
            await keeping.store.close()
            await alerting.pass(3)
            #expect(alerting.keeper.problems.map(\.code) == ["alert.not-counted"])
            #expect(keeping.log.texts.count == 1, "\(keeping.log.texts)")
            #expect(alerting.keeper.dropped == 0)
            let next = Alerting(Keeping(try await openStore(folder), [try Keeping.dictionary()]))
            next.keeping.log.now = Sample.start + 4_000_000
            try await next.keeper.use([Self.errors])
            await next.pass(3)
            #expect(try await next.notices.count == 1)
            await next.keeping.store.close()
        }
    }

    @Test func `a rule whose state cannot be read starts over, and that is said`() async throws {
        try await withKeeping { keeping in
            let damaged = SavedWatch(name: "errors", position: 0, state: "{}")
            try await keeping.store.save([damaged], of: .alert)
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            #expect(keeping.log.texts == ["What the alert errors has seen cannot be read: it starts over"])
            try await keeping.send([.of("tap", user: 1, "", .violating), .of("tap", user: 1, "", .violating)], from: 1)
            await alerting.pass(3)
            #expect(try await alerting.notices.count == 1)
        }
    }

    @Test(arguments: [
        "startedAt", "time", "id", "start", "countsFrom", "count", "all", "bytes", "heldSince", "firedAt", "sentAt",
        "lookedUntil",
    ])
    func `a rule whose saved numbers cannot be right starts over`(_ number: String) async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            try await keeping.send([.of("tap", user: 1, "", .violating), .of("tap", user: 1, "", .violating)], from: 1)
            await alerting.pass(1)
            let state = try await alerting.saved
            let damaged = state.replacing(try Regex("\"\(number)\":[0-9]+"), with: "\"\(number)\":9223372036854775807")
            try #require(damaged != state)
            try await keeping.store.save([SavedWatch(name: "errors", position: 2, state: damaged)], of: .alert)
            try await Alerting(keeping).keeper.use([Self.errors])
            #expect(keeping.log.texts == ["What the alert errors has seen cannot be read: it starts over"])
        }
    }

    @Test func `keys that do not belong together hold a rule`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            var rule = Self.errors
            (rule.condition, rule.by) = (.first, ["violation.rule", "warning.rule"])
            try await alerting.keeper.use([rule])
            try await keeping.send([.of("tap", user: 1, "", .violating)], from: 1)
            await alerting.pass(2)
            #expect(alerting.keeper.problems.map(\.code) == ["alert.held"])
            await #expect(throws: Problem.self) { try await alerting.keeper.tried(rule, since: 0) }
        }
    }

    @Test func `notices go into the store, with their notifiers`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            try await keeping.send(
                [
                    .of("tap", user: 1, "", .violating), .of("tap", user: 2, "", .violating),
                    .of("tap", user: 1, "", .violating), .of("show", user: 2, "", .violating), .of("tap", user: 2),
                ], from: 1)
            await alerting.pass(2)
            #expect(
                try await alerting.notices == ["errors: 2 events in 1 min (event recipe/tap, user 1)"])
            let list = await alerting.keeper.list().alerts[0]
            #expect(list.state == .firing && list.firing == 1 && list.causes[0].event == 3)
            #expect(list.causes[0].parts.map(\.value) == ["recipe/tap", "1"])
            #expect(try await keeping.store.nextNotice(for: "page")?.id == 1)
            try await keeping.store.completeNotice(1, for: "page", at: 5)
            #expect(try await keeping.store.nextNotice(for: "page") == nil)
            let stored = try await keeping.store.notices(of: "errors", limit: 1)[0]
            #expect(
                stored.deliveries.map(\.notifier) == ["chat", "page"] && stored.deliveries.map(\.delivered) == [nil, 5])
            await alerting.pass(60)
            #expect(
                try await alerting.notices.last
                    == "errors: over: fewer than 2 events in 1 min (event recipe/tap, user 1)")
        }
    }

    @Test func `notices say what their latest event has, as it may be shown`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            var rule = Self.errors
            (rule.by, rule.show) = (["event"], ["position", "user", "level", "message", "nobody"])
            try await alerting.keeper.use([rule])
            let events = [3, 4].map { Sample.Sent.of("tap", user: $0, ",\"position\":\($0)", .violating) }
            try await keeping.send(events, from: 1)
            await alerting.pass(2)
            let about = { (user: String) in
                "errors: 2 events in 1 min (event recipe/tap): position 4, user \(user), level notice, nobody (no such key)"
            }
            #expect(try await alerting.notices == [about("4")])
            let stored = try #require(try await keeping.store.nextNotice(for: "chat")).notice
            let notice = try APICoding.decode(AlertNotice.self, from: Data(stored.utf8))
            #expect(notice.shown?.map(\.value) == ["4", "4", "notice", nil, "(no such key)"])
            keeping.meanings.use([try Keeping.dictionary(user: .private)])
            await alerting.keeper.useDictionaries()
            #expect(try await alerting.notices == [about("<private>")])
            // The end is not about an event.
            await alerting.pass(60)
            #expect(
                try await alerting.notices.last == "errors: over: fewer than 2 events in 1 min (event recipe/tap)")
            #expect(try await alerting.keeper.tried(rule, since: 0).first?.text == about("<private>"))
            let test = try await alerting.keeper.test("errors")
            #expect(test.firing == 0)
            #expect(
                try await alerting.notices.last
                    == """
                    errors: a test, nothing has happened (event example): position example, user <private>, level example, \
                    message example, nobody example
                    """
            )
        }
    }

    @Test(
        arguments: [
            (.plain, "  no card\n", "no card"), (.malformed, #"{"user_id":"#, #"{"user_id":"#),
            (.resolved, #"{"user_id":1}"#, nil), (.plain, String(repeating: "決", count: 400), "…"),
        ] as [(Resolution, String, String?)])
    func `the message of an event is its text, not its payload`(
        resolution: Resolution, payload: String, expected: String?
    ) async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            let rule = AlertRule(
                name: "any", predicate: "level >= debug", condition: .first, show: ["message"], notify: ["chat"])
            try await alerting.keeper.use([rule])
            var event = Sample.Sent("recipe/tap", resolution, payload: payload)
            if !resolution.hasPayload { event.key = nil }
            try await keeping.send([event], from: 1)
            await alerting.pass(2)
            let text = try #require(try await alerting.notices.first)
            guard let expected else { return #expect(text == "any: the first event of its kind") }
            #expect(text.hasPrefix("any: the first event of its kind: message ") && text.hasSuffix(expected))
            #expect(text.utf8.count < 1100 && !text.unicodeScalars.contains("\u{FFFD}"))
        }
    }

    @Test func `a message with the name of what became private is not shown any more`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            let rule = AlertRule(
                name: "any", predicate: "level >= debug", condition: .count(1, within: .seconds(60)), show: ["message"],
                notify: ["chat"])
            try await alerting.keeper.use([rule])
            func send(_ text: String, from seqnum: UInt64) async throws {
                let event = Sample.Sent("a/b", .plain, payload: text).with { $0.key = nil }
                try await keeping.send([event], from: seqnum)
                await alerting.pass(90)
            }
            try await send("No card.", from: 1)
            try await send("User_ID 4711 declined", from: 90_001)
            let about = { (text: String) in "any: 1 event in 1 min: message \(text)" }
            let over = "any: over: fewer than 1 event in 1 min"
            #expect(try await alerting.notices == [about("No card."), over, about("User_ID 4711 declined"), over])
            keeping.meanings.use([try Keeping.dictionary(user: .hash)])
            await alerting.keeper.useDictionaries()
            // The name is behind what would be shown.
            try await send("4711 \(String(repeating: "-", count: 1100)) user_id", from: 180_001)
            #expect(
                try await alerting.notices == [
                    about("No card."), over, about("<private>"), over, about("<private>"), over,
                ])
        }
    }

    @Test func `a restart goes on, and sends nothing twice`() async throws {
        try await withTemporaryFolder { folder in
            var store = try await openStore(folder)
            var alerting = Alerting(Keeping(store, [try Keeping.dictionary()]))
            try await alerting.keeper.use([Self.errors])
            try await alerting.keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            await alerting.pass(1)
            #expect(try await alerting.notices.count == 1)
            await store.close()
            store = try await openStore(folder)
            alerting = Alerting(Keeping(store, [try Keeping.dictionary()]))
            alerting.keeping.log.now = Sample.start + 2_000_000
            try await alerting.keeper.use([Self.errors])
            await alerting.pass(2)
            #expect(try await alerting.notices.count == 1)
            await alerting.pass(60)
            #expect(try await alerting.notices.count == 2)
            // Another rule of the same name begins anew.
            var other = Self.errors
            other.condition = .count(1, within: .seconds(60))
            try await alerting.keeper.use([other])
            #expect(await alerting.keeper.list().alerts[0].state == .ok)
            try await alerting.keeper.use([])
            #expect(try await store.savedWatches(.alert).isEmpty)
            await store.close()
        }
    }

    @Test func `a silenced alert is recorded, and sends nothing`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            let reply = try await alerting.keeper.silence("errors", until: Sample.start + 10_000_000)
            #expect(reply.silencedUntil?.microseconds == Sample.start + 10_000_000)
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            await alerting.pass(1)
            let notices = try await keeping.store.notices(limit: 9)
            #expect(notices.count == 1 && notices[0].isSilenced && notices[0].deliveries.isEmpty)
            #expect(await alerting.keeper.list().alerts[0].silencedUntil != nil)
            await alerting.pass(10)
            #expect(await alerting.keeper.list().alerts[0].silencedUntil == nil, "it is over")
            await #expect(throws: Problem.self) { try await alerting.keeper.silence("nothing", until: nil) }
        }
    }

    @Test(arguments: [nil, 10, 65])
    func `what still fires when a silence ends is reported, and an end only if its beginning was`(
        _ seconds: UInt64?
    ) async throws {
        try await withKeeping { keeping in
            var alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            let until = Sample.start + (seconds ?? 3600) * 1_000_000
            _ = try await alerting.keeper.silence("errors", until: until)
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            await alerting.pass(5)
            // A restart knows who was told.
            alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            if seconds == nil { _ = try await alerting.keeper.silence("errors", until: nil) }
            await alerting.pass(75)
            let notices = try await keeping.store.notices(limit: 9).reversed().map { notice in
                let state = try APICoding.decode(AlertNotice.self, from: Data(notice.notice.utf8)).state
                return "\(state)\(notice.isSilenced ? " silenced" : "") \(notice.deliveries.count)"
            }
            #expect(
                notices
                    == (seconds == 65
                        ? ["firing silenced 0", "resolved silenced 0"]
                        : ["firing silenced 0", "firing 2", "resolved 2"]))
        }
    }

    @Test(arguments: [false, true])
    func `a rule that is changed stays silenced, also while the daemon is stopped`(_ restarts: Bool) async throws {
        try await withKeeping { keeping in
            var alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            _ = try await alerting.keeper.silence("errors", until: Sample.start + 10_000_000)
            if restarts { alerting = Alerting(keeping) }
            var changed = Self.errors
            changed.condition = .count(3, within: .seconds(60))
            try await alerting.keeper.use([changed])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 3), from: 1)
            await alerting.pass(1)
            #expect(try await keeping.store.notices(limit: 9).map(\.isSilenced) == [true])
        }
    }

    @Test(arguments: [3_600_000_000, 1_000_000])
    func `what was there before a rule is no first occurrence`(_ age: UInt64) async throws {
        try await withKeeping { keeping in
            try await keeping.send([.of("show", user: 1)], from: 1)
            keeping.log.now = Sample.start + age
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([
                AlertRule(name: "new", predicate: "event.category == recipe", condition: .first, by: ["event"])
            ])
            await alerting.pass(1)
            #expect(try await alerting.notices == [])
            try await keeping.send([.of("show", user: 1), .of("tap", user: 1)], from: age / 1000 + 500)
            await alerting.pass(1)
            #expect(try await alerting.notices == ["new: the first event of its kind (event recipe/tap)"])
        }
    }

    @Test(arguments: [
        (AlertRule.Condition.count(3, within: .seconds(600)), ["user"], "3 events in 10 min by user"),
        (AlertRule.Condition.count(1, within: .seconds(60)), [], "1 event in 1 min"),
        (
            AlertRule.Condition.distinct("user", count: 1, within: .seconds(60)), ["event", "host"],
            "1 different value of user in 1 min by event, host"
        ),
        (AlertRule.Condition.first, ["event"], "the first event of its kind by event"),
    ])
    func `a rule says in words when it fires, and for what`(
        condition: AlertRule.Condition, by: [ExactString], words: String
    ) {
        #expect(AlertRule(name: "a", predicate: "level >= error", condition: condition, by: by).words == words)
    }

    @Test func `many notices are all saved`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            let many = AlertRule(name: "many", predicate: "event == recipe/tap", condition: .first, by: ["user"])
            try await alerting.keeper.use([many])
            for part in 0..<12 {
                try await keeping.send(
                    (0..<100).map { .of("tap", user: part * 100 + $0) }, from: UInt64(part * 100 + 1))
            }
            await alerting.pass(2)
            #expect(try await keeping.store.notices(limit: 5000).count == 1200)
        }
    }

    @Test func `of more notices than are kept, the newest are saved, and that is said`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use(
                ["first", "second"].map {
                    AlertRule(
                        name: $0, predicate: "event == recipe/tap", condition: .first, by: ["user"], notify: ["chat"])
                })
            for part in 0..<60 {
                try await keeping.send(
                    (0..<100).map { .of("tap", user: part * 100 + $0) }, from: UInt64(part * 100 + 1))
            }
            await alerting.pass(2)
            let notices = try await keeping.store.notices(limit: 20_000)
            #expect(notices.count == 10_000)
            #expect(notices.count { $0.notice.contains(#""alert":"first""#) } == 4000)
            #expect(alerting.keeper.dropped == 2000)
            let sentence =
                "Alerts have given up 2000 notices that could not be saved or delivered before too many newer ones came"
            #expect(alerting.keeper.problems.map(\.code) == ["alert.dropped"])
            #expect(alerting.keeper.problems.map(\.what) == [sentence] && keeping.log.texts == [sentence])
            keeping.log.now += 3_600_000_000
            #expect(alerting.keeper.problems == [])
        }
    }

    @Test func `rules are saved one by one, each with its notices`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            let rules = ["a", "b", "quiet"].map { name in
                var rule = Self.errors
                (rule.name, rule.condition) = (name, .count(name == "quiet" ? 3 : 2, within: .seconds(60)))
                return rule
            }
            try await alerting.keeper.use(rules)
            try await keeping.store.database.write {
                try $0.execute(
                    sql: """
                        CREATE TEMP TRIGGER no BEFORE INSERT ON main.watches WHEN new.name = 'b'
                        BEGIN SELECT RAISE(ABORT, 'no'); END
                        """)
            }
            /// The rules of which something is saved.
            func saved(_ what: String) async throws -> [String] {
                try await keeping.store.savedWatches(.alert).filter { $0.state.contains(what) }.map(\.name)
            }
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            await alerting.pass(1)
            #expect(try await saved("firedAt") == ["a"])
            #expect(try await alerting.notices.map { $0.prefix(2) } == ["a:"])
            try await keeping.store.database.write { try $0.execute(sql: "DROP TRIGGER no") }
            await alerting.pass(2)
            #expect(try await saved("firedAt") == ["a", "b"])
            #expect(try await alerting.notices.map { $0.prefix(2) } == ["a:", "b:"])
            // What nothing was sent of is not saved each time that something is.
            #expect(try await saved("countsFrom") == ["a", "b"])
        }
    }

    @Test func `a rule that takes the place of one that takes too long is not held for it`() async throws {
        try await withKeeping { keeping in
            let (looks, look) = AsyncStream<Void>.makeStream()
            let alerting = Alerting(keeping) { look.yield() }
            var begun = looks.makeAsyncIterator()
            var slow = Self.errors
            slow.predicate = "message matches '(a+)+$'"
            let text = String(repeating: "a", count: 40) + "!"
            for round in UInt64(1)...5 {
                try await alerting.keeper.use([slow])
                try await keeping.send([.of("tap", user: 1, #","t":"\#(text)"#)], from: round)
                async let looked: Void = alerting.keeper.look()
                // Nothing else has a turn before the store counts.
                await begun.next()
                try await alerting.keeper.use([Self.errors])
                await looked
                #expect(await alerting.keeper.list().alerts[0].state != .held)
            }
        }
    }

    @Test func `a rule without a meaning is held, said once, and goes on`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            keeping.meanings.use([])
            try await alerting.keeper.use([Self.errors])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            await alerting.pass(1)
            #expect(await alerting.keeper.list().alerts[0].state == .held)
            #expect(keeping.log.texts.count == 1 && keeping.log.texts[0].hasPrefix("The alert errors is held: "))
            keeping.meanings.use([try Keeping.dictionary()])
            await alerting.keeper.useDictionaries()
            await alerting.pass(1)
            #expect(try await alerting.notices.count == 1)
        }
    }

    @Test func `values that become private are replaced in notices, also unsent ones, and in what is kept`()
        async throws
    {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            try await keeping.send(
                [4711, 4712, 4711, 4712].map { .of("tap", user: $0, "", .violating) }, from: 1)
            await alerting.pass(1)
            #expect(try await alerting.notices.count == 2)
            keeping.meanings.use([try Keeping.dictionary(user: .hash)])
            await alerting.keeper.useDictionaries()
            let about = { (user: String) in "errors: 2 events in 1 min (event recipe/tap, user \(user))" }
            #expect(try await alerting.notices.sorted() == ["4711", "4712"].map(Sample.hash).map(about))
            #expect(
                await alerting.keeper.list().alerts[0].causes.compactMap { $0.parts[1].value }.sorted()
                    == ["4711", "4712"].map(Sample.hash))
            // Events that are not reprocessed yet belong to the same causes.
            try await keeping.send(Array(repeating: .of("tap", user: 4711, "", .violating), count: 2), from: 1500)
            await alerting.pass(1)
            #expect(try await alerting.notices.count == 2)

            keeping.meanings.use([try Keeping.dictionary(user: .private)])
            await alerting.keeper.useDictionaries()
            #expect(try await alerting.notices == ["<private>", "<private>"].map(about))
            let next = try #require(try await keeping.store.nextNotice(for: "chat"))
            #expect(next.notice.contains("<private>") && !next.notice.contains("471"))
            let saved = try await alerting.saved
            #expect(saved.contains("<private>") && !saved.contains("471"))
            let causes = await alerting.keeper.list().alerts[0].causes
            #expect(causes.map { $0.parts[1].value } == ["<private>"] && causes[0].event == 6)
            await alerting.pass(70)
            #expect(
                try await alerting.notices.last
                    == "errors: over: fewer than 2 events in 1 min (event recipe/tap, user <private>)")
            #expect(try await alerting.notices.count == 3)
        }
    }

    @Test func `only values that become private make the log of the store be emptied`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            func hasOldValues() async throws -> Bool {
                try await keeping.store.change { _, state in state.hasOldValuesInLog }
            }
            try await alerting.keeper.use([Self.errors])
            while try await keeping.store.maintain(now: Sample.start) {}
            for number in 1...2 {
                try await keeping.send([.of("tap", user: 4710 + number, "", .violating)], from: UInt64(number))
                await alerting.pass(2)
            }
            #expect(try await !hasOldValues())
            keeping.meanings.use([try Keeping.dictionary(user: .private)])
            await alerting.keeper.useDictionaries()
            #expect(try await alerting.notices.isEmpty)
            #expect(try await hasOldValues())
        }
    }

    @Test func `values that became private while the daemon was stopped are replaced, also of rules that are gone`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let store = try await openStore(folder)
            var alerting = Alerting(Keeping(store, [try Keeping.dictionary()]))
            var gone = Self.errors
            (gone.name, gone.condition) = ("gone", .distinct("user", count: 2, within: .seconds(60)))
            try await alerting.keeper.use([Self.errors, gone])
            try await alerting.keeping.send(
                [4711, 4711, 4712].map { .of("tap", user: $0, "", .violating) }, from: 1)
            await alerting.pass(1)
            alerting = Alerting(Keeping(store, [try Keeping.dictionary(user: .private)]))
            alerting.keeping.log.now = Sample.start + 2_000_000
            try await alerting.keeper.use([Self.errors])
            #expect(try await alerting.notices.filter { $0.contains("471") } == [])
            #expect(try await alerting.notices.count == 1)
            let saved = try await store.savedWatches(.alert).filter { $0.name != [AlertLook].savedName }
            #expect(saved.map(\.name) == ["errors"] && !saved[0].state.contains("471"))
            await store.close()
        }
    }

    @Test func `a rule goes by the dictionaries that may cover its events, and by none if values are revealed`()
        async throws
    {
        try await withKeeping { keeping in
            let other = try Keeping.dictionary(user: .private, subsystem: "org.*")
            keeping.meanings.use([try Keeping.dictionary(), other])
            let keys: [ExactString] = ["event", "user", "payload.user_id", "gone.user_id"]
            func protected(_ predicate: String?) -> [ExactString?] {
                keeping.meanings.protection(of: keys, in: predicate).values(["a/b", "1", "2", "3"], of: keys)
            }
            let hidden: [ExactString?] = ["a/b", "<private>", "<private>", "<private>"]
            #expect(protected(nil) == hidden)
            #expect(protected("level >= error") == hidden)
            #expect(protected(#"subsystem in {"com.a", "org.b"}"#) == hidden)
            #expect(protected(#"subsystem == "com.a" and level >= error"#) == ["a/b", "1", "2", "3"])
            #expect(protected(#"subsystem == "com.a" or level >= error"#) == hidden)
            keeping.meanings.use([other], .reveal)
            #expect(protected(nil) == ["a/b", "1", "2", "3"])
            var unread = try Keeping.dictionary()
            unread.suspected = ["user-id": .private]
            keeping.meanings.use([unread])
            let gone: [ExactString] = ["user-id", "gone.user-id", "user-name"]
            #expect(
                keeping.meanings.protection(of: gone, in: nil).values(["1", "2", "3"], of: gone)
                    == ["<private>", "<private>", "3"])
        }
    }

    @Test func `the newest notices are kept, and the older ones given up are counted`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            let many = (0..<9998).map { _ in NewNotice(alert: "old", notice: "{}", notifiers: ["chat", "page"]) }
            try await keeping.store.save([], of: .alert, notices: many)
            try await keeping.store.completeNotice(1, for: "page", at: 1)
            for id in [Int64(2), 3] {
                for notifier in ["chat", "page"] { try await keeping.store.completeNotice(id, for: notifier, at: 1) }
            }
            for _ in 0..<6 { _ = try await alerting.keeper.test("errors") }
            // Of the four that are gone, two had been delivered to all.
            #expect(alerting.keeper.dropped == 2)
            #expect(try await keeping.store.nextNotice(for: "chat")?.id == 5)
            #expect(try await keeping.store.notices(limit: 20_000).count == 10_000)
        }
    }

    @Test func `a test of an alert without notifiers leaves no notice`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            var rule = Self.errors
            rule.notify = []
            try await alerting.keeper.use([rule])
            #expect(try await alerting.keeper.test("errors").notify == [])
            #expect(try await keeping.store.notices(limit: 10) == [])
        }
    }

    @Test func `a silence that cannot be saved is not in force`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            await keeping.store.close()
            await #expect(throws: StoreError.self) { try await alerting.keeper.silence("errors", until: .max) }
            #expect(await alerting.keeper.list().alerts[0].silencedUntil == nil)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a silence that cannot be saved takes nothing from the next one`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            let (soon, later) = (Sample.start + 10_000_000, Sample.start + 20_000_000)
            try await keeping.refuseWatches(with: "\(soon)")
            let (first, second) = try await keeping.holdingWrites {
                let first = Task { try await alerting.keeper.silence("errors", until: soon) }
                while await alerting.keeper.list().alerts[0].silencedUntil == nil {
                    try await Task.sleep(for: .milliseconds(1))
                }
                let second = Task { try await alerting.keeper.silence("errors", until: later) }
                try await Task.sleep(for: .milliseconds(20))
                return (first, second)
            }
            await #expect(throws: StoreError.self) { try await first.value }
            #expect(try await second.value.silencedUntil?.microseconds == later)
            #expect(await alerting.keeper.list().alerts[0].silencedUntil?.microseconds == later)
            #expect(try await alerting.saved.contains("\(later)"))
        }
    }

    @Test func `a silence is saved with the notices that wait`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            try await keeping.store.database.write {
                try $0.execute(
                    sql: "CREATE TEMP TRIGGER no BEFORE INSERT ON main.notices BEGIN SELECT RAISE(ABORT, 'no'); END")
            }
            await alerting.pass(1)
            await #expect(throws: StoreError.self) { try await alerting.keeper.silence("errors", until: .max) }
            #expect(try await alerting.notices.isEmpty)
            #expect(try await keeping.store.savedWatches(.alert).allSatisfy { !$0.state.contains("firedAt") })

            try await keeping.store.database.write { try $0.execute(sql: "DROP TRIGGER no") }
            _ = try await alerting.keeper.silence("errors", until: .max)
            #expect(try await alerting.notices.count == 1)
            // Nothing is sent twice, neither now nor after a crash.
            await alerting.pass(2)
            let restarted = Alerting(Keeping(keeping.store, [try Keeping.dictionary()]))
            restarted.keeping.log.now = keeping.log.now
            try await restarted.keeper.use([Self.errors])
            await restarted.pass(3)
            #expect(try await restarted.notices.count == 1)
            #expect(await restarted.keeper.list().alerts.map(\.state) == [.firing])
        }
    }

    @Test func `a hold that begins or ends without a notice is saved`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            var rule = Self.errors
            rule.holdTime = .seconds(600)
            try await alerting.keeper.use([rule])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            for isHeld in [true, false] {
                await alerting.pass(isHeld ? 1 : 70)
                // What has changed is saved with the notice.
                _ = try await alerting.keeper.test("errors")
                #expect(try await alerting.saved.contains("heldSince") == isHeld)
            }
        }
    }

    @Test func `what comes after a new rule counts, also if the daemon is killed`() async throws {
        try await withKeeping { keeping in
            var alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            await alerting.pass(1)
            #expect(try await alerting.notices == ["errors: 2 events in 1 min (event recipe/tap, user 1)"])
        }
    }

    @Test(arguments: [true, false])
    func `what was looked at in time counts, also if the daemon is killed before that is saved`(
        _ wasLookedAt: Bool
    ) async throws {
        try await withKeeping { keeping in
            var rule = Self.errors
            rule.condition = .count(3, within: .seconds(600))
            var alerting = Alerting(keeping)
            try await alerting.keeper.use([rule])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            let saved = try await alerting.saved
            if wasLookedAt { await alerting.pass(1) }
            #expect(try await alerting.saved == saved)
            // Twice, as long as nothing else is saved.
            for _ in 0..<2 {
                keeping.log.now += 80_000_000
                alerting = Alerting(keeping)
                try await alerting.keeper.use([rule])
                await alerting.pass(1)
            }
            let sent = (keeping.log.now - Sample.start) / 1000
            try await keeping.send([.of("tap", user: 1, "", .violating)], from: sent)
            await alerting.pass(1)
            #expect(try await alerting.notices.count == (wasLookedAt ? 1 : 0))
            try await alerting.keeper.use([])
            #expect(try await keeping.store.savedWatches(.alert).isEmpty)
        }
    }

    @Test func `events are seen again as of the looks at which they were seen first`() {
        var looks: [AlertLook] = []
        // The second one is soon after the first, the third one without new events; then the clock was set back.
        let noted = [(3, 10), (4, 11), (3, 20), (5, 9)].map { (position: Int64, seconds: Int64) in
            looks.note(AlertLook(position: position, time: seconds * 1_000_000))
        }
        #expect(noted == [true, false, false, true])
        let events = (2...6).map { WatchedEvent(place: EventPlace(time: 1, id: $0), values: []) }
        let parts = looks.parts(of: events, now: 99)
        #expect(parts.map(\.time) == [10_000_000, 9_000_000, 99])
        #expect(parts.map { $0.events.map(\.place.id) } == [[2, 3], [4, 5], [6]])
        #expect([AlertLook]().parts(of: events, now: 99).map(\.events.count) == [5])
        for position in Int64(10)..<200 { _ = looks.note(AlertLook(position: position, time: position * 2_000_000)) }
        #expect(looks.count == 60 && looks.last?.position == 199)
        #expect([AlertLook](savedIn: [looks.saved]) == looks)
        #expect([AlertLook](savedIn: []) == [])
        var damaged = [AlertLook(position: 1, time: 5)].saved
        damaged.state = damaged.state.replacing(":5", with: ":-9223372036854775808")
        #expect([AlertLook](savedIn: [damaged]) == [])
    }

    @Test func `a new rule that cannot be saved is in force, and is saved later`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await keeping.refuseWatches()
            try await alerting.keeper.use([Self.errors])
            #expect(await alerting.keeper.list().alerts.map(\.name) == ["errors"])
            #expect(alerting.keeper.problems.map(\.code) == ["alert.not-counted"])
            try await keeping.send(Array(repeating: .of("tap", user: 1, "", .violating), count: 2), from: 1)
            await alerting.pass(1)
            #expect(try await alerting.notices.isEmpty)
            try await keeping.store.database.write { try $0.execute(sql: "DROP TRIGGER no") }
            await alerting.pass(1)
            #expect(try await alerting.notices.count == 1)
            #expect(alerting.keeper.problems == [])
        }
    }

    @Test func `a rule that the store has no room for is named, and keeps no others from being saved`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await openStore(folder, maximumBytes: 2 << 20)
            let alerting = Alerting(Keeping(store, [try Keeping.dictionary()]))
            let (keeping, keeper) = (alerting.keeping, alerting.keeper)
            let big = AlertRule(
                name: "big", predicate: "event == recipe/show", condition: .first, by: ["user"], notify: ["chat"])
            try await keeper.use([big, Self.errors])
            // Late, so that there are no notices of them.
            keeping.log.now += 600_000_000
            let tail = String(repeating: "v", count: 200)
            for part in 0..<60 {
                let events = (0..<100).map {
                    Sample.Sent("recipe/show", payload: #"{"user_id":"\#(part * 100 + $0)-\#(tail)"}"#)
                }
                try await keeping.send(events, from: UInt64(part * 100 + 1))
                await alerting.pass(1)
            }
            // What has changed is saved.
            try await keeper.use([big, Self.errors])
            for user in [1, 2] {
                let sent = (keeping.log.now - Sample.start) / 1000
                let events = Array(repeating: Sample.Sent.of("tap", user: user, "", .violating), count: 2)
                try await keeping.send(events, from: sent)
                await alerting.pass(1)
                #expect(try await alerting.notices.last?.hasSuffix("user \(user))") == true)
            }
            #expect(keeper.problems.map(\.code) == ["alert.not-counted"])
            #expect(keeper.problems.map(\.subject) == ["big"])
            #expect(keeper.problems[0].hint?.hasPrefix("Raise store.max_size. Or let it keep less: ") == true)
            #expect(
                keeping.log.texts.count == 1 && keeping.log.texts[0].hasPrefix("The alert big sends nothing now, "),
                "\(keeping.log.texts)")
            _ = try await keeper.test("errors")
            await #expect(throws: StoreError.self) { try await keeper.test("big") }
            try await keeper.use([Self.errors])
            #expect(keeper.problems == [])
            await store.close()
        }
    }

    @Test func `a test is sent at once`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            try await alerting.keeper.use([Self.errors])
            _ = try await alerting.keeper.test("errors")
            #expect(
                try await alerting.notices == ["errors: a test, nothing has happened (event example, user example)"])
            #expect(try await keeping.store.nextNotice(for: "chat") != nil)
        }
    }

    @Test func `causes are tried side by side`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            // Of each user two at once, and one that is alone; half a minute apart.
            for (place, user) in [1, 2, 3, 1].enumerated() {
                let events = Array(
                    repeating: Sample.Sent.of("tap", user: user, "", .violating), count: user == 3 ? 1 : 2)
                try await keeping.send(events, from: UInt64(place * 30_000 + 1))
            }
            keeping.log.now = Sample.start + 600_000_000
            var rule = Self.errors
            rule.by = ["user"]
            let notices = try await alerting.keeper.tried(rule, since: 0)
            let found = notices.map {
                "\($0.state.rawValue) \($0.cause.first?.value ?? "-") \(($0.time - Sample.start) / 1_000_000)"
            }
            #expect(
                found == [
                    "firing 1 0", "firing 2 30", "resolved 1 60", "resolved 2 90", "firing 1 90", "resolved 1 150",
                ],
                "\(found)")
        }
    }

    @Test func `a rule is tried as if nothing had been late, however much was read before`() async throws {
        try await withKeeping { keeping in
            let many = Array(repeating: Sample.Sent.of("tap", user: 1), count: 4000)
            for part in UInt64(0)..<6 { try await keeping.send(many, from: 3_600_001 + part * 4000) }
            try await keeping.send(Array(repeating: .of("tap", user: 2), count: 20), from: 1)
            try await keeping.send(Array(repeating: .of("tap", user: 3), count: 20), from: 3_610_500)
            keeping.log.now = Sample.start + 7_200_000_000
            let rule = AlertRule(
                name: "many", predicate: "event == recipe/tap", condition: .count(10, within: .seconds(60)),
                by: ["user"])
            let expected = [
                "firing 2 0", "resolved 2 60", "firing 1 3600", "firing 3 3610", "resolved 3 3670", "resolved 1 3683",
            ]
            var trial = AlertTrial(
                rule: rule, group: try rule.group(keeping.meanings),
                protection: keeping.meanings.protection(of: rule.keys, in: rule.predicate), since: 0)
            // Neither does it matter how many can be in memory.
            for mostTogether in [trial.mostTogether, 3000] {
                trial.mostTogether = mostTogether
                let found = try await trial.run(on: keeping.store, until: keeping.log.now).map {
                    "\($0.state.rawValue) \($0.cause[0].value ?? "-") \(($0.time - Sample.start) / 1_000_000)"
                }
                #expect(found == expected, "\(mostTogether) \(found)")
            }
        }
    }

    @Test(arguments: [
        (UInt64(1800), ["resolved 2420", "firing 4220", "resolved 4400"]),
        (UInt64(4080), ["firing 4220", "resolved 4400"]),
    ])
    func `a rule that has to hold is tried as if it had always been there`(
        _ since: UInt64, _ expected: [String]
    ) async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            let times = [0..<2400, 3600..<4380].flatMap { $0.filter { $0 % 20 == 0 } }
            for second in times.map({ UInt64($0) }) {
                try await keeping.send([.of("tap", user: 1, "", .violating)], from: second * 1000 + 1)
            }
            keeping.log.now = Sample.start + 5_000_000_000
            var rule = Self.errors
            rule.holdTime = .seconds(600)
            let notices = try await alerting.keeper.tried(rule, since: Sample.start + since * 1_000_000)
            let found = notices.map { "\($0.state.rawValue) \(($0.time - Sample.start) / 10_000_000)0" }
            #expect(found == expected)
        }
    }

    private static let absences: [([ExactString], Duration, hold: Duration, every: Duration?)] = [
        (["user"], .seconds(60), .zero, nil), (["user"], .seconds(60), .seconds(90), .seconds(7)),
        ([], .seconds(61), .seconds(5), .seconds(600)), ([], .seconds(3), .zero, nil),
        (["user"], .seconds(3600), .seconds(100), .seconds(3 * 86_400)),
    ]

    @Test(arguments: absences)
    func `a trial finds the absences that looking at every step finds`(
        by: [ExactString], time: Duration, hold: Duration, every: Duration?
    ) async throws {
        try await withKeeping { keeping in
            // One goes on, one comes back when it has fired or soon after the other, one does not come back.
            let sent = [
                (0, 1), (0, 2), (20_500, 1), (59_900, 1), (100_200, 3), (119_700, 1), (185_000, 2), (185_001, 1),
                (400_000, 2), (549_999, 2), (4_000_000, 1), (4_060_000, 2),
            ]
            for (milliseconds, user) in sent {
                try await keeping.send([.of("tap", user: user)], from: UInt64(milliseconds + 1))
            }
            // Longer than a cause is kept, if that does not take long.
            let end = Sample.start + (time < .seconds(3600) ? 7_200_000_000 : 9 * 86_400_000_000)
            let rule = AlertRule(
                name: "gone", predicate: "event == recipe/tap", condition: .absent(time), by: by, holdTime: hold,
                every: every)
            var events = sent.enumerated().map { index, event in
                let place = EventPlace(time: Int64(Sample.start) + Int64(event.0 + 1) * 1000, id: Int64(index + 1))
                return WatchedEvent(place: place, values: by.isEmpty ? [] : [ExactString("\(event.1)")])
            }[...]
            let (start, step) = (events[0].place.time, AlertProgress.step(rule))
            var progress = AlertProgress(startedAt: start)
            var expected: [AlertNotice] = []
            func look(at cause: AlertProgress.Cause? = nil, _ now: Int64) {
                expected += progress.changes(of: rule, now: now, completeUntil: now, only: cause).map {
                    AlertNotice($0, of: rule, at: UInt64(now))
                }
            }
            for now in stride(from: start, to: Int64(end), by: Int(step)) {
                while let event = events.first, event.place.time < now {
                    progress.add([event], of: rule, now: event.place.time)
                    look(at: AlertProgress.cause(of: event, rule), event.place.time)
                    events.removeFirst()
                }
                look(now)
            }
            look(Int64(end))
            let trial = AlertTrial(
                rule: rule, group: try rule.group(keeping.meanings),
                protection: keeping.meanings.protection(of: rule.keys, in: rule.predicate), since: 0)
            let found = try await trial.run(on: keeping.store, until: end)
            #expect(found == Array(expected.prefix(AlertKeeper.mostTried)))
            #expect(found.count >= 3)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a trial of many absent causes passes over the days on which nothing happens`() async throws {
        try await withKeeping { keeping in
            try await keeping.send((0..<900).map { .of("tap", user: $0) }, from: 1)
            keeping.log.now = Sample.start + 6 * 86_400_000_000
            let rule = AlertRule(
                name: "gone", predicate: "event == recipe/tap", condition: .absent(.seconds(60)), by: ["user"])
            let notices = try await Alerting(keeping).keeper.tried(rule, since: Sample.start)
            #expect(notices.count == 900 && notices.allSatisfy { $0.state == .firing })
        }
    }

    @Test func `a rule is tried on stored events`() async throws {
        try await withKeeping { keeping in
            let alerting = Alerting(keeping)
            // Two outages, an hour apart, of which the first is before the time that is asked for.
            for begin in [UInt64(0), 3_600_000, 7_200_000] {
                let events = Array(repeating: Sample.Sent.of("tap", user: 1, "", .violating), count: 5)
                try await keeping.send(events, from: begin + 1)
            }
            keeping.log.now = Sample.start + 9_100_000_000
            var rule = Self.errors
            rule.name = "other"
            let notices = try await alerting.keeper.tried(rule, since: Sample.start + 1_800_000_000)
            #expect(notices.map(\.state) == [.firing, .resolved, .firing, .resolved])
            #expect(notices[0].time == Sample.start + 3_600_002_000 && notices[0].event == 7)
            #expect(notices[1].time / 1_000_000 == (Sample.start + 3_660_000_000) / 1_000_000)
            rule.condition = .absent(.seconds(1800))
            rule.by = []
            let silences = try await alerting.keeper.tried(rule, since: Sample.start)
            #expect(silences.map(\.state) == [.firing, .resolved, .firing, .resolved, .firing])
            rule.condition = .first
            #expect(try await alerting.keeper.tried(rule, since: Sample.start).count == 1)
            #expect(try await alerting.keeper.tried(rule, since: Sample.start + 1_800_000_000).isEmpty)
            let text = "alerts: [{name: x, predicate: level >= error, when: first, by: [event]}]"
            #expect(try await alerting.keeper.rule("x", in: text, file: "a.yaml", predicates: [:]).by == ["event"])
            let unknown = "alerts: [{name: x, predicate: lvel >= error, when: first}]"
            for (name, text) in [("y", text), ("x", "alerts: [{name: x}]"), ("x", unknown), ("x", nil)] {
                await #expect(throws: Problem.self) {
                    try await alerting.keeper.rule(name, in: text, file: "a.yaml", predicates: [:])
                }
            }
        }
    }
}
