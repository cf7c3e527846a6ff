import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A store, and a plain array that should have the same events. Events of some sources are kept for a shorter time
/// than others, or in a small part of the store.
struct RandomRun {
    /// The time that events are kept, in seconds.
    private static let kept: [String: UInt64] = ["short": 1000, "chatty": 2500, "usual": 2500]

    private var random: SeededGenerator
    private var journal: Journal
    private var store: EventStore
    private var folder: String
    private let clock = Clock()
    private var stored: [Int64] = []
    private var replaced: Int64 = 0
    private let kinds: [EventKind]

    private final class Clock: Sendable {
        let time = Mutex(newYear)
    }

    /// Creates a store with blocks from which events were removed.
    init(seed: UInt64, _ folder: String) async throws {
        random = SeededGenerator(seed: seed &+ 77)
        journal = Journal(
            seed: seed, origins: 3, kinds: 4, sources: Self.kept.keys.sorted(), isTalkative: true)
        self.folder = folder
        kinds = (0..<5).map { index in
            EventKind(
                dictionary: index == 4 ? nil : "shop", definitionsVersion: "000000000000000\(index % 2)",
                key: index == 3 ? nil : EventKey(category: "list0", name: "event\(index)"))
        }
        store = try await Self.open(folder, clock)
        for _ in 0..<5 { try await save(660) }
        try await maintain()
        _ = try await look()
        #expect(stored.count > 2000 && stored.count < 3000)
    }

    private static func open(_ folder: String, _ clock: Clock) async throws -> EventStore {
        let store = try await EventStore.open(folder, maximumBytes: 3 << 20, maximumAge: .seconds(2500)) {
            clock.time.withLock(\.self)
        }
        let retentions = ["short": SourceRetention(maximumAge: .seconds(1000)), "chatty": SourceRetention(share: 2)]
        store.use(retentions.map { SourceRule(conditions: [], name: nil, text: $0, retention: $1) })
        return store
    }

