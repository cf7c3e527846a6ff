import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// Tests with more names than are counted individually, of which some become defined, and others come in their place.
@Suite(.namesSeed)
struct CountersTests {
    @Test func `events that were counted together are not reported after they were defined`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20)
            func send(_ name: String) async throws {
                try await store.save(journal.single(name: name), journal: "machine")
            }
            func define(_ ids: ClosedRange<Int64>) async throws {
                _ = try await store.replace(
                    ids.map { id in
                        let key = journal.events[Int(id) - 1].kind.key
                        let kind = EventKind(dictionary: "shop", definitionsVersion: "2", key: key)
                        return ReprocessedEvent(id: id, resolution: .resolved, kind: kind)
                    })
            }
            for number in 1...128 { try await send("made-up-\(number)") }
            try await send("late")
            try await define(1...10)
            // There is room again, so that this one is counted by its name.
            try await send("late")
            try await define(129...130)

            let undefined = try await store.eventCounts(matching: .resolved(as: [.undefined]))
            #expect(undefined.count == 118 && undefined.allSatisfy { $0.count == 1 })
            #expect(!undefined.contains { $0.key == .other || $0.key?.name == "late" })
            let resolved = try await store.eventCounts(matching: .resolved(as: [.resolved]))
            #expect(resolved.reduce(0) { $0 + $1.count } == 12)
            #expect(resolved.first { $0.key?.name == "late" }?.count == 2)
            try await store.checkTables()
            await store.close()
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["parameter = x'e9' || substr(parameter, 2)", "seen = -9223372036854775808", "seen = -5"])
    func `a damaged row of findings does not prevent that events change`(_ damage: String) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(100), journal: "machine")
            try await store.database.write { try $0.execute(sql: "UPDATE finding_counts SET \(damage)") }
            let violating = journal.events.filter { $0.resolution == .violating }
            let replaced = try await store.replace(
                violating.map { ReprocessedEvent(id: $0.id, resolution: .resolved, kind: $0.kind) })
            #expect(!violating.isEmpty && replaced == [.resolved: violating.count])
            #expect(try await store.findingCounts(matching: .everything).isEmpty)
            try await store.checkTables()
            await store.close()
        }
    }

    @Test func `what is counted together adds up to what there is, whatever is defined when`() async throws {
        for seed in FuzzBudget.seeds(6) {
            try await withStoreFolder { folder in
                var run = try await CountersRun(EventStore.open(folder, maximumBytes: 2 << 20), seed)
                for _ in 0..<12 { try await run.round() }
                try await run.defineAll()
                await run.store.close()
            }
        }
    }
}

/// Counts random events, and compares the tables with them.
private struct CountersRun {
    let store: EventStore
    private var random: SeededGenerator
    private var events: [Counted] = []
    private var defined: Set<Int> = []
    private var version = 1
    private let origins: [Origin]

    private struct Counted {
        /// The number of its name.
        var name: Int
        var origin: Origin
        var kind: ResolvedKind
        var findings: Findings?

        var key: CountKey { CountKey(origin, kind) }
    }

    /// What the rows of a name are for, together with those for all others.
    private struct Group: Hashable {
        @Exact var dictionary: String
        /// The key, where a dictionary defines it.
        var key: EventKey?
        var resolution: Resolution
        /// `nil` for the events themselves.
        @Exact var rule: String?

        init(_ counted: CountKey, rule: String? = nil) {
            (dictionary, resolution) = (counted.dictionary, counted.resolution)
            key = counted.isDefined ? counted.key : nil
            self.rule = rule
        }
    }

