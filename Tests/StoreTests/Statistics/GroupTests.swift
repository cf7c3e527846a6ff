import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Store

struct GroupTests {
    /// A store with several blocks and open events.
    private func withEvents(_ body: (EventStore, [Event]) async throws -> Void) async throws {
        try await withStoreFolder { folder in
            var journal = Journal(isTalkative: true)
            let store = try await EventStore.open(folder, turnTime: .zero)
            for _ in 0..<10 { try await store.save(journal.batch(1000), journal: "machine") }
            try await body(store, journal.events)
            await store.close()
        }
    }

    private func key(_ event: Event, _ key: GroupKey) -> String? {
        switch key {
        case .text(.sender(let field)): event.origin[field].flatMap { $0.isEmpty ? nil : $0 }
        case .text(.event): event.kind.key?.description
        case .level: (event.program.level ?? event.level).name
        case .time(let unit): String(unit.span(of: event.realtimeMicroseconds, in: .utc).lowerBound)
        default: nil
        }
    }

    @Test func `groups have the counts and times that the events have`() async throws {
        try await withEvents { store, events in
            let keys: [[GroupKey]] = [
                [], [.text(.event)], [.level(.level), .text(.sender(.unit))],
                [.text(.event), .level(.level), .text(.sender(.subsystem)), .text(.sender(.identifier))],
            ]
            for keys in keys {
                for predicate in [Predicate.everything, .number(.level, 0...3), .number(.id, 4000...9999)] {
                    let wanted = events.filter { event in
                        switch predicate {
                        case .number(.level, let range):
                            range.contains(Int64((event.program.level ?? event.level).rawValue))
                        case .number(.id, let range): range.contains(event.id)
                        default: true
                        }
                    }
                    let groups = Dictionary(grouping: wanted) { event in keys.map { key(event, $0) } }
                    let found = try await store.groups(GroupQuery(predicate, by: keys, limit: 1000), zone: .utc)
                    #expect(found.events == Int64(wanted.count) && found.groups == groups.count)
                    #expect(found.uncertainty == 0)
                    #expect(
                        found.times == Int64(
                            wanted.map(\.realtimeMicroseconds).min() ?? 0)...Int64(
                                wanted.map(\.realtimeMicroseconds).max() ?? 0))
                    #expect(found.rows.count == groups.count)
                    #expect(found.rows.map(\.count) == found.rows.map(\.count).sorted(by: >))
                    for row in found.rows {
                        let group = try #require(groups[row.values])
                        let times = group.map { Int64($0.realtimeMicroseconds) }
                        #expect(row.count == Int64(group.count))
                        #expect(row.times == (times.min() ?? 0)...(times.max() ?? 0))
                    }
                    let largest = try await store.groups(GroupQuery(predicate, by: keys, limit: 3), zone: .utc)
                    #expect(largest.rows.map(\.values) == found.rows.prefix(3).map(\.values))
                    #expect(largest.groups == groups.count)
                }
            }
            let none = try await store.groups(GroupQuery(.nothing, by: [.level(.level)], limit: 5), zone: .utc)
            #expect(none.rows.isEmpty && none.events == 0 && none.times == nil)
        }
    }

    @Test func `a scan in parts reads each event once`() async throws {
        try await withEvents { store, events in
            let parts = try await store.scanParts(on: .query)
            #expect(parts.count == 2)
            for range in [1...Int64.max, 4000...4200, 9990...9999] as [ClosedRange<Int64>] {
                let seen = Mutex<[Int64]>([])
                try await store.scan(parts, .number(.id, range), on: .search) { events, selection in
                    let ids = try events.ids()
                    seen.withLock { $0 += selection.map { ids[$0] } }
                }
                #expect(seen.withLock { $0.sorted() } == events.map(\.id).filter(range.contains))
            }
        }
    }

    @Test(arguments: 1...6) func `a scan fails with either of its parts`(run: Int) async throws {
        try await withEvents { store, _ in
            let parts = try await store.scanParts(on: .query)
            let begun = Mutex<Set<Bool>>([])
            await #expect(throws: StoreError.self) {
                try await store.scan(parts, .everything, on: .query) { events, _ in
                    // Each part waits for the other, so that two threads read them.
                    let isFirst = try events.ids()[0] == 1
                    begun.withLock { _ = $0.insert(isFirst) }
                    let end = ContinuousClock.now + .seconds(20)
                    while begun.withLock({ $0.count < 2 }), .now < end { usleep(1000) }
                    if isFirst == (run % 2 == 0) { throw BlockDamage("for the test") }
                }
            }
            #expect(begun.withLock { $0.count } == 2)
        }
    }

    @Test func `what arrives between counting groups and finding out more about them is in neither`() async throws {
        try await withEvents { store, _ in
            let scan = GroupScan(GroupQuery(.everything, by: [.level(.level)], limit: 10, trend: 4), zone: .utc)
            let parts = try await store.scanParts(on: .query)
            try await store.scan(parts, .everything, on: .query) { try scan.count($0, $1) }
            var journal = Journal(isTalkative: true)
            try await store.save(journal.batch(1000), journal: "another")
            #expect(try await store.statistics().storedEvents == 11_000)
            let predicate = try #require(scan.beginDetails())
            try await store.scan(parts, predicate, on: .query) { try scan.detail($0, $1) }
            let found = scan.result()
            #expect(found.events == 10_000)
            #expect(found.rows.reduce(0) { $0 + $1.count } == 10_000)
            for row in found.rows { #expect(row.trend.reduce(0, +) == row.count) }
        }
    }

    @Test func `of equal groups, the first by their texts are chosen`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await Self.save(30_000, in: store) { #"{"user":"user\#($0)"}"# }
            let user = GroupKey.parameter(.init(names: ["user"]))
            let first = (1...30_000).map { "user\($0)" }.sorted().prefix(7)
            let found = try await store.groups(GroupQuery(.everything, by: [user], limit: 7), zone: .utc)
            #expect(found.rows.map(\.values) == first.map { [$0] })
            let ofTime = GroupQuery(.everything, by: [.time(.month), user], limit: 7)
            let byTime = try await store.groups(ofTime, zone: .utc)
            #expect(byTime.rows.map { $0.values[1] } == Array(first))
            await store.close()
        }
    }

    @Test func `parts of time are in the order of time`() async throws {
        try await withEvents { store, events in
            let query = GroupQuery(.everything, by: [.time(.hour), .level(.level)], limit: 1000)
            let found = try await store.groups(query, zone: .utc)
            let hours = found.rows.compactMap { $0.values[0].flatMap { Int64($0) } }
            #expect(hours.count == found.rows.count && hours == hours.sorted() && Set(hours).count > 2)
            // And within these in the order of their counts.
            for (one, other) in zip(found.rows, found.rows.dropFirst()) where one.values[0] == other.values[0] {
                #expect(one.count >= other.count)
            }
            let groups = Dictionary(grouping: events) { [key($0, .time(.hour)), key($0, .level(.level))] }
            for row in found.rows { #expect(groups[row.values]?.count == Int(row.count)) }
        }
    }

    @Test func `numbers are summed up, distinct values counted, and counts over time made`() async throws {
        try await withEvents { store, events in
            let number = Predicate.ParameterPath(names: ["number"])
            let query = GroupQuery(
                .everything, by: [.level(.level)], limit: 5, measure: number, distinct: .parameter(number), trend: 10)
            let found = try await store.groups(query, zone: .utc)
            let range = try #require(found.trendTimes)
            #expect(range == found.times)
            let part = (range.upperBound - range.lowerBound) / 10 + 1
            #expect(found.rows.count == 5)
            for row in found.rows {
                let group = events.filter { key($0, .level(.level)) == row.values[0] }
                let numbers = group.compactMap { event in
                    event.resolution.hasPayload
                        ? (try? JSONSerialization.jsonObject(with: Data(event.payload)) as? [String: Any])?["number"]
                            as? Double : nil
                }.sorted()
                let measure = try #require(row.measure)
                #expect(measure.count == numbers.count && measure.sum == numbers.reduce(0, +))
                #expect(measure.least == numbers.first && measure.largest == numbers.last)
                for share in [0.5, 0.9, 0.99] {
                    let exact = numbers[Int((Double(numbers.count) * share).rounded(.up)) - 1]
                    let found = try #require(measure.percentile(share))
                    #expect(abs(found - exact) <= abs(exact) * 0.0101, "\(share)")
                }
                let exact = Set(numbers).count
                #expect(abs((row.distinct ?? 0) - exact) <= exact / 20)
                var trend = [Int64](repeating: 0, count: 10)
                for event in group {
                    trend[Int((Int64(event.realtimeMicroseconds) - range.lowerBound) / part)] += 1
                }
                #expect(row.trend == trend)
            }
        }
    }

    @Test func `of findings, what belongs together is counted, however many there are`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var journal = Journal()
            var batch = ResolvedBatch(entriesRead: 50)
            for number in 0..<50 {
                let entry = Entry(
                    origin: .sample(), level: .info, pid: 1, seqnum: UInt64(number), monotonicMicroseconds: 1,
                    realtimeMicroseconds: newYear, entryHash: UInt64(number), payload: 0..<0)
                var violations = (0..<100).map { Violation("p\(number)_\($0)", .unknownParameter(found: .string)) }
                violations.append(Violation("same", .missing(type: "integer", found: nil)))
                violations.append(Violation("same", .missing(type: "integer", found: .null)))
                journal.append(
                    ResolvedEvent(
                        entry: entry, resolution: .violating,
                        kind: EventKind(
                            dictionary: "d", definitionsVersion: nil, key: EventKey(category: "c", name: "n")),
                        findings: Findings(violations: violations)), [], to: &batch)
            }
            try await store.save(batch, journal: "machine")
            let pairs = GroupQuery(
                .everything, by: [.text(.violationParameter), .text(.violationRule), .text(.event)], limit: 1000)
            let found = try await store.groups(pairs, zone: .utc)
            #expect(found.groups == 5001)
            #expect(found.rows.first?.values == ["same", "missing", "c/n"] && found.rows.first?.count == 50)
            let rules = try await store.groups(
                GroupQuery(.everything, by: [.text(.violationRule)], limit: 9, trend: 2), zone: .utc)
            #expect(rules.rows.map(\.count) == [50, 50])
            await store.close()
        }
    }

    @Test func `damaged times stop nothing`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var journal = Journal()
            var batch = ResolvedBatch(entriesRead: 3)
            for (number, time) in [UInt64(1) << 63 | 5, UInt64(Int64.max), 0].enumerated() {
                let entry = Entry(
                    origin: .sample(), level: .info, pid: 1, seqnum: UInt64(number), monotonicMicroseconds: 1,
                    realtimeMicroseconds: time, entryHash: UInt64(number), payload: 0..<0)
                journal.append(
                    ResolvedEvent(
                        entry: entry, resolution: .plain,
                        kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil), [],
                    to: &batch)
            }
            try await store.save(batch, journal: "machine")
            for predicate in [Predicate.everything, .number(.id, 1...1), .number(.id, 2...3)] {
                let query = GroupQuery(predicate, by: [.time(.day)], limit: 9, trend: 7)
                let found = try await store.groups(query, zone: .utc)
                #expect(found.rows.map { $0.trend.reduce(0, +) } == found.rows.map(\.count))
                #expect(found.rows.reduce(0) { $0 + $1.count } == found.events && found.events > 0)
            }
            await store.close()
        }
    }

    @Test func `events without a value for a key can be left out`() async throws {
        try await withEvents { store, events in
            for limit in [1, 9] {
                var query = GroupQuery(.everything, by: [.text(.violationRule), .level(.level)], limit: limit)
                query.hasNone = false
                let found = try await store.groups(query, zone: .utc)
                let violating = events.filter { $0.findings != nil }
                #expect(!violating.isEmpty && found.events == Int64(violating.count))
                #expect(found.rows.count == min(limit, found.groups))
                #expect(found.rows.allSatisfy { !$0.values.contains(nil) })
                let times = violating.map { Int64($0.realtimeMicroseconds) }
                #expect(found.times?.lowerBound == times.min() && found.times?.upperBound == times.max())
            }
            var none = GroupQuery(.everything, by: [.text(.reason)], limit: 9)
            none.hasNone = false
            let found = try await store.groups(none, zone: .utc)
            #expect(found.events == 0 && found.rows.isEmpty && found.times == nil)
        }
    }

    @Test func `an event counts once for each of its violations`() async throws {
        try await withEvents { store, events in
            let query = GroupQuery(.everything, by: [.text(.violationRule), .text(.warningParameter)], limit: 9)
            let found = try await store.groups(query, zone: .utc)
            let violating = events.count { $0.findings != nil }
            #expect(found.rows.first { $0.values == ["type", "old"] }?.count == Int64(violating))
            #expect(found.rows.first { $0.values == [nil, nil] }?.count == Int64(events.count - violating))
        }
    }

    @Test func `findings without a parameter are no value, and objects in arrays are none`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            var (journal, batch) = (Journal(), ResolvedBatch(entriesRead: 3))
            let warnings: [[Warning]] = [
                [.obsoleteEvent], [.obsoleteParameter(ExactString("old")), .obsoleteEvent], [],
            ]
            for (place, warnings) in warnings.enumerated() {
                let payload = Array(#"{"a":[\#(["{}", "7", #"{"b":1}"#][place])]}"#.utf8)
                let entry = Entry(
                    origin: .sample(), level: .info, pid: 1, seqnum: UInt64(place + 1),
                    monotonicMicroseconds: UInt64(place + 1), realtimeMicroseconds: newYear + UInt64(place),
                    entryHash: UInt64(place + 1), payload: batch.bytes.count..<batch.bytes.count + payload.count)
                journal.append(
                    ResolvedEvent(
                        entry: entry, resolution: .unkeyed,
                        kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil),
                        findings: warnings.isEmpty ? nil : Findings(warnings: warnings)), payload, to: &batch)
            }
            try await store.save(batch, journal: "machine")
            var query = GroupQuery(.everything, by: [], limit: 1)
            query.distinct = .text(.warningParameter)
            #expect(try await store.groups(query, zone: .utc).rows.map(\.distinct) == [1])
            // What is wrong has no order with what is warned of; keys of both are refused where they come from.
            query = GroupQuery(.everything, by: [.text(.warningRule), .text(.violationRule)], limit: 9)
            #expect(try await store.groups(query, zone: .utc).rows.allSatisfy { $0.values[1] == nil })
            let first = GroupKey.parameter(.init(names: ["a"], inner: [.index(0)]))
            query = GroupQuery(.everything, by: [first], limit: 9)
            #expect(try await store.groups(query, zone: .utc).rows.map(\.values) == [[nil], ["7"]])
            await store.close()
        }
    }

    /// Saves events without keys.
    /// - Parameter payload: of the event with a number, from 1.
    private static func save(_ count: Int, in store: EventStore, _ payload: (Int) -> String) async throws {
        var journal = Journal()
        for first in stride(from: 1, through: count, by: 5000) {
            var batch = ResolvedBatch(entriesRead: 5000)
            for number in first..<first + 5000 {
                let payload = Array(payload(number).utf8)
                let entry = Entry(
                    origin: .sample(), level: .info, pid: 1, seqnum: UInt64(number),
                    monotonicMicroseconds: UInt64(number), realtimeMicroseconds: newYear + UInt64(number),
                    entryHash: UInt64(number), payload: batch.bytes.count..<batch.bytes.count + payload.count)
                journal.append(
                    ResolvedEvent(
                        entry: entry, resolution: .unkeyed,
                        kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil),
                    payload, to: &batch)
            }
            try await store.save(batch, journal: "machine")
        }
    }

    @Test func `of too many groups, the large ones are kept, and counted exactly`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            // One in 50 is of one of three users; all others have one event each.
            try await Self.save(150_000, in: store) { number in
                #"{"user":"\#(number % 50 == 0 ? "often\(number / 50 % 3)" : "user\(number)")"}"#
            }
            let user = GroupKey.parameter(.init(names: ["user"]))
            let found = try await store.groups(GroupQuery(.everything, by: [user], limit: 3), zone: .utc)
            #expect(found.rows.map(\.values) == [["often0"], ["often1"], ["often2"]])
            #expect(found.rows.map(\.count) == [1000, 1000, 1000])
            #expect(found.events == 150_000)
            #expect(found.uncertainty >= 1 && found.uncertainty < 10, "\(found.uncertainty)")
            #expect(abs(found.groups - 147_003) < 147_003 / 20, "\(found.groups)")
            #expect(found.groups <= found.events)
            for keys in [[user], [.time(.minute), user]] {
                let two = try await store.groups(GroupQuery(.everything, by: keys, limit: 2), zone: .utc)
                #expect(two.uncertainty >= 1000 && two.uncertainty < 1010, "\(two.uncertainty)")
            }
            await store.close()
        }
    }

    @Test(arguments: [
        [#""x\u00e9\n""#: "xé\n", "7": "7", #""7.0""#: "7.0"], [#"["a"]"#: #"["a"]"#, "true": "true"],
        [nil: nil, "1": "1"],
    ]) func `of too many groups, those with any value are counted exactly`(_ often: [String?: String?]) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let values = often.keys.sorted { ($0 ?? "") < ($1 ?? "") }
            // One in 50 has one of a few values; all others have one event each.
            try await Self.save(70_000, in: store) { number in
                let value = number % 50 == 0 ? values[number / 50 % values.count] : "\"user\(number)\""
                return "{\(value.map { "\"user\":\($0)" } ?? "")}"
            }
            let keys = [GroupKey.parameter(.init(names: ["user"])), .text(.resolution)]
            let found = try await store.groups(GroupQuery(.everything, by: keys, limit: often.count), zone: .utc)
            #expect(found.uncertainty > 0)
            #expect(Set(found.rows.map { $0.values[0] }) == Set(often.values))
            let counts = Set(values.indices.map { place in Int64((1...1400).count { $0 % values.count == place }) })
            #expect(Set(found.rows.map(\.count)) == counts)
            await store.close()
        }
    }

    @Test func `an event with several values of a key counts in the group of each, and of each combination`()
        async throws
    {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let payloads = [
                #"{"user_id":1,"owner":2,"x":"a"}"#, #"{"user_id":1,"owner":1,"x":"a"}"#, #"{"owner":2,"y":"b"}"#,
                #"{"x":"a","y":"c","user_id":3}"#, "{}",
            ]
            try await store.save(
                Sample.batch(payloads.map { Sample.Sent("a/b", payload: $0) }), journal: "machine")
            let (user, letter) = (
                GroupKey.parameter(.init(names: ["user_id", "owner"])), GroupKey.parameter(.init(names: ["x", "y"]))
            )
            func counts(_ keys: [GroupKey], distinct: GroupKey? = nil) async throws -> [[String?]: Int64] {
                var query = GroupQuery(.everything, by: keys, limit: 100)
                query.distinct = distinct
                let rows = try await store.groups(query, zone: .utc).rows
                return Dictionary(
                    uniqueKeysWithValues: rows.map { ($0.values, distinct == nil ? $0.count : Int64($0.distinct ?? 0)) }
                )
            }
            #expect(try await counts([user]) == [["1"]: 2, ["2"]: 2, ["3"]: 1, [nil]: 1])
            #expect(
                try await counts([user, letter]) == [
                    ["1", "a"]: 2, ["2", "a"]: 1, ["2", "b"]: 1, ["3", "a"]: 1, ["3", "c"]: 1, [nil, nil]: 1,
                ])
            #expect(try await counts([letter], distinct: user) == [["a"]: 3, ["b"]: 1, ["c"]: 1, [nil]: 0])
            await store.close()
        }
    }
}