    mutating func step() async throws {
        let (before, last) = (stored, journal.last)
        var mayRemove = true
        switch random.next() % 8 {
        case 0...2: try await save(Int([1, 30, 200, 700][Int(random.next() % 4)]))
        case 3...5: try await replace()
        case 6: try await maintain()
        case 7 where random.next() % 2 == 0:
            await store.close()
            store = try await Self.open(folder, clock)
            mayRemove = false
        default:
            try await crash()
            mayRemove = false
        }
        let events = try await look()
        if mayRemove { checkRemoved(before + (last..<journal.last).map { $0 + 1 }) } else { #expect(stored == before) }
        try await check(events)
    }

    func end() async { await store.close() }

    private mutating func save(_ count: Int) async throws {
        // The newest events are packed during the save, before it, or not at all.
        async let packed: Void = store.packNewest()
        try await store.save(journal.batch(count, payloadBytes: 150), journal: "machine")
        try await packed
        let last = UInt64(journal.last)
        clock.time.withLock { $0 = newYear + last * 1_000_000 }
    }

    private func maintain() async throws {
        while try await store.maintain(now: clock.time.withLock(\.self)) {}
    }

    /// Continues with a copy of the files that is made while the store has them open.
    private mutating func crash() async throws {
        let copy = folder + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder + "/events.sqlite" + end, toPath: copy + "/events.sqlite" + end)
        }
        await store.close()
        store = try await Self.open(copy, clock)
        folder = copy
    }

    private mutating func replace() async throws {
        guard journal.last > 0 else { return }
        let start = Int64(random.next() % UInt64(journal.last)) + 1
        let isDense = random.next() % 2 == 0
        var changes: [Int64: ReprocessedEvent] = [:]
        for index in 0..<Int64(random.next() % 200) {
            let id = isDense ? start + index : Int64(random.next() % UInt64(journal.last)) + 1
            changes[id] = change(id)
        }
        let count = try await store.replace(Array(changes.values)).values.reduce(0, +)
        // Some of the events may have expired and been removed.
        _ = try await look()
        let kept = Set(stored)
        let differing = changes.values.filter { change in
            guard kept.contains(change.id) else { return false }
            let event = journal.events[Int(change.id) - 1]
            return event.kind != change.kind || event.resolution != change.resolution
                || event.findings ?? Findings() != change.findings ?? Findings()
                || change.payload.map { $0 != event.payload || change.text != event.text } ?? false
                || change.program != event.program
        }
        #expect(count == differing.count)
        for change in differing { journal.replace(change) }
        replaced += Int64(differing.count)
    }

    private mutating func change(_ id: Int64) -> ReprocessedEvent {
        let kind = kinds[Int(random.next() % 5)]
        let resolution = kind.key == nil ? .unkeyed : Resolution.allCases[Int(random.next() % 3)]
        var findings: Findings?
        if random.next() % 2 == 0 {
            findings = Findings(
                violations: (0..<random.next() % 3).map {
                    Violation(
                        "p\($0)",
                        $0 == 0
                            ? .unknownParameter(found: .string) : .length(maximum: 3, found: Int(random.next() % 5)))
                }, warnings: random.next() % 3 == 0 ? [.obsoleteEvent] : [])
        }
        let payload = random.next() % 4 == 0 ? payload() : nil
        return ReprocessedEvent(
            id: id, resolution: resolution, kind: kind, findings: findings, payload: payload,
            text: payload == nil ? nil : random.text(), program: random.program(around: newYear))
    }

    private mutating func payload() -> [UInt8] {
        if random.next() % 2 == 0 { return journal.known(KnownPayload.random(&random)) }
        return [UInt8](repeating: 0x7A, count: Int([0, 5, 300, 6000][Int(random.next() % 4)]))
    }

    // MARK: comparing

    private mutating func look() async throws -> [Event] {
        let events = try await store.all()
        stored = events.map(\.id)
        return events
    }

    /// Checks that only expired events, events of a source with a share, and the oldest events were removed.
    private func checkRemoved(_ before: [Int64]) {
        let kept = Set(stored)
        let now = clock.time.withLock(\.self)
        for event in before.filter({ !kept.contains($0) }).map({ journal.events[Int($0) - 1] }) {
            let isOver = event.realtimeMicroseconds < now - Self.kept[event.origin.source]! * 1_000_000
            #expect(isOver || event.origin.source == "chatty" || event.id < stored.first ?? .max)
        }
        #expect(kept.isSubset(of: before))
    }

    private mutating func check(_ found: [Event]) async throws {
        let events = stored.map { journal.events[Int($0) - 1] }
        #expect(same(found, events))
        try await checkCounts(events)
        try await checkKinds(events)
        let oracle = Oracle(events, journal.parameters)
        for _ in 0..<2 { try await oracle.check(store, &random) }
        let statistics = try await store.statistics()
        #expect(statistics.reprocessed == replaced && statistics.storedEvents == Int64(events.count))
        for resolution in Resolution.allCases {
            let seen = journal.events.count { $0.resolution == resolution }
            #expect(statistics.seen[resolution] == Int64(seen), "\(resolution)")
        }
        try await store.checkTables()
    }

    private func checkCounts(_ stored: [Event]) async throws {
        let (all, now) = (CountedByHand(journal.events), CountedByHand(stored))
        let counts = try await store.eventCounts(matching: .everything).byGroup
        #expect(counts.mapValues(\.count) == all.events.mapValues(\.count))
        for (group, sum) in counts {
            // The counters include events that were counted under this name and are called differently now.
            let exact = try #require(all.events[group])
            #expect(sum.first <= exact.first && sum.last >= exact.last && sum.lastEvent >= exact.lastEvent)
        }
        let findings = try await store.findingCounts(matching: .everything).byGroup
        #expect(findings.mapValues(\.count) == all.findings.mapValues(\.count))
        var filter = SimpleFilter()
        filter.level = .debug
        #expect(try await store.eventCounts(matching: filter.predicate).byGroup == now.events)
        filter.sinceMicroseconds = newYear + 100_000_000
        let timed = CountedByHand(stored.filter { $0.realtimeMicroseconds >= newYear + 100_000_000 })
        #expect(try await store.eventCounts(matching: filter.predicate).byGroup == timed.events)
        #expect(try await store.findingCounts(matching: filter.predicate).byGroup == timed.findings)
    }

    private func checkKinds(_ stored: [Event]) async throws {
        let kinds = try await store.kinds([.undefined])
        let undefined = stored.filter { $0.resolution == .undefined }
        #expect(Set(kinds.map(\.kind)) == Set(undefined.map(\.kind)))
        var found: [Event] = []
        var after: Int64 = 0
        while true {
            let page = try await store.events(ofKinds: Set(kinds.map(\.id)), after: after)
            found += page.events
            guard let next = page.next else { break }
            after = next
        }
        #expect(same(found, undefined))
    }
}

extension EventStore {
    func kinds(
        _ resolutions: Set<Resolution>, of version: DictionaryVersionID? = nil
    ) async throws(StoreError) -> [StoredKind] {
        try await storedKinds(resolutions: resolutions, of: version, into: []) { $0.append($1) }
    }
}