    init(_ store: EventStore, _ seed: UInt64) {
        self.store = store
        random = SeededGenerator(seed: seed)
        origins = (0..<12).map { number in
            Origin(
                [.subsystem: "com.example.app\(number)", .host: "web1"], bootID: ID128(high: 1, low: 1),
                seqnumID: ID128(high: 1, low: 1), source: "match")
        }
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    // MARK: changing

    mutating func round() async throws {
        var tally = CountTally()
        let names = 20 + below(200)
        for _ in 0..<100 {
            let event = event(below(names), origins[below(below(3) == 0 ? origins.count : 1)])
            events.append(event)
            add(event, to: &tally)
        }
        try await count(tally)
        try await check()
        for _ in 0..<20 { defined.formSymmetricDifference([below(200)]) }
        try await resolveAgain(5 + below(200))
        guard below(3) == 0 else { return }
        try await store.change { db, state in
            try state.transaction(db) { state in
                while try state.counters.foldUnused(before: .max, db) {}
            }
        }
        try await check()
    }

    /// Defines all events, which no longer break their definitions then.
    mutating func defineAll() async throws {
        defined = Set(0..<300)
        var tally = CountTally()
        for place in events.indices {
            remove(events[place], from: &tally)
            events[place] = event(events[place].name, events[place].origin)
            events[place].findings = nil
            events[place].kind.resolution = .resolved
            add(events[place], to: &tally)
        }
        try await count(tally)
        try await check()
        #expect(try await store.findingCounts(matching: .everything).isEmpty)
        #expect(try await store.eventCounts(matching: .everything).allSatisfy { $0.resolution == .resolved })
    }

    /// - Parameter size: how many events a block has.
    private mutating func resolveAgain(_ size: Int) async throws {
        version += 1
        for first in stride(from: 0, to: events.count, by: size) {
            var tally = CountTally()
            for place in first..<min(first + size, events.count) {
                let isChanged = defined.contains(events[place].name) == (events[place].kind.resolution == .undefined)
                guard isChanged || below(4) == 0 else { continue }
                remove(events[place], from: &tally)
                events[place] = event(events[place].name, events[place].origin)
                add(events[place], to: &tally)
            }
            try await count(tally)
        }
        try await check()
    }

    private mutating func event(_ name: Int, _ origin: Origin) -> Counted {
        let kind = EventKind(
            dictionary: "shop", definitionsVersion: "\(version)", key: EventKey(category: "list", name: "event\(name)"))
        var findings = Findings()
        if below(3) == 0 { findings.warnings.append(.duplicateKey("p\(below(150))")) }
        guard defined.contains(name) else {
            return Counted(name: name, origin: origin, kind: ResolvedKind(.undefined, kind), findings: findings)
        }
        findings.violations = (0..<below(4)).map { _ in
            below(2) == 0
                ? Violation("p\(below(150))", .unknownParameter(found: .string))
                : Violation("p\(below(9))", .type("bigint", found: .string))
        }
        let resolution = findings.violations.isEmpty ? Resolution.resolved : .violating
        return Counted(name: name, origin: origin, kind: ResolvedKind(resolution, kind), findings: findings)
    }

    private func add(_ event: Counted, to tally: inout CountTally) {
        tally.add(event.origin, event.kind, event.findings, id: 1, time: 1)
    }

    private func remove(_ event: Counted, from tally: inout CountTally) {
        tally.remove(event.origin, event.kind, event.findings)
    }

    private func count(_ tally: CountTally) async throws {
        try await store.change { db, state in
            try state.transaction(db) { state in try state.counters.add(tally, db) }
        }
    }

    // MARK: comparing

    private func check() async throws {
        var groups: [Group: Int64] = [:]
        var (ofKey, ofFinding): ([CountKey: Int64], [CountKey: [FindingKey: Int64]]) = ([:], [:])
        for event in events {
            groups[Group(event.key), default: 0] += 1
            ofKey[event.key, default: 0] += 1
            for finding in event.findings?.keys ?? [] {
                groups[Group(event.key, rule: finding.rule), default: 0] += 1
                ofFinding[event.key, default: [:]][finding, default: 0] += 1
            }
        }
        let (counted, found) = try await rows()
        var sums: [Group: Int64] = [:]
        for (key, seen) in counted {
            sums[Group(key), default: 0] += seen
            #expect(key.isBounded || seen <= ofKey[key] ?? 0, "\(key)")
        }
        for (key, finding, seen) in found {
            sums[Group(key, rule: finding.rule), default: 0] += seen
            guard !key.isBounded, finding != finding.other else { continue }
            #expect(seen <= ofFinding[key]?[finding] ?? 0, "\(key) \(finding)")
        }
        #expect(sums == groups)
        try await store.checkTables()
    }

    private func rows() async throws -> ([(CountKey, Int64)], [(CountKey, FindingKey, Int64)]) {
        try await store.database.read(.query) { db in
            var (counted, found): ([(CountKey, Int64)], [(CountKey, FindingKey, Int64)]) = ([], [])
            let events = try BareStatement(db, "SELECT \(CountKey.columns), seen FROM event_counts")
            while try events.step() { counted.append((try CountKey(events), events.int64(6))) }
            let findings = try BareStatement(
                db,
                """
                SELECT \(CountKey.columns), rule, parameter, f.seen FROM finding_counts AS f
                JOIN event_counts AS e ON e.id = f.event_count
                """)
            while try findings.step() {
                let key = FindingKey(rule: findings.text(6), parameter: findings.text(7))
                found.append((try CountKey(findings), key, findings.int64(8)))
            }
            return (counted, found)
        }
    }
}
