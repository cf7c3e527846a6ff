import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct EventWatchTests {
    /// Keys that the oracle's events have, and others.
    private static let keys = ["c/n1", "c/n2", "c/n0", "d/n1"].map { text in
        EventKey(category: String(text.prefix(1)), name: String(text.dropFirst(2)))
    }

    private func group(_ oracle: PredicateOracle, _ random: inout SeededGenerator) -> EventWatch.Group {
        let values: Predicate = .parameter(.init(names: ["user"]), .among(["x", "17", "1", "null"]))
        let choice = random.next() % 4
        let predicate =
            choice == 0
            ? .everything
            : choice == 1 ? values : choice == 2 ? values.and(oracle.predicate(&random)) : oracle.predicate(&random)
        let items = (0..<3).map { _ in
            EventWatch.Item(
                event: random.next() % 4 == 0 ? nil : Self.keys.randomElement(using: &random),
                predicate: random.next() % 2 == 0 ? .everything : oracle.predicate(&random))
        }
        let kept: [GroupKey]? =
            switch random.next() % 3 {
            case 0: nil
            case 1: []
            default: [.parameter(.init(names: ["a"])), .level(.level), .text(.violationRule)]
            }
        return EventWatch.Group(predicate: predicate, keeping: kept, items: items)
    }

    private func sum(_ oracle: PredicateOracle, _ group: EventWatch.Group, _ item: EventWatch.Item) throws -> WatchedSum
    {
        var sum = WatchedSum()
        for event in oracle.events {
            guard item.event == nil || event.kind.key == item.event, try oracle.meets(event, group.predicate),
                try oracle.meets(event, item.predicate)
            else { continue }
            let place = EventPlace(time: Int64(event.realtimeMicroseconds), id: event.id)
            sum.count += 1
            sum.violating += event.resolution == .violating ? 1 : 0
            sum.first = min(sum.first ?? place, place)
            sum.last = max(sum.last ?? place, place)
            guard let kept = group.kept else { continue }
            var combinations: [[ExactString?]] = [[]]
            for key in kept {
                let texts = try Set(oracle.keyTexts(event, key).map { ExactString($0) })
                combinations = combinations.flatMap { first in
                    texts.isEmpty ? [first + [nil]] : texts.map { first + [$0] }
                }
            }
            sum.events += combinations.map { WatchedEvent(place: place, values: $0) }
        }
        return sum
    }

    @Test func `what is counted is what events mean, in blocks and in open events`() throws {
        let turn = ReadTurn(time: .seconds(9), journal: PredicateOracle.Journal())
        var counted: Int64 = 0
        for seed in FuzzBudget.seeds(6) {
            var random = SeededGenerator(seed: seed)
            let oracle = PredicateOracle(count: 150, &random)
            let content = try #require(try oracle.packed()).content()
            let queue = try oracle.openEvents()
            for _ in 0..<20 {
                let groups = (0..<5).map { _ in group(oracle, &random) }
                let watch = try EventWatch(groups)
                let wanted = try groups.map { group in try group.items.map { try sum(oracle, group, $0) } }
                var sums = watch.empty
                _ = try watch.add(content, of: 1...150, to: &sums, until: turn)
                #expect(ordered(sums) == ordered(wanted), "seed \(seed)")
                var parts = watch.empty
                try queue.read { [watch] db in
                    for ids in [Int64(1)...70, 71...71, 72...150] {
                        _ = try watch.add(OpenEvents(db, ids: 1 ... .max), of: ids, to: &parts, until: turn)
                    }
                }
                #expect(ordered(parts) == ordered(wanted), "seed \(seed), open")
                counted += wanted.flatMap(\.self).reduce(0) { $0 + $1.count }
            }
        }
        #expect(counted > 1000)
    }

    @Test(arguments: [(["x"], 5), (["y"], 3), (["z"], 1), (["x", "y"], 6), (["x", "y", "z"], 6)])
    func `of several values of a name, one is enough, as in any predicate`(values: [String], count: Int) throws {
        let events = PayloadSamples([
            #"{"a":{"b":"x"},"a.b":"y"}"#, #"{"a.b":"y","a":{"b":"x"}}"#, #"{"a":{"b":"x"}}"#, #"{"a.b":"y"}"#,
            #"{"a.b":"y","a":{"b":"x"},"a.b":"z"}"#, "{}", #"{"a":{"b":"x"},"a.b":"x"}"#,
        ])
        let turn = ReadTurn(time: .seconds(9), journal: PredicateOracle.Journal())
        let path = Predicate.ParameterPath(names: ["a.b"])
        let wanted = Predicate.parameter(path, .among(Set(exact: values)))
        let any = Predicate.parameter(path, .among(["x", "y", "z"]))
        let user = Predicate.parameter(.init(names: ["user"]), .among(["1"]))
        for predicate in [wanted, wanted.and(any), any.and(wanted)] {
            // Of several parameters, open events are parsed once.
            let watch = try EventWatch(
                [predicate, user].map { EventWatch.Group(predicate: $0, items: [EventWatch.Item(event: nil)]) })
            func check(_ columns: some EventColumns) throws {
                #expect(try BlockMatcher(predicate).select(columns).count == count)
                var sums = watch.empty
                _ = try watch.add(columns, of: 1...9, to: &sums, until: turn)
                #expect(sums[0][0].count == Int64(count))
                var second = watch.empty
                _ = try watch.add(columns, of: 2...2, to: &second, until: turn)
                #expect(second[0][0].count == (values == ["z"] ? 0 : 1))
            }
            try check(events.packed())
            try events.open().read { db in try check(OpenEvents(db, ids: 1 ... .max)) }
        }
    }

    @Test func `stored events are counted once, in as many calls as it takes`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, turnTime: .zero)
            for _ in 0..<10 { try await store.save(journal.batch(1000), journal: "machine") }
            let watch = try EventWatch([
                EventWatch.Group(predicate: .number(.id, 100...9000), items: [EventWatch.Item(event: nil)])
            ])
            var (sum, position, calls) = (WatchedSum(), Int64(50), 0)
            while position < 9500 {
                let found = try await store.count(watch, after: position, through: 9500)
                #expect(found.position > position)
                sum.add(found.sums[0][0])
                position = found.position
                calls += 1
            }
            #expect(sum.count == 8901 && calls > 1)
            #expect(try await store.count(watch, after: 9500, through: 9500).sums[0][0].count == 0)
            await store.close()
        }
    }

    @Test func `events of some times are counted, whatever blocks have only others`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, turnTime: .seconds(60))
            for _ in 0..<10 { try await store.save(journal.batch(1000), journal: "machine") }
            let times = journal.events.map { Int64($0.realtimeMicroseconds) }
            let (first, last) = (times[2000], times[4000])
            let ranges = [first...first, first...last]
            let groups = ranges.map {
                EventWatch.Group(predicate: .number(.time, $0), items: [EventWatch.Item(event: nil)])
            }
            let (sums, position) = try await store.count(try EventWatch(groups), after: 0, through: 10_000)
            #expect(position == 10_000)
            #expect(sums.map { Int($0[0].count) } == ranges.map { range in times.count { range.contains($0) } })
            await store.close()
        }
    }

    /// Sums with their events in a fixed order.
    private func ordered(_ sums: [[WatchedSum]]) -> [[WatchedSum]] {
        sums.map { items in
            items.map { sum in
                var sum = sum
                sum.events.sort { ($0.place, "\($0.values)") < ($1.place, "\($1.values)") }
                return sum
            }
        }
    }

    @Test func `a read ends when many events are kept`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, turnTime: .seconds(60))
            for _ in 0..<30 { try await store.save(journal.batch(1000), journal: "machine") }
            let watch = try EventWatch([
                EventWatch.Group(predicate: .everything, keeping: [], items: [EventWatch.Item(event: nil)])
            ])
            let first = try await store.count(watch, after: 0, through: 30_000)
            #expect(first.position < 30_000 && first.sums[0][0].events.count == Int(first.position))
            let rest = try await store.count(watch, after: first.position, through: 30_000)
            #expect(rest.position == 30_000)
            #expect(rest.sums[0][0].events.map(\.place.id) == Array(first.position + 1...30_000))
            await store.close()
        }
    }
}
