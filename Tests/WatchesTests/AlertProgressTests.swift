import Model
import Store
import TestSupport
import Testing

@testable import Watches

/// Alert rules over weeks that pass in a moment.
struct AlertProgressTests {
    /// A rule, and the time that passes.
    private struct World {
        var rule: AlertRule
        var now: Int64 = 0
        var progress = AlertProgress(startedAt: 0)
        private var id: Int64 = 0
        private(set) var notices: [String] = []
        /// Since when each of them said that its condition holds.
        private(set) var since: [Int64] = []
        var isBehind = false
        /// Until when everything was looked at, if it is behind.
        var complete: Int64 = 0

        init(_ condition: AlertRule.Condition, by: [ExactString] = [], hold: Duration = .zero, every: Duration? = nil) {
            rule = AlertRule(name: "a", predicate: "", condition: condition, by: by, holdTime: hold, every: every)
        }

        static let second: Int64 = 1_000_000

        /// - Parameter ago: how long before they are looked at they were sent, in seconds.
        mutating func send(
            _ values: [ExactString?] = [], count: Int = 1, ago: Int64 = 0, mostBytes: Int = AlertProgress.mostBytes
        ) {
            let events = (0..<count).map { _ in
                id += 1
                return WatchedEvent(place: EventPlace(time: now - ago * Self.second, id: id), values: values)
            }
            progress.add(events, of: rule, now: now, mostBytes: mostBytes)
        }

        /// Lets time pass, a second at a time; and remembers what was sent, with its second.
        mutating func pass(_ seconds: Int64, step: Int64 = 1) {
            var left = seconds
            while left > 0 {
                now += step * Self.second
                left -= step
                look()
            }
        }

        mutating func look() {
            let complete = isBehind ? min(complete, now) : now
            for change in progress.changes(of: rule, now: now, completeUntil: complete) {
                let cause = change.cause.map { $0?.text ?? "-" }.joined(separator: ",")
                since.append(change.since)
                notices.append("\(now / Self.second) \(change.state.rawValue)\(cause.isEmpty ? "" : " \(cause)")")
            }
        }

        mutating func take() -> [String] {
            defer { notices = [] }
            return notices
        }
    }

