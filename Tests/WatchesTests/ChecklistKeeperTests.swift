import API
import GRDB
import Model
import TestSupport
import Testing

@testable import Store
@testable import Watches

struct ChecklistKeeperTests {
    private static let list = """
        checklist: release
        items:
          - recipe/show
          - {event: recipe/tap, name: first, predicate: payload.position == 0, min: 2, max: 3}
          - {event: recipe/crash, never: true}
        """
    private static let funnel = "items: [recipe/show]\nfunnels: [{steps: [recipe/show, recipe/tap]}]"

    @Test func `items are ticked as their events come`() async throws {
        try await withKeeping { keeping in
            let begun = try await keeping.start(Self.list)
            #expect(begun.state == .running && begun.result == .missing && (begun.done, begun.total) == (0, 2))
            #expect(begun.items.map(\.isDefined) == [true, true, false])
            try await keeping.send(
                [
                    .of("show", user: 1), .of("tap", user: 1, #","position":0"#),
                    .of("tap", user: 1, #","position":1"#), .of("tap", user: 1, #","position":0"#, .violating),
                ], from: 1)
            let reply = try await keeping.keeper.reply("release")
            #expect(reply.result == .done && reply.done == 2 && reply.behind == 0 && reply.position == 4)
            let tapped = reply.items[1]
            #expect((tapped.count, tapped.violating, tapped.first?.id, tapped.last?.id) == (2, 1, 2, 4))
            #expect(tapped.last?.time.microseconds == Sample.start + 4000)
            #expect(reply.text == Self.list && reply.format == "yaml")
        }
    }

    @Test func `what cannot be read or counted is a problem until it can be`() async throws {
        try await withKeeping { keeping in
            let damaged = SavedWatch(name: "release", position: 0, state: "{}")
            try await keeping.store.save([damaged], of: .checklist)
            try await keeping.keeper.load()
            #expect(await keeping.keeper.problems.map(\.code) == ["checklist.unreadable"])
            try await keeping.start(Self.list)
            #expect(await keeping.keeper.problems == [])
            try await keeping.send([.of("show", user: 1)], from: 1)
            await keeping.store.close()
            _ = await keeping.keeper.list()
            _ = await keeping.keeper.list()
            let problem = await keeping.keeper.problems.first
            #expect(problem?.code == "checklist.not-counted" && problem?.hint != nil)
            #expect(keeping.log.texts.count == 2, "\(keeping.log.texts)")
        }
    }

    @Test func `a run that cannot be read can be removed`() async throws {
        try await withKeeping { keeping in
            let damaged = SavedWatch(name: "release", position: 0, state: "{}")
            try await keeping.store.save([damaged], of: .checklist)
            try await keeping.keeper.load()
            let removed = try await keeping.keeper.remove("release")
            #expect(removed.name == "release" && removed.state == .held && removed.reason != nil)
            #expect(await keeping.keeper.problems == [])
            #expect(try await keeping.store.savedWatches(.checklist).isEmpty)
            let error = await #expect(throws: Problem.self) { try await keeping.keeper.remove("release") }
            #expect(error?.status == 404)
        }
    }

    @Test(arguments: [
        (#""count":1"#, #""count":9223372036854775807"#), (#""violating":0"#, #""violating":-1"#),
        (#""time":"#, #""time":-"#), (#""time":"#, #""time":9223372036854775807,"other":"#),
        (#""id":1"#, #""id":9223372036854775807"#), (#""reached":["#, #""reached":[-"#),
    ])
    func `a run whose saved numbers cannot be right is not continued`(right: String, wrong: String) async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.funnel, name: "a")
            try await keeping.send([.of("show", user: 1)], from: 1)
            #expect(try await keeping.keeper.reply("a").items[0].count == 1)
            await keeping.keeper.save(all: false)
            var saved = try #require(try await keeping.store.savedWatches(.checklist).first)
            try #require(saved.state.contains(right))
            saved.state = saved.state.replacing(right, with: wrong)
            try await keeping.store.save([saved], of: .checklist)
            let restarted = Keeping(keeping.store, [try Keeping.dictionary()])
            try await restarted.keeper.load()
            #expect(await restarted.keeper.problems.map(\.code) == ["checklist.unreadable"])
        }
    }

    @Test func `a run that was stopped after the clock was set back is asked for as any other`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.list)
            keeping.log.now -= 3_600_000_000
            #expect(try await keeping.keeper.stop("release").state == .stopped)
            _ = try await keeping.keeper.predicate(of: "release")
        }
    }

    @Test func `a stopped run counts what was sent before, whenever it is read`() async throws {
        try await withTemporaryFolder { folder in
            var store = try await openStore(folder)
            var keeping = Keeping(store, [try Keeping.dictionary()])
            try await keeping.start(Self.list)
            keeping.log.now = Sample.start + 5000
            #expect(try await keeping.keeper.stop("release").items.map(\.count) == [0, 0, 0])
            try await keeping.send([.of("crash", user: 1)], from: 4)
            try await keeping.send([.of("show", user: 1), .of("crash", user: 1)], from: 6)
            let reply = try await keeping.keeper.reply("release")
            #expect(reply.state == .stopped && reply.result == .failed && reply.behind == 0 && reply.position == 3)
            #expect(reply.items.map(\.count) == [0, 0, 1])
            await store.close()
            store = try await openStore(folder)
            keeping = Keeping(store, [try Keeping.dictionary()])
            try await keeping.keeper.load()
            try await keeping.send([.of("show", user: 1)], from: 3)
            try await keeping.send([.of("show", user: 1)], from: 9)
            #expect(try await keeping.keeper.reply("release").items.map(\.count) == [1, 0, 1])
            await store.close()
        }
    }

    @Test func `a run whose end cannot be saved goes on, and counts what is sent then`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.list)
            try await keeping.refuseWatches()
            await #expect(throws: StoreError.self) { try await keeping.keeper.stop("release") }
            keeping.log.now += 5000
            try await keeping.send([.of("show", user: 1)], from: 2)
            let reply = try await keeping.keeper.reply("release")
            #expect(reply.state == .running && reply.stoppedAt == nil && reply.items[0].count == 1)
            try await keeping.store.database.write { try $0.execute(sql: "DROP TRIGGER no") }
            #expect(try await keeping.keeper.stop("release").state == .stopped)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [("stop", "stop"), ("reset", "reset"), ("reset", "stop")])
    func `a run that two clients change goes on as it was if that cannot be saved`(
        first: String, second: String
    ) async throws {
        try await withKeeping { keeping in
            try await keeping.start("items: [recipe/show]", name: "a")
            try await keeping.send([.of("show", user: 1)], from: 1)
            try await keeping.refuseWatches()
            @Sendable func change(_ how: String) -> Task<ChecklistReply, any Error> {
                keeping.log.now += 5000
                return Task {
                    how == "stop" ? try await keeping.keeper.stop("a") : try await keeping.keeper.reset("a")
                }
            }
            let changes = try await keeping.holdingWrites {
                #expect(try await keeping.keeper.reply("a").items[0].count == 1)
                let first = change(first)
                while case let reply = try await keeping.keeper.reply("a"),
                    reply.state == .running && reply.items[0].count == 1
                {
                    try await Task.sleep(for: .milliseconds(1))
                }
                let second = change(second)
                try await Task.sleep(for: .milliseconds(20))
                return [first, second]
            }
            for change in changes { await #expect(throws: StoreError.self) { try await change.value } }
            let reply = try await keeping.keeper.reply("a")
            #expect(reply.state == .running && reply.items[0].count == 1)
        }
    }

    @Test func `a stopped run is stopped again also if what it has counted since cannot be saved`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.list)
            keeping.log.now = Sample.start + 5000
            _ = try await keeping.keeper.stop("release")
            try await keeping.refuseWatches()
            try await keeping.send([.of("crash", user: 1)], from: 4)
            #expect(try await keeping.keeper.reply("release").items[2].count == 1)
            #expect(try await keeping.keeper.stop("release").state == .stopped)
        }
    }

    @Test func `a stopped run that cannot count is behind, and no problem of the daemon`() async throws {
        try await withKeeping { keeping in
            try await keeping.start("checklist: a\npredicate: user == 1\nitems: [recipe/show]")
            keeping.log.now = Sample.start + 5000
            _ = try await keeping.keeper.stop("a")
            keeping.meanings.use([])
            await keeping.keeper.useDictionaries()
            try await keeping.send([.of("show", user: 1)], from: 1)
            let stopped = try await keeping.keeper.reply("a")
            #expect(stopped.state == .stopped && stopped.reason != nil && stopped.behind == 1)
            #expect(await keeping.keeper.problems.isEmpty)
            keeping.meanings.use([try Keeping.dictionary()])
            await keeping.keeper.useDictionaries()
            let reply = try await keeping.keeper.reply("a")
            #expect(reply.reason == nil && reply.behind == 0 && reply.items[0].count == 1)
        }
    }

    @Test func `a stopped run that was held counts what was read meanwhile, also after a day`() async throws {
        try await withKeeping { keeping in
            try await keeping.start("checklist: a\npredicate: user == 1\nitems: [recipe/show]")
            try await keeping.start("checklist: b\nitems: [recipe/show]")
            keeping.log.now = Sample.start + 5000
            for name in ["a", "b"] { _ = try await keeping.keeper.stop(name) }
            keeping.meanings.use([])
            await keeping.keeper.useDictionaries()
            try await keeping.send([.of("show", user: 1)], from: 1)
            #expect(try await keeping.keeper.reply("b").items[0].count == 1)
            keeping.log.now += 2 * 86_400_000_000
            try await keeping.send([.of("show", user: 1)], from: 2)
            let other = try await keeping.keeper.reply("b")
            #expect(other.items[0].count == 1 && other.behind == 0)
            let held = try await keeping.keeper.reply("a")
            #expect(held.reason != nil && held.items[0].count == 0 && held.behind == 2)
            keeping.meanings.use([try Keeping.dictionary()])
            await keeping.keeper.useDictionaries()
            for sent in UInt64(3)...4 {
                let reply = try await keeping.keeper.reply("a")
                #expect(reply.reason == nil && reply.items[0].count == 2 && reply.behind == 0)
                try await keeping.send([.of("show", user: 1)], from: sent)
            }
        }
    }

    @Test func `too many events, and those that must not be sent, fail a run`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.list)
            try await keeping.start(Self.list, name: "other")
            try await keeping.send(
                Array(repeating: .of("tap", user: 1, #","position":0"#), count: 4), from: 1)
            #expect(try await keeping.keeper.reply("release").items.map(\.result) == [.missing, .failed, .done])
            try await keeping.send([.of("crash", user: 1)], from: 9)
            let reply = try await keeping.keeper.reply("other")
            #expect(reply.result == .failed && reply.items[2].result == .failed)
        }
    }

    @Test func `violating events are refused where the list says so`() async throws {
        try await withKeeping { keeping in
            try await keeping.start("checklist: a\nviolating: refuse\nitems: [recipe/show]")
            try await keeping.send([.of("show", user: 1, "", .violating)], from: 1)
            #expect(try await keeping.keeper.reply("a").result == .missing)
            try await keeping.send([.of("show", user: 1)], from: 2)
            let reply = try await keeping.keeper.reply("a")
            #expect(reply.result == .done && reply.items[0].violating == 1)
        }
    }

    @Test func `violating events are in no order and no funnel where they are refused`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(
                """
                checklist: a
                violating: refuse
                items: [recipe/show, recipe/tap]
                orders: [[recipe/show, recipe/tap]]
                funnels: [{name: f, steps: [recipe/show, recipe/tap]}]
                """)
            try await keeping.send([.of("tap", user: 1, "", .violating), .of("show", user: 1)], from: 1)
            try await keeping.send([.of("tap", user: 1, "", .violating)], from: 5)
            let early = try await keeping.keeper.reply("a")
            #expect(early.orders[0].result == .missing && early.funnels[0].steps.map(\.reached) == [1, 0])
            try await keeping.send([.of("tap", user: 1)], from: 9)
            let reply = try await keeping.keeper.reply("a")
            #expect(reply.result == .done && reply.items[1].count == 3 && reply.items[1].violating == 2)
        }
    }

    @Test func `each run has its own filter and its own time`() async throws {
        try await withKeeping { keeping in
            let text = "checklist: a\npredicate: user < 9\nitems: [recipe/show]"
            try await keeping.send([.of("show", user: 1), .of("show", user: 2)], from: 1)
            keeping.log.now = Sample.start + 10_000
            try await keeping.start(text, name: "all", since: Sample.start)
            try await keeping.start(text, name: "late", since: Sample.start + 2000)
            try await keeping.start(text, name: "one", condition: "user == 1")
            try await keeping.start(text, name: "new")
            // Sent before the runs began, and stored later.
            try await keeping.send([.of("show", user: 1)], from: 5)
            try await keeping.send([.of("show", user: 1), .of("show", user: 3), .of("show", user: 9)], from: 11)
            var counts: [Int64] = []
            for name in ["all", "late", "one", "new"] {
                counts.append(try await keeping.keeper.reply(name).items[0].count)
            }
            #expect(counts == [5, 4, 1, 2])
            #expect(try await keeping.keeper.reply("one").predicate == "(user < 9) and (user == 1)")
            #expect(await keeping.keeper.list().checklists.map(\.name) == ["all", "late", "new", "one"])
        }
    }

    @Test func `orders go by the first events, however late they arrive`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(
                """
                checklist: a
                items: [recipe/show, recipe/tap, recipe/done, {event: recipe/tap, name: own, predicate: user == 1}]
                orders:
                  - [recipe/show, recipe/tap]
                  - {steps: [recipe/tap, recipe/done], within: 5ms}
                  - [recipe/tap, own]
                """)
            try await keeping.send([.of("tap", user: 1)], from: 10)
            var orders = try await keeping.keeper.reply("a").orders
            #expect(orders.map(\.result) == [.failed, .missing, .failed])
            #expect(orders[0].problem?.description == "recipe/tap was sent before recipe/show")
            #expect(orders[2].problem?.description == "own is the same event as recipe/tap")
            try await keeping.send([.of("show", user: 1)], from: 5)
            orders = try await keeping.keeper.reply("a").orders
            #expect(orders.map(\.result) == [.done, .missing, .failed])
            try await keeping.send([.of("done", user: 1)], from: 400)
            orders = try await keeping.keeper.reply("a").orders
            #expect(orders.map(\.result) == [.done, .failed, .failed])
            #expect(orders[1].problem?.description == "recipe/done was sent 0.4 s after recipe/tap")
        }
    }

    @Test func `funnels count how far each user comes`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(
                """
                checklist: a
                items: [recipe/show]
                funnels:
                  - {name: 登録, steps: [recipe/show, recipe/tap, recipe/done], within: 20ms, min: 2}
                """)
            try await keeping.send(
                [
                    // 2 taps before it sees anything, and later does it right. 3 stops, 4 is without a beginning.
                    .of("tap", user: 2), .of("show", user: 1), .of("show", user: 2), .of("show", user: 3),
                    .of("tap", user: 1), .of("tap", user: 2), .of("done", user: 1), .of("done", user: 4),
                ], from: 1)
            var funnel = try #require(try await keeping.keeper.reply("a").funnels.first)
            #expect(funnel.steps.map(\.reached) == [3, 2, 1] && funnel.result == .missing && funnel.name == "登録")
            // 2 is too late, and begins again.
            try await keeping.send([.of("done", user: 2)], from: 100)
            #expect(try await keeping.keeper.reply("a").funnels[0].steps.map(\.reached) == [3, 2, 1])
            try await keeping.send([.of("show", user: 2), .of("tap", user: 2), .of("done", user: 2)], from: 101)
            funnel = try #require(try await keeping.keeper.reply("a").funnels.first)
            #expect(funnel.steps.map(\.reached) == [3, 2, 2] && funnel.result == .done && !funnel.isCut)
        }
    }

    @Test func `subjects that become private are replaced, and go on`() async throws {
        try await withKeeping { keeping in
            let list = """
                checklist: a
                items: [recipe/show]
                funnels: [{name: f, steps: [recipe/show, recipe/tap]}]
                """
            try await keeping.start(list)
            try await keeping.start(list, name: "stopped")
            try await keeping.send([4711, 4712].map { .of("show", user: $0) }, from: 1)
            keeping.log.now = Sample.start + 5000
            _ = try await keeping.keeper.stop("stopped")
            keeping.meanings.use([try Keeping.dictionary(user: .hash)])
            await keeping.keeper.useDictionaries()
            let states = try await keeping.store.savedWatches(.checklist).map(\.state)
            let hash = Sample.hash("4711")
            #expect(states.count == 2 && states.allSatisfy { $0.contains(hash) && !$0.contains("\"4711") })
            // One that is not reprocessed yet, and one that is.
            try await keeping.send([.of("tap", user: 4711)], from: 10)
            let hashed = Sample.Sent("recipe/tap", .resolved, payload: #"{"user_id":"\#(Sample.hash("4712"))"}"#)
            try await keeping.send([hashed], from: 11)
            #expect(try await keeping.keeper.reply("a").funnels[0].steps.map(\.reached) == [2, 2])
            #expect(try await keeping.store.change { _, state in state.hasOldValuesInLog })
            while try await keeping.store.maintain(now: Sample.start) {}
            await keeping.keeper.save(all: true)
            #expect(try await !keeping.store.change { _, state in state.hasOldValuesInLog })
            keeping.meanings.use([try Keeping.dictionary(user: .private)])
            await keeping.keeper.useDictionaries()
            #expect(try await keeping.store.change { _, state in state.hasOldValuesInLog })
            #expect(try await keeping.store.savedWatches(.checklist).allSatisfy { !$0.state.contains("471") })
            #expect(try await keeping.keeper.reply("a").funnels[0].steps.map(\.reached) == [2, 2])
        }
    }

    @Test func `subjects of a funnel are kept up to a number, and an event is one step`() {
        var funnel = FunnelProgress(steps: 2)
        let subjects = (0...FunnelProgress.mostSubjects).map { ExactString("\($0)") }
        funnel.add(subjects.map { .init(place: EventPlace(time: 1, id: 1), step: 0, subject: $0) }, within: nil)
        #expect(funnel.reached == [FunnelProgress.mostSubjects, 0] && funnel.isCut)
        let both = EventPlace(time: 2, id: 2)
        funnel.add([.init(place: both, step: 0, subject: "x"), .init(place: both, step: 1, subject: "7")], within: nil)
        #expect(funnel.reached == [FunnelProgress.mostSubjects, 1])
        // Who is not at the first step is nobody that is left out.
        var full = FunnelProgress(steps: 2)
        let first = subjects.dropLast().map { FunnelProgress.Visit(place: both, step: 0, subject: $0) }
        full.add(first + [.init(place: both, step: 1, subject: "x")], within: nil)
        #expect(full.reached == [FunnelProgress.mostSubjects, 0] && !full.isCut)
        var one = FunnelProgress(steps: 2)
        one.add([.init(place: both, step: 0, subject: "x"), .init(place: both, step: 1, subject: "x")], within: nil)
        #expect(one.reached == [1, 0])
    }

    @Test(arguments: [(30, 110), (nil, 110), (nil, 45)] as [(Int64?, Int64)])
    func `what comes in order counts, whatever was read late before it`(within: Int64?, last: Int64) {
        var (funnel, merged) = (FunnelProgress(steps: 2), FunnelProgress(steps: 2))
        for (id, time) in [Int64(100), 40].enumerated() {
            let place = EventPlace(time: time, id: Int64(id))
            funnel.add([.init(place: place, step: 0, subject: "x")], within: within)
            merged.add([.init(place: place, step: 0, subject: ExactString("\(id)"))], within: within)
        }
        _ = merged.replaceSubjects(within: within) { _ in "x" }
        let end = FunnelProgress.Visit(place: EventPlace(time: last, id: 2), step: 1, subject: "x")
        funnel.add([end], within: within)
        merged.add([end], within: within)
        #expect(funnel.reached == [1, 1] && merged.reached == [2, 1])
    }

    @Test func `of the users of all runs, so much is kept together, also after a restart`() async throws {
        try await withKeeping { other in
            var keeping = Keeping(other.store, [try Keeping.dictionary()], mostBytes: 400)
            for name in ["a", "b"] { try await keeping.start(Self.funnel, name: name) }
            try await keeping.send((1...3).map { .of("show", user: $0) }, from: 1)
            #expect(try await keeping.keeper.reply("a").funnels[0].steps.map(\.reached) == [2, 0])
            let left = try await keeping.keeper.reply("b").funnels[0]
            #expect(left.steps.map(\.reached) == [0, 0] && left.isCut)
            // Who is known goes on.
            try await keeping.send([.of("tap", user: 1)], from: 4)
            #expect(try await keeping.keeper.reply("a").funnels[0].steps.map(\.reached) == [2, 1])
            await keeping.keeper.save(all: true)
            keeping = Keeping(other.store, [try Keeping.dictionary()], mostBytes: 400)
            try await keeping.keeper.load()
            try await keeping.send([.of("show", user: 4)], from: 5)
            #expect(try await keeping.keeper.reply("b").funnels[0].steps.map(\.reached) == [0, 0])
            _ = try await keeping.keeper.remove("a")
            try await keeping.send([.of("show", user: 4)], from: 6)
            #expect(try await keeping.keeper.reply("b").funnels[0].steps.map(\.reached) == [1, 0])
        }
    }

    @Test func `a run that counts nothing any more leaves the room of its users to others`() async throws {
        try await withKeeping { other in
            let keeping = Keeping(other.store, [try Keeping.dictionary()], mostBytes: 400)
            for name in ["a", "b"] { try await keeping.start(Self.funnel, name: name) }
            try await keeping.send((1...3).map { .of("show", user: $0) }, from: 1)
            #expect(try await keeping.keeper.reply("b").funnels[0].steps.map(\.reached) == [0, 0])
            keeping.log.now += 5000
            _ = try await keeping.keeper.stop("a")
            keeping.log.now += 2 * 86_400_000_000
            #expect(try await keeping.keeper.reply("a").funnels[0].steps.map(\.reached) == [2, 0])
            try await keeping.send([.of("show", user: 4)], from: 6)
            #expect(try await keeping.keeper.reply("b").funnels[0].steps.map(\.reached) == [1, 0])
        }
    }

    @Test func `of the users of a run, so much is kept that it can be saved at once`() async throws {
        try await withKeeping { keeping in
            let steps = (["show"] + (1..<20).map { "step\($0)" }).map { "recipe/\($0)" }.joined(separator: ", ")
            try await keeping.start("items: [recipe/show]\nfunnels: [{steps: [\(steps)]}]", name: "a")
            try await keeping.send((1...FunnelProgress.mostSubjects).map { .of("show", user: $0) }, from: 1)
            let funnel = try await keeping.keeper.reply("a").funnels[0]
            #expect(funnel.isCut && (9000..<FunnelProgress.mostSubjects).contains(funnel.steps[0].reached))
        }
    }

    @Test func `a run that the store has no room for keeps no others from being saved`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await openStore(folder, maximumBytes: 2 << 20)
            let keeping = Keeping(store, [try Keeping.dictionary()])
            try await keeping.start(Self.funnel, name: "big")
            try await keeping.start("items: [recipe/tap]", name: "other")
            let tail = String(repeating: "v", count: 200)
            for part in 0..<60 {
                let events = (0..<100).map {
                    Sample.Sent("recipe/show", payload: #"{"user_id":"\#(part * 100 + $0)-\#(tail)"}"#)
                }
                try await keeping.send(events, from: UInt64(part * 100 + 1))
            }
            try await keeping.send([.of("tap", user: 1)], from: 6001)
            #expect(try await keeping.keeper.reply("other").items[0].count == 1)
            await keeping.keeper.save(all: false)
            let saved = try await store.savedWatches(.checklist).filter { $0.state.contains(#""count":1"#) }
            #expect(saved.map(\.name) == ["other"])
            #expect(
                keeping.log.texts.count == 1
                    && keeping.log.texts[0].hasPrefix("Checklists do not save what big has counted now, "),
                "\(keeping.log.texts)")
            #expect(await keeping.keeper.problems.map(\.code) == ["checklist.not-counted"])
            _ = try await keeping.keeper.remove("big")
            await keeping.keeper.save(all: false)
            #expect(await keeping.keeper.problems == [])
            await store.close()
        }
    }

    @Test func `what was counted outlives the daemon, each event once`() async throws {
        try await withTemporaryFolder { folder in
            var store = try await openStore(folder)
            var keeping = Keeping(store, [try Keeping.dictionary()])
            let text = Self.list + "\nfunnels:\n- {name: f, steps: [recipe/show, recipe/done], min: 1}"
            try await keeping.start(text)
            try await keeping.start("checklist: b\nitems: [recipe/show]")
            try await keeping.send([.of("show", user: 1)], from: 1)
            #expect(try await keeping.keeper.reply("release").items[0].count == 1)
            _ = try await keeping.keeper.stop("b")
            // What was counted since it was saved is counted again from the same position.
            await store.close()
            store = try await openStore(folder)
            keeping = Keeping(store, [try Keeping.dictionary()])
            try await keeping.keeper.load()
            try await keeping.send([.of("show", user: 1), .of("done", user: 1)], from: 2)
            let running = Task { [keeper = keeping.keeper] in await keeper.run() }
            #expect(try await keeping.keeper.reply("release").items[0].count == 2)
            running.cancel()
            await running.value
            await store.close()
            store = try await openStore(folder)
            keeping = Keeping(store, [try Keeping.dictionary()])
            #expect(try await store.savedWatches(.checklist).map(\.position) == [3, 3])
            try await keeping.keeper.load()
            let reply = try await keeping.keeper.reply("release")
            #expect(reply.items[0].count == 2 && reply.funnels[0].steps.map(\.reached) == [1, 1])
            let stopped = try await keeping.keeper.reply("b")
            #expect(stopped.state == .stopped && stopped.items[0].count == 1 && stopped.stoppedAt != nil)
            await store.close()
        }
    }

    @Test func `a run is reset, stopped, started again and removed`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.list)
            try await keeping.send([.of("show", user: 1)], from: 1)
            keeping.log.now = Sample.start + 5000
            let reset = try await keeping.keeper.reset("release")
            #expect(reset.items[0].count == 0 && reset.since.microseconds == Sample.start + 5000)
            await #expect(throws: Problem.self) { try await keeping.start(Self.list) }
            try await keeping.send([.of("show", user: 1)], from: 6)
            keeping.log.now = Sample.start + 6500
            #expect(try await keeping.keeper.stop("release").items[0].count == 1)
            try await keeping.send([.of("show", user: 1)], from: 7)
            #expect(try await keeping.keeper.reply("release").items[0].count == 1)
            #expect(try await keeping.start(Self.list).items[0].count == 0)
            #expect(try await keeping.keeper.remove("release").name == "release")
            let error = await #expect(throws: Problem.self) { try await keeping.keeper.reply("release") }
            #expect(error?.status == 404)
            #expect(try await keeping.store.savedWatches(.checklist).isEmpty)
        }
    }

    @Test func `a run that is removed while it is reset is gone`() async throws {
        try await withKeeping { keeping in
            for _ in 0..<20 {
                try await keeping.start(Self.list)
                async let reset = try? keeping.keeper.reset("release")
                async let removed = try? keeping.keeper.remove("release")
                _ = await (reset, removed)
                #expect(await keeping.keeper.list().checklists.isEmpty)
                #expect(try await keeping.store.savedWatches(.checklist).isEmpty)
            }
        }
    }

    @Test func `a start that fails takes nothing from the run that was started meanwhile`() async throws {
        try await withKeeping { keeping in
            try await keeping.refuseWatches(with: "tap]")
            for _ in 0..<20 {
                async let failed = try? keeping.start("items: [recipe/tap]", name: "a")
                async let removed = try? keeping.keeper.remove("a")
                try await keeping.startWhenFree("items: [recipe/show]", name: "a")
                let (first, _) = await (failed, removed)
                #expect(first == nil)
                let names = try await keeping.store.savedWatches(.checklist).map(\.name)
                #expect(await keeping.keeper.list().checklists.map(\.name) == names)
                _ = try? await keeping.keeper.remove("a")
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["none", "stopped", "unreadable"])
    func `a start that fails leaves the store as it was, also if all runs are saved meanwhile`(
        before: String
    ) async throws {
        try await withKeeping { keeping in
            @Sendable func start() async throws {
                try await keeping.start("items: [recipe/show]", name: "a", since: Sample.start)
            }
            try await keeping.send([.of("show", user: 1)], from: 1)
            keeping.log.now += 5000
            switch before {
            case "stopped":
                try await start()
                #expect(try await keeping.keeper.stop("a").items[0].count == 1)
                await keeping.keeper.save(all: false)
                keeping.log.now += 5000
            case "unreadable":
                try await keeping.store.save([SavedWatch(name: "a", position: 0, state: "{}")], of: .checklist)
                try await keeping.keeper.load()
            default: break
            }
            let states = try await keeping.store.savedWatches(.checklist).map(\.state)
            // The new run could be saved as soon as it has counted.
            try await keeping.refuseWatches(with: #""count":0"#)
            let (started, saved) = try await keeping.holdingWrites {
                let started = Task { try await start() }
                while true {
                    let reply = try? await keeping.keeper.reply("a")
                    if reply?.state == .running, reply?.items[0].count == 1 { break }
                    try await Task.sleep(for: .milliseconds(1))
                }
                let last = await keeping.keeper.lastSaved.changes
                let saved = Task { await keeping.keeper.save(all: false) }
                while await keeping.keeper.lastSaved.changes == last { try await Task.sleep(for: .milliseconds(1)) }
                return (started, saved)
            }
            await #expect(throws: StoreError.self) { try await started.value }
            await saved.value
            #expect(try await keeping.store.savedWatches(.checklist).map(\.state) == states)
            #expect(await keeping.keeper.list().checklists.map(\.state) == (before == "stopped" ? [.stopped] : []))
            let problems = await keeping.keeper.problems.map(\.code)
            #expect(problems == (before == "unreadable" ? ["checklist.unreadable"] : []))
        }
    }

    @Test(arguments: [
        ("items: []", "list.yaml: error: the list has no items"),
        ("items: [a/b]\npredicate: usr == 1", "that no definition has\n  usr == 1\n  ^^^"),
        (
            "items:\n- a/b\n- {event: a/b, name: b, predicate: 'nothing == 1'}",
            "list.yaml:3: error: item b: there is no key and no defined parameter nothing"
        ),
        (
            "items: [a/b]\npredicate: time > -5m",
            "list.yaml:2: error: predicate: a time in the predicate depends on when it is read"
        ),
        ("items: [a/b]\npredicate: journal._EXE == x", "an event has journal fields only as long as"),
        ("items: [a/b]\npredicate: message matches '('", "parenthesis"),
        ("items: [a/b]\nfunnels:\n- {steps: [a/b, c/d], by: device}", "events cannot be distinguished by device"),
        ("checklist: a/b\nitems: [a/b]", "without /"),
    ])
    func `what cannot be watched is not started`(text: String, reason: String) async throws {
        try await withKeeping { keeping in
            let error = await #expect(throws: Problem.self) { try await keeping.start(text) }
            #expect(error?.status == 422 && error?.detail?.contains(reason) == true, "\(String(describing: error))")
            #expect(await keeping.keeper.list().checklists.isEmpty)
        }
    }

    @Test func `a run does not begin in the future, but clocks may differ a little`() async throws {
        try await withKeeping { keeping in
            let error = await #expect(throws: Problem.self) {
                try await keeping.start(Self.list, since: Sample.start + 60_000_000)
            }
            #expect(error?.status == 422 && error?.parameter == "since")
            let reply = try await keeping.start(Self.list, since: Sample.start + 1_000_000)
            #expect(reply.since.microseconds == Sample.start)
        }
    }

    @Test(arguments: ["", "a/b", "a\u{1B}", ".", String(repeating: "a", count: 101)])
    func `a name that cannot be is no fault of the file`(name: String) async throws {
        try await withKeeping { keeping in
            let error = await #expect(throws: Problem.self) { try await keeping.start(Self.list, name: name) }
            #expect(error?.status == 400 && error?.parameter == "name")
            #expect(error?.detail?.hasPrefix("the name ") == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        ("user == 42", "items: [recipe/show]"), (nil, "predicate: '@mine'\nitems: [recipe/show]"),
        (nil, "items: [{event: recipe/show, predicate: user_id == 42}]"),
    ])
    func `only who may read the journal asks for hashed values`(condition: String?, list: String) async throws {
        try await withKeeping { keeping in
            keeping.meanings.use([try Keeping.dictionary(user: .hash)])
            func start(_ mayReadJournal: Bool) -> ChecklistStart {
                ChecklistStart(
                    text: list, format: .yaml, file: "a.yaml", condition: condition,
                    predicates: ["mine": "user_id == 42"], mayReadJournal: mayReadJournal)
            }
            let error = await #expect(throws: Problem.self) { try await keeping.keeper.start(start(false), named: "a") }
            #expect(error?.status == 403 && error?.detail?.contains("values of user_id are stored as hashes") == true)
            #expect(await keeping.keeper.list().checklists.isEmpty)
            #expect(try await keeping.keeper.start(start(true), named: "a").state == .running)
        }
    }

    @Test(arguments: [
        (nil, "predicate: '@baad'\nitems: [recipe/show]", "a.yaml:1: error: predicate: "),
        (nil, "items: [{event: recipe/show, name: x, predicate: level = err or @baad}]", "a.yaml:1: error: item x: "),
        ("@baad", "predicate: '@bad'\nitems: [recipe/show]", ""),
    ])
    func `a name that the settings do not have is refused with those that they have`(
        condition: String?, list: String, place: String
    ) async throws {
        try await withKeeping { keeping in
            let start = ChecklistStart(
                text: list, format: .yaml, file: "a.yaml", condition: condition,
                predicates: ["bad": "level >= err", "slow": "user == 42"], mayReadJournal: true)
            let error = await #expect(throws: Problem.self) { try await keeping.keeper.start(start, named: "a") }
            let detail = try #require(error?.detail)
            #expect(detail.hasPrefix("\(place)there is no predicate @baad; there are @bad, @slow"), "\(detail)")
        }
    }

    @Test func `a run with values that are hashed since then is held, unless who started it may read the journal`()
        async throws
    {
        try await withKeeping { before in
            let list = "predicate: user_id == 42\nitems: [{event: recipe/show, predicate: user_id == 42}]"
            try await before.start(list, name: "other", mayReadJournal: false)
            for name in ["reader", "old"] { try await before.start(list, name: name) }
            // A run from before it was kept who started it.
            var old = try #require(try await before.store.savedWatches(.checklist).first { $0.name == "old" })
            old.state = old.state.replacing("mayReadJournal", with: "before")
            try await before.store.save([old], of: .checklist)
            let keeping = Keeping(before.store, [try Keeping.dictionary(user: .hash)])
            try await keeping.keeper.load()
            let hashed = Sample.Sent("recipe/show", payload: #"{"user_id":"\#(Sample.hash("42"))"}"#)
            try await keeping.send([hashed], from: 1)
            let counted = try await keeping.keeper.reply("reader")
            #expect(counted.state == .running && counted.items[0].count == 1)
            for name in ["other", "old"] {
                let held = try await keeping.keeper.reply(name)
                #expect(held.state == .held && held.items[0].count == 0 && held.behind == 1)
                #expect(held.reason?.contains("values of user_id are stored as hashes") == true)
                await #expect(throws: Problem.self) { try await keeping.keeper.predicate(of: name) }
                await #expect(throws: Problem.self) { try await keeping.keeper.itemPredicates(of: name) }
                #expect(try await keeping.keeper.reset(name).state == .held)
            }
        }
    }

    @Test func `a run without a meaning is held, and loses nothing`() async throws {
        try await withKeeping { keeping in
            try await keeping.start("checklist: a\npredicate: user == 1\nitems: [recipe/show]")
            try await keeping.start("checklist: b\nitems: [recipe/show]")
            keeping.meanings.use([])
            await keeping.keeper.useDictionaries()
            try await keeping.send([.of("show", user: 1)], from: 1)
            let held = try await keeping.keeper.reply("a")
            #expect(held.state == .held && held.reason?.contains("role user") == true && held.behind == 1)
            #expect(try await keeping.keeper.reply("b").items.map(\.count) == [1])
            keeping.meanings.use([try Keeping.dictionary()])
            await keeping.keeper.useDictionaries()
            let reply = try await keeping.keeper.reply("a")
            #expect(reply.state == .running && reply.items[0].count == 1 && reply.behind == 0)
        }
    }

    @Test func `an expression that takes too long holds its own run only`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(
                #"items: [{event: recipe/show, predicate: "message matches '(a+)+$'"}]"#, name: "slow")
            try await keeping.start("items: [recipe/show]", name: "quick")
            let text = String(repeating: "a", count: 40) + "!"
            try await keeping.send([.of("show", user: 1, #","t":"\#(text)"#)], from: 1)
            let slow = try await keeping.keeper.reply("slow")
            #expect(slow.state == .held && slow.reason != nil)
            #expect(try await keeping.keeper.reply("quick").result == .done)
        }
    }

    @Test func `a run that takes the place of one that takes too long is not held for it`() async throws {
        try await withKeeping { keeping in
            let text = String(repeating: "a", count: 40) + "!"
            for round in UInt64(1)...5 {
                try await keeping.start(
                    #"items: [{event: recipe/show, predicate: "message matches '(a+)+$'"}]"#, name: "a")
                try await keeping.send([.of("show", user: 1, #","t":"\#(text)"#)], from: round)
                // Another start, while events are counted.
                keeping.log.now += 1000
                async let counted = keeping.keeper.list()
                async let stopped = keeping.keeper.stop("a")
                try await keeping.startWhenFree("items: [recipe/show]", name: "a")
                _ = try await (counted, stopped)
                #expect(try await keeping.keeper.reply("a").state == .running)
                _ = try await keeping.keeper.remove("a")
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a run that takes the place of another counts by itself also before it is saved`() async throws {
        try await withKeeping { keeping in
            try await keeping.start("items: [recipe/show]", name: "a")
            keeping.log.now += 5000
            _ = try await keeping.keeper.stop("a")
            keeping.log.now += 5000
            try await keeping.send([.of("show", user: 1)], from: 9)
            // Looks for what was sent before the end.
            #expect(try await keeping.keeper.reply("a").items[0].count == 0)
            let started = try await keeping.holdingWrites {
                let started = Task {
                    try await keeping.start("items: [recipe/show]", name: "a", since: Sample.start)
                }
                while try await keeping.keeper.reply("a").state == .stopped {
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(try await keeping.keeper.reply("a").items[0].count == 1)
                return started
            }
            #expect(try await started.value.items[0].count == 1)
        }
    }

    @Test func `who waits gets each change`() async throws {
        try await withKeeping { keeping in
            let running = Task { [keeper = keeping.keeper] in await keeper.run() }
            try await keeping.start(Self.list)
            await keeping.keeper.beginWatching()
            let (first, revision) = try await keeping.keeper.change(of: "release", after: nil)
            #expect(first.items[0].count == 0)
            async let next = keeping.keeper.change(of: "release", after: revision)
            try await keeping.send([.of("show", user: 1)], from: 1)
            let (reply, later) = try await next
            #expect(reply.items[0].count == 1 && later > revision)
            let last = Task { [keeper = keeping.keeper] in try await keeper.change(of: "release", after: later) }
            _ = try await keeping.keeper.remove("release")
            await #expect(throws: Problem.self) { try await last.value }
            await keeping.keeper.endWatching()
            running.cancel()
            await running.value
        }
    }
    @Test(.timeLimit(.minutes(1)))
    func `who waits gets changes as soon as they come, also while runs cannot be saved`() async throws {
        try await withKeeping { keeping in
            try await keeping.start(Self.list)
            try await keeping.refuseWatches()
            await keeping.keeper.save(all: true)
            #expect(await keeping.keeper.problems.map(\.code) == ["checklist.not-counted"])
            let running = Task { [keeper = keeping.keeper] in await keeper.run() }
            await keeping.keeper.beginWatching()
            var (reply, revision) = try await keeping.keeper.change(of: "release", after: nil)
            // With two seconds between them, they take longer than a test may.
            for number in 1...50 {
                try await keeping.send([.of("show", user: 1)], from: UInt64(number))
                while reply.items[0].count < number {
                    (reply, revision) = try await keeping.keeper.change(of: "release", after: revision)
                }
            }
            await keeping.keeper.endWatching()
            running.cancel()
            await running.value
        }
    }
}