    @Test func `causes that become one go on together`() {
        var world = World(.count(3, within: .seconds(60)), by: ["event", "user"])
        world.pass(10)
        world.send(["a/b", "1"], count: 2)
        world.send(["a/b", "2"], count: 2)
        world.send(["a/c", "3"], count: 4)
        world.send(["a/c", "4"], count: 1)
        world.pass(1)
        #expect(world.take() == ["11 firing a/c,3"])
        let protection = ValueProtection(["user": .private, "event": .public]) { $0 }
        for isFirst in [true, false] {
            let hasReplaced = world.progress.protect(protection, of: world.rule)
            #expect(hasReplaced == isFirst)
        }
        world.pass(100)
        #expect(
            world.take().sorted() == [
                "12 firing a/b,<private>", "70 resolved a/b,<private>", "70 resolved a/c,<private>",
            ])
    }

    @Test func `a threshold fires once for each cause, and recovers`() {
        var world = World(.count(3, within: .seconds(60)), by: ["event"])
        world.pass(10)
        world.send(["x"], count: 2)
        world.send(["y"])
        world.pass(10)
        #expect(world.take() == [])
        world.send(["x"])
        world.pass(30)
        #expect(world.take() == ["21 firing x"])
        // At 70 the first two are older than a minute.
        world.pass(40)
        #expect(world.take() == ["70 resolved x"])
        world.pass(600)
        #expect(world.take() == [] && world.progress.isQuiet)
        world.send([nil], count: 3)
        world.pass(100)
        #expect(world.take() == ["691 firing -", "750 resolved -"])
    }

    @Test func `a condition has to hold for a time, and is repeated while it does`() {
        var world = World(.count(1, within: .seconds(60)), hold: .seconds(120), every: .seconds(3600))
        world.send()
        world.pass(600)
        #expect(world.take() == [], "one event is over before two minutes are")
        for _ in 0..<(3 * 360) {
            world.send()
            world.pass(10, step: 10)
        }
        #expect(world.take() == ["720 firing", "4320 repeated", "7920 repeated"])
        world.pass(600)
        #expect(world.take() == ["11450 resolved"])
    }

    @Test(arguments: [
        (AlertRule.Condition.count(2, within: .seconds(864_000)), Int64(5)),
        (.growth(2, count: 2, within: .seconds(864_000)), 5),
        (.distinct("user", count: 2, within: .seconds(864_000)), 10),
    ])
    func `a condition holds from the event on with which it was met, however long its parts are`(
        _ condition: AlertRule.Condition, _ met: Int64
    ) {
        // Users that send every 5 seconds, looked at one by one, and together.
        let users: [ExactString] = ["1", "1", "2", "3"]
        for isTogether in [false, true] {
            var world = World(condition, hold: .seconds(20))
            // For so long that growth is known, and on into a part of four hours.
            world.pass(121 * 14_400, step: 14_400)
            world.pass(97)
            let begin = world.now / World.second
            if isTogether { world.now += 15 * World.second }
            for (place, user) in users.enumerated() {
                world.send([user], ago: isTogether ? Int64(15 - 5 * place) : 0)
                if !isTogether { world.pass(5) }
            }
            world.pass(60)
            #expect(world.take() == ["\(begin + met + 20) firing"] && world.since == [(begin + met) * World.second])
        }
    }

    @Test func `different values are counted on from those of before, however many are missing`() {
        var world = World(.distinct("user", count: 100, within: .seconds(864_000)), hold: .seconds(20))
        world.pass(14_400, step: 14_400)
        for user in 0..<60 { world.send([ExactString("\(user)")]) }
        world.pass(14_400, step: 14_400)
        let begin = world.now / World.second
        // Half of them were there; the one that completes them comes in second 69.
        for user in 30..<110 {
            world.send([ExactString("\(user)")])
            world.pass(1)
        }
        world.pass(60)
        #expect(world.take() == ["\(begin + 69 + 20) firing"] && world.since == [(begin + 69) * World.second])
    }

    @Test func `what has grown enough may have to grow more when it is known how many there were before`() {
        var world = World(.growth(2, count: 2, within: .seconds(864_000)), hold: .seconds(20))
        world.pass(121 * 14_400, step: 14_400)
        world.pass(97)
        let begin = world.now / World.second
        world.now += 15 * World.second
        for ago in [Int64(15), 10, 8] { world.send(ago: ago) }
        // Read late: there were two before, so that only four are enough.
        world.send(count: 2, ago: 864_000 + 20_000)
        world.send(ago: 5)
        world.pass(60)
        #expect(world.take() == ["\(begin + 30) firing"] && world.since == [(begin + 10) * World.second])
    }

    @Test func `what is caught up or arrives late is not reported`() {
        var world = World(.count(3, within: .seconds(600)))
        world.pass(10_000, step: 10)
        world.send(count: 100, ago: 61)
        world.send(count: 2, ago: 59)
        world.pass(60)
        #expect(world.take() == [])
        world.send(ago: 60)
        world.pass(1)
        #expect(world.take() == ["10061 firing"])
    }

    @Test func `growth is that against the time before, once that is known`() {
        var world = World(.growth(3, count: 10, within: .seconds(600)))
        // From nothing to something, before it is known that there was nothing.
        world.send(count: 50)
        world.pass(600, step: 10)
        #expect(world.take() == [])
        // A daemon that was down catches up: those are not new, but they were there.
        world.pass(3000, step: 10)
        world.send(count: 20, ago: 900)
        world.send(count: 50)
        world.pass(10)
        #expect(world.take() == [], "50 are less than 3 times 20")
        world.send(count: 10)
        world.pass(10)
        #expect(world.take() == ["3611 firing"])
        world.pass(1200, step: 10)
        #expect(world.take().count == 1)
    }

    @Test func `different values are counted`() {
        var world = World(.distinct("user", count: 3, within: .seconds(60)), by: ["event"])
        for user in ["1", "2", "2", "1"] { world.send(["x", ExactString(user)]) }
        world.send(["x", nil], count: 5)
        world.send(["y", "3"])
        world.pass(5)
        #expect(world.take() == [])
        world.send(["x", "3"])
        world.pass(5)
        #expect(world.take() == ["6 firing x"])
    }

    @Test func `silence is reported when the journal is read, and over with the next event`() {
        var world = World(.absent(.seconds(900)))
        world.pass(899)
        #expect(world.take() == [])
        world.pass(2)
        #expect(world.take() == ["900 firing"])
        world.send(ago: 500)
        world.pass(10)
        #expect(world.take() == [], "an event from before is no end of it")
        world.send()
        world.pass(10)
        #expect(world.take() == ["912 resolved"])
        // While the daemon is behind, nobody knows.
        world.isBehind = true
        world.pass(5000, step: 10)
        #expect(world.take() == [])
        world.send(ago: 100)
        world.isBehind = false
        world.pass(10)
        #expect(world.take() == [])
    }

    @Test func `silence of each cause that was there`() {
        var world = World(.absent(.seconds(60)), by: ["host"])
        world.pass(100)
        #expect(world.take() == [])
        world.send(["a"])
        world.send(["b"])
        world.pass(50)
        world.send(["b"])
        world.pass(61)
        #expect(world.take() == ["160 firing a", "210 firing b"])
    }

    @Test func `the first event of its kind is reported once, ever`() {
        var world = World(.first, by: ["event", "violation.rule"])
        world.send(["old", "type"], ago: 86_400)
        world.look()
        for _ in 0..<14 {
            world.send(["old", "type"])
            world.send(["new", "type"])
            world.send(["new", "missing"])
            world.pass(86_400, step: 3600)
        }
        #expect(Set(world.take()) == ["3600 firing new,type", "3600 firing new,missing"])
    }

    @Test func `events with any time are taken`() {
        for condition in [AlertRule.Condition.first, .count(2, within: .seconds(60)), .absent(.seconds(60))] {
            var world = World(condition)
            world.pass(1)
            let events = [Int64.min, -1, .max].map { WatchedEvent(place: EventPlace(time: $0, id: 1), values: []) }
            world.progress.add(events, of: world.rule, now: world.now)
            world.pass(5)
            // The largest time counts as now, and the second one is just over.
            #expect(world.take().count == (condition == .absent(.seconds(60)) ? 0 : 1))
        }
    }

    @Test func `weeks pass: an outage each night, and nothing else, is reported`() throws {
        var world = World(.count(10, within: .seconds(300)), by: ["host"], hold: .seconds(60), every: .seconds(7200))
        var random = SeededGenerator(seed: 7)
        for day in 0..<21 {
            for minute in 0..<1440 {
                // Usually one error in some minutes; from 3:00 to 3:30 many, on one host.
                if random.next() % 3 == 0 { world.send(["b"]) }
                if (180..<210).contains(minute) { world.send(["a"], count: 5) }
                world.pass(60, step: 10)
                // As after a restart.
                if minute == 190 {
                    let saved = try JSONCoding.encode(world.progress)
                    world.progress = try JSONCoding.decode(AlertProgress.self, saved)
                }
            }
            let notices = world.take()
            #expect(
                notices.count == 2 && notices[0].hasSuffix("firing a") && notices[1].hasSuffix("resolved a"),
                "\(day) \(notices)")
        }
    }

    @Test func `what fills a short time between two looks is not missed`() {
        var world = World(.count(3, within: .seconds(2)))
        world.pass(10)
        world.send(count: 2)
        world.now += World.second
        world.send()
        world.now += 3 * World.second
        world.look()
        #expect(world.take() == ["14 firing"])
        world.pass(10)
        #expect(world.take().count == 1)
    }

    @Test(arguments: [true, false]) func `what is met for a shorter time than it has to hold does not fire`(
        _ isBehind: Bool
    ) {
        for condition in [
            AlertRule.Condition.count(1, within: .seconds(1)), .distinct("user", count: 2, within: .seconds(1)),
            .growth(2, count: 1, within: .seconds(1)),
        ] {
            for step in [Int64(1), 2] {
                var world = World(condition, hold: .seconds(3))
                world.isBehind = isBehind
                world.pass(10)
                for user in ["1", "2"] { world.send([ExactString(user)]) }
                world.pass(20, step: step)
                #expect(world.take() == [], "\(condition)")
            }
        }
    }

    @Test func `what is met long enough between two looks fires`() {
        var world = World(.count(3, within: .seconds(10)), hold: .seconds(9))
        world.pass(10)
        world.send(count: 3)
        world.pass(20, step: 2)
        #expect(world.take() == ["20 firing", "22 resolved"])
        var other = World(.count(3, within: .seconds(10)), hold: .seconds(11))
        other.pass(10)
        other.send(count: 3)
        other.pass(60)
        #expect(other.take() == [])
    }

    @Test(arguments: [7, 9, 10, 20, 50, 100])
    func `what has been reported as over does not fire again with the next event`(
        _ within: Int64
    ) {
        var world = World(.count(10, within: .seconds(within)))
        world.pass(30)
        world.send(count: 10)
        world.pass(within - 1)
        #expect(world.take().count == 1)
        world.pass(1)
        world.now += 50_000
        world.look()
        world.send()
        world.pass(3)
        #expect(world.take().map { $0.split(separator: " ")[1] } == ["resolved"])
    }

    @Test func `a hold of before a suspension is not reported`() {
        var world = World(.count(3, within: .seconds(40)), hold: .seconds(30))
        world.pass(10)
        world.send(count: 3)
        world.pass(2)
        world.pass(3600, step: 3600)
        world.pass(10)
        #expect(world.take() == [])
    }

    @Test func `what ends between two looks says how many there were`() {
        var world = World(.count(3, within: .seconds(21)), hold: .seconds(20))
        world.pass(10)
        world.send(count: 3)
        world.pass(18, step: 2)
        world.now += 4 * World.second
        let changes = world.progress.changes(of: world.rule, now: world.now, completeUntil: world.now)
        #expect(changes.map(\.state) == [.firing] && changes.map(\.count) == [3])
    }

    @Test func `what is too old to count takes no room`() {
        var world = World(.count(3, within: .seconds(6)))
        world.pass(100_000, step: 1000)
        let before = world.progress.causes.count
        for ago in 0..<20_000 { world.send(ago: Int64(100 + ago)) }
        world.look()
        #expect(world.progress.causes.count == before && world.take() == [])
    }

    @Test func `a burst that is read a quarter of a minute late is reported, though its time is shorter`() {
        var world = World(.count(3, within: .seconds(5)))
        world.pass(100)
        world.send(count: 3, ago: 15)
        world.pass(1)
        #expect(world.take() == ["101 firing"])
    }

    @Test func `events that are read some seconds late are no end of what holds`() {
        var world = World(.count(2, within: .seconds(2)), hold: .seconds(10))
        world.isBehind = true
        for _ in 0..<60 {
            world.send(count: 2, ago: 3)
            world.pass(1)
        }
        #expect(world.take().map { $0.split(separator: " ")[1] } == ["firing"])
        world.isBehind = false
        world.pass(10)
        #expect(world.take().count == 1)
    }

    @Test(arguments: [
        AlertRule.Condition.count(3, within: .seconds(20)), .distinct("user", count: 3, within: .seconds(20)),
        .growth(2, count: 3, within: .seconds(20)),
    ])
    func `nothing is over, or reported again, while reading pauses`(_ condition: AlertRule.Condition) {
        var world = World(condition, every: .seconds(60))
        func send(ago: Int64 = 0) {
            for user in ["1", "2", "3"] { world.send([ExactString(user)], ago: ago) }
        }
        world.pass(100)
        send()
        world.pass(5)
        #expect(world.take() == ["101 firing"])
        (world.isBehind, world.complete) = (true, world.now)
        world.pass(600)
        #expect(world.take() == [])
        // It went on meanwhile. What is read now is late at first.
        for ago in stride(from: Int64(595), through: 0, by: -5) { send(ago: ago) }
        world.complete = world.now - 300 * World.second
        world.pass(1)
        world.isBehind = false
        world.pass(5)
        let isGrowth = if case .growth = condition { true } else { false }
        #expect(world.take().map { $0.split(separator: " ")[1] } == (isGrowth ? ["resolved"] : ["repeated"]))
        world.pass(60)
        #expect(world.take().map { $0.split(separator: " ")[1] } == (isGrowth ? [] : ["resolved"]))
    }

    @Test func `what was read late is over when the journal is read until then`() {
        var world = World(.count(3, within: .seconds(5)))
        world.pass(100)
        (world.isBehind, world.complete) = (true, 80 * World.second)
        world.send(count: 3, ago: 15)
        world.pass(3)
        #expect(world.take() == ["101 firing"])
        world.complete = 95 * World.second
        world.pass(1)
        #expect(world.take() == ["104 resolved"])
    }

    @Test func `a hold that ended before a crash, and was not saved, does not fire after it`() throws {
        var world = World(.count(3, within: .seconds(40)), hold: .seconds(60))
        world.pass(2)
        world.send(count: 3)
        world.pass(39)
        let saved = try JSONCoding.encode(world.progress)
        world.pass(25)
        // The daemon is killed. The next one looks at what came meanwhile.
        world.progress = try JSONCoding.decode(AlertProgress.self, saved)
        world.now += 4 * World.second
        world.send(count: 3, ago: 4)
        world.pass(100)
        #expect(world.take() == [])
        // A hold that went on does.
        world.send(count: 3)
        world.pass(30)
        let again = try JSONCoding.encode(world.progress)
        world.send(count: 3)
        world.now += 35 * World.second
        world.progress = try JSONCoding.decode(AlertProgress.self, again)
        world.send(count: 3, ago: 35)
        world.pass(1)
        #expect(world.take() == ["236 firing"])
    }

    @Test func `a wrong clock does not fire for ever`() {
        var world = World(.count(1, within: .seconds(60)))
        world.send(ago: -1_000_000)
        world.progress.add([WatchedEvent(place: EventPlace(time: .max, id: 9), values: [])], of: world.rule, now: 0)
        world.pass(100)
        #expect(world.take() == ["1 firing", "60 resolved"])
    }

    @Test(arguments: [3600, 1]) func `a clock that is set back does not make a rule deaf`(_ back: Int64) throws {
        for isRestarted in [false, true] {
            var worlds = [
                World(.count(3, within: .seconds(60)), every: .seconds(100)), World(.absent(.seconds(60))),
                World(.growth(3, count: 3, within: .seconds(60))),
            ]
            for place in worlds.indices {
                worlds[place].pass(10_000, step: 10)
                worlds[place].send(count: 3)
                worlds[place].pass(1)
                worlds[place].now -= back * World.second
                if isRestarted {
                    let saved = try JSONCoding.encode(worlds[place].progress)
                    worlds[place].progress = try JSONCoding.decode(AlertProgress.self, saved)
                }
                worlds[place].pass(61)
            }
            let texts = worlds.indices.map { worlds[$0].take().suffix(2) }
            let begin = 10_001 - back
            #expect(texts[0] == ["10001 firing", "\(begin + 60) resolved"])
            #expect(texts[1] == ["10001 resolved", "\(begin + 60) firing"])
            #expect(texts[2] == ["10001 firing", "\(begin + 60) resolved"])
            for place in worlds.indices {
                worlds[place].send(count: 3)
                worlds[place].pass(2)
            }
            #expect(worlds.indices.map { worlds[$0].take().count } == [1, 1, 0])
            // What is reported again is, too.
            worlds[0].now -= back * World.second
            for _ in 0..<10 {
                worlds[0].send(count: 3)
                worlds[0].pass(10)
            }
            #expect(worlds[0].take().map { $0.split(separator: " ")[1] } == ["repeated"])
        }
    }

    @Test func `a cause that is gone for a week is forgotten`() {
        var world = World(.absent(.seconds(60)), by: ["user"])
        world.send(["1"])
        world.pass(8 * 86_400, step: 600)
        #expect(world.take() == ["600 firing 1"] && world.progress.causes.isEmpty)
    }

    @Test func `causes are distinguished up to a number`() {
        var world = World(.count(1, within: .seconds(60)), by: ["user"])
        for user in 0...AlertProgress.mostCauses { world.send([ExactString("\(user)")]) }
        world.look()
        #expect(world.take().count == AlertProgress.mostCauses && world.progress.isCut)
        world.pass(200, step: 10)
        // That is said for an hour.
        #expect(world.progress.causes.isEmpty && world.progress.isCut)
        world.pass(3600, step: 10)
        #expect(!world.progress.isCut)
    }

    @Test(arguments: [
        AlertRule.Condition.count(2, within: .seconds(5)), .growth(2, count: 2, within: .seconds(5)),
        .distinct("event", count: 2, within: .seconds(5)),
    ])
    func `causes whose time is over make room for others, those that fire do not`(_ condition: AlertRule.Condition) {
        var world = World(condition, by: ["user"])
        func send(_ user: Int) {
            for event in ["x", "y"] { world.send([ExactString("\(user)"), ExactString(event)]) }
        }
        world.pass(100)
        for user in 1..<AlertProgress.mostCauses { world.send([ExactString("\(user)"), "x"]) }
        world.pass(9)
        send(0)
        world.pass(1)
        #expect(world.take() == ["110 firing 0"])
        send(AlertProgress.mostCauses)
        world.pass(1)
        #expect(world.take() == ["111 firing \(AlertProgress.mostCauses)"] && !world.progress.isCut)
        // Nothing is over of those that come now, until their time is.
        for user in 2000..<4000 { send(user) }
        #expect(world.progress.causes.count == AlertProgress.mostCauses && world.progress.isCut)
        world.pass(20)
        _ = world.take()
        send(5000)
        world.pass(1)
        #expect(world.take() == ["132 firing 5000"])
    }

    @Test(arguments: ["v", "\u{1}", "\"", "\\", "/"])
    func `what is kept is bounded, and what fires goes on`(_ letter: String) throws {
        // In JSON, some letters take more than one byte.
        let value = String(repeating: letter, count: 240)
        for condition in [
            AlertRule.Condition.first, .count(2, within: .seconds(60)),
            .distinct("event", count: 50, within: .seconds(60)),
        ] {
            var world = World(condition, by: ["user"])
            for part in 0..<100 {
                let events = (0..<100).map { place in
                    WatchedEvent(
                        place: EventPlace(time: world.now, id: Int64(part * 100 + place)),
                        values: ["\(place)-\(value)", "\(part)-\(value)"].map { ExactString($0) })
                }
                world.progress.add(events, of: world.rule, now: world.now, mostBytes: 20_000)
                world.pass(1)
            }
            let size = try JSONCoding.encode(world.progress).count
            #expect(size > 10_000 && size < 22_000 && world.progress.isCut, "\(condition) \(size)")
            guard condition == .count(2, within: .seconds(60)) else { continue }
            let notices = world.take()
            // Events go on for all.
            #expect(!notices.isEmpty && notices.allSatisfy { $0.contains(" firing ") }, "\(notices)")
        }
    }

    @Test(arguments: [
        AlertRule.Condition.count(3, within: .seconds(60)), .distinct("event", count: 3, within: .seconds(60)),
    ])
    func `what fires is over when its events are, also if there is no room for them`(_ condition: AlertRule.Condition) {
        var world = World(condition, by: ["user"])
        for number in 0..<400 {
            world.send(["1", ExactString("\(number)")], mostBytes: number < 3 ? AlertProgress.mostBytes : 0)
            world.pass(1)
        }
        #expect(world.take() == ["3 firing 1"] && world.progress.isCut)
        world.pass(100)
        #expect(world.take() == ["459 resolved 1"])
    }

    @Test func `a cause whose events are left out makes room for others`() {
        var world = World(.count(2, within: .seconds(5)), by: ["user"])
        // For one cause with one part.
        let mostBytes = 470
        world.send(["a"], mostBytes: mostBytes)
        world.pass(4)
        world.send(["a"], mostBytes: mostBytes)
        world.pass(2)
        #expect(world.take() == [] && world.progress.isCut)
        world.send(["b"], count: 2, mostBytes: mostBytes)
        world.pass(1)
        #expect(world.take() == ["7 firing b"])
    }

    @Test func `causes whose time is over make room for others when only the reserve is left`() {
        var world = World(.count(2, within: .seconds(5)), by: ["user"])
        // The reserve is much more than what is scarce.
        let mostBytes = 2 << 20
        func send(_ user: String, count: Int = 1) {
            let name = "\(user)-" + String(repeating: "u", count: 3000)
            world.send([ExactString(name)], count: count, mostBytes: mostBytes)
        }
        world.pass(100)
        for user in 100..<900 where !world.progress.isCut { send("\(user)") }
        #expect(world.progress.isCut && world.progress.bytes < mostBytes - 200_000)
        world.pass(10)
        send("new", count: 2)
        world.pass(1)
        #expect(world.take().map { $0.prefix(14) } == ["111 firing new"])
    }

    @Test func `of different values no more are kept in a short time than have to be counted`() throws {
        var world = World(.distinct("event", count: 3, within: .seconds(60)), by: ["user"])
        for number in 0..<1000 { world.send(["1", ExactString("\(number)")]) }
        world.pass(1)
        #expect(world.take() == ["1 firing 1"])
        let size = try JSONCoding.encode(world.progress).count
        #expect(size < 1000, "\(size)")
    }

    @Test func `the end of what was reported says since when it held, as its beginning did`() {
        var world = World(.count(1, within: .seconds(600)), hold: .seconds(60))
        world.pass(10)
        world.send()
        world.pass(900)
        #expect(world.take() == ["70 firing", "610 resolved"])
        #expect(Set(world.since) == [10 * World.second])
    }

    @Test func `an event that was sent while it was reported that there are none ends that`() {
        var world = World(.absent(.seconds(60)))
        world.isBehind = true
        world.pass(64)
        // Only now is it known that there was none for a minute.
        world.complete = 60 * World.second
        world.pass(1)
        world.send(ago: 3)
        world.pass(10)
        #expect(world.take().map { $0.split(separator: " ").last } == ["firing", "resolved"])
    }
}
