import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct ReportTests {
    /// Returns a store with several blocks, some of which retention has removed, and with open events.
    private func filled(
        _ folder: String
    ) async throws -> (store: EventStore, journal: Journal, oldest: Int64) {
        var journal = Journal(seed: 3, kinds: 5)
        let store = try await EventStore.open(folder, maximumBytes: 3 << 20, maximumAge: .seconds(2000))
        for count in [900, 1, 300, 1300, 700] {
            try await store.save(journal.batch(count, payloadBytes: 170), journal: "machine")
        }
        while try await store.maintain(now: newYear + 3_200_000_000) {}
        let oldest = try #require(try await store.statistics().oldestEventID)
        #expect(oldest > 500 && oldest < 1300)
        return (store, journal, oldest)
    }

    @Test func `counts include all events that were ever saved, stored or removed`() async throws {
        try await withStoreFolder { folder in
            let (store, journal, _) = try await filled(folder)
            let byHand = CountedByHand(journal.events)
            #expect(try await store.eventCounts(matching: .everything).byGroup == byHand.events)
            #expect(try await store.findingCounts(matching: .everything).byGroup == byHand.findings)
            await store.close()
        }
    }

    @Test func `filters by names and resolutions apply to removed events too`() async throws {
        try await withStoreFolder { folder in
            let (store, journal, _) = try await filled(folder)
            var filter = SimpleFilter()
            filter.subsystems = ["*.app1", "nothing"]
            filter.categories = ["Act*", "Net*"]
            filter.events = ["list1/*", "*/event0"]
            filter.resolutions = [.violating, .undefined]
            let wanted = journal.events.filter {
                $0.origin.subsystem.hasSuffix(".app1") && $0.resolution != .resolved
                    && ($0.kind.key?.category == "list1" || $0.kind.key?.name == "event0")
            }
            #expect(!wanted.isEmpty)
            #expect(try await store.eventCounts(matching: filter.predicate).byGroup == CountedByHand(wanted).events)
            #expect(try await store.findingCounts(matching: filter.predicate).byGroup == CountedByHand(wanted).findings)
            await store.close()
        }
    }

    @Test func `counts by level and boot are of stored events only`() async throws {
        try await withStoreFolder { folder in
            let (store, journal, oldest) = try await filled(folder)
            var filter = SimpleFilter()
            filter.level = .warning
            filter.boots = [journal.boots[1], journal.boots[4]]
            let wanted = journal.events.filter {
                $0.id >= oldest && $0.level.rawValue <= 4 && filter.boots.contains($0.origin.bootID)
            }
            #expect(try await store.eventCounts(matching: filter.predicate).byGroup == CountedByHand(wanted).events)
            #expect(try await store.findingCounts(matching: filter.predicate).byGroup == CountedByHand(wanted).findings)
            await store.close()
        }
    }

    @Test func `counts of a range of time equal those of checking every stored event`() async throws {
        try await withStoreFolder { folder in
            let (store, journal, oldest) = try await filled(folder)
            var random = SeededGenerator(seed: 9)
            for round in 0..<30 {
                var filter = SimpleFilter()
                if round % 4 != 0 { filter.sinceMicroseconds = newYear + random.next() % 3_300_000_000 }
                if round % 3 != 0 || round % 4 == 0 {
                    filter.untilMicroseconds = newYear + random.next() % 3_300_000_000
                }
                if round % 2 == 0 { filter.subsystems = ["com.example.app0", "com.example.app2"] }
                if round % 5 == 0 { filter.level = .notice }
                let wanted = journal.events.filter {
                    $0.id >= oldest && $0.realtimeMicroseconds >= filter.sinceMicroseconds ?? 0
                        && $0.realtimeMicroseconds <= filter.untilMicroseconds ?? .max
                        && (filter.subsystems.isEmpty || filter.subsystems.contains($0.origin.subsystem))
                        && $0.level.rawValue <= filter.level?.rawValue ?? 7
                }
                let byHand = CountedByHand(wanted)
                #expect(try await store.eventCounts(matching: filter.predicate).byGroup == byHand.events, "\(filter)")
                #expect(try await store.findingCounts(matching: filter.predicate).byGroup == byHand.findings)
            }
            await store.close()
        }
    }

    @Test func `both counts in one call equal two calls, and leave out findings of other events`() async throws {
        try await withStoreFolder { folder in
            let (store, journal, oldest) = try await filled(folder)
            for since in [nil, newYear + 1, newYear + 2_000_000_000] {
                for wanted in [[], [.resolved, .violating], [.undefined]] as [[Resolution]] {
                    var filter = SimpleFilter()
                    (filter.sinceMicroseconds, filter.resolutions) = (since, wanted)
                    let events = journal.events.filter { event in
                        (since == nil || event.id >= oldest && event.realtimeMicroseconds >= since ?? 0)
                            && (wanted.isEmpty || wanted.contains(event.resolution))
                    }
                    let counts = try await store.counts(matching: filter.predicate, findingsOf: [.violating])
                    let violating = CountedByHand(events.filter { $0.resolution == .violating })
                    #expect(counts.events.byGroup == CountedByHand(events).events)
                    #expect(counts.findings.byGroup == violating.findings)
                    #expect(violating.findings.isEmpty == (wanted == [.undefined]))
                }
            }
            await store.close()
        }
    }

    @Test func `counts by parameters equal those of checking every stored event`() async throws {
        try await withStoreFolder { folder in
            let (store, journal, oldest) = try await filled(folder)
            let sevenths = Set(exact: (1...600).map { String($0 * 7) })
            for round in 0..<6 {
                var filter = SimpleFilter()
                if round != 1 {
                    filter.parameters = [SimpleFilter.ParameterCondition(names: ["number"], values: sevenths)]
                }
                if round != 2 { filter.grep = round == 3 ? "nothing like it" : #""number":\d*[05],"# }
                if round == 4 { filter.sinceMicroseconds = newYear + 2_000_000_000 }
                if round == 5 { (filter.level, filter.resolutions) = (.notice, [.violating, .undefined]) }
                let wanted = journal.events.filter { event in
                    event.id >= oldest && (round == 1 || event.id % 7 == 0)
                        && (round == 2 || (round != 3 && event.id % 5 == 0))
                        && event.realtimeMicroseconds >= filter.sinceMicroseconds ?? 0
                        && event.level.rawValue <= filter.level?.rawValue ?? 7
                        && (filter.resolutions.isEmpty || filter.resolutions.contains(event.resolution))
                }
                #expect(wanted.isEmpty == (round == 3))
                #expect(try await store.eventCounts(matching: filter.predicate).byGroup == CountedByHand(wanted).events)
                #expect(
                    try await store.findingCounts(matching: filter.predicate).byGroup == CountedByHand(wanted).findings)
            }
            await store.close()
        }
    }

    @Test func `an invalid pattern is refused, and a cancelled caller ends the work`() async throws {
        try await withStoreFolder { folder in
            let (store, _, _) = try await filled(folder)
            var filter = SimpleFilter()
            filter.grep = "(x"
            #expect(
                await storeError { _ = try await store.eventCounts(matching: filter.predicate) }?.kind
                    == .invalidPattern)
            #expect(
                await storeError { _ = try await store.findingCounts(matching: filter.predicate) }?.kind
                    == .invalidPattern)
            filter.grep = "x"
            let given = Task { [filter] in
                while !Task.isCancelled { await Task.yield() }
                return await storeError { _ = try await store.findingCounts(matching: filter.predicate) }
            }
            given.cancel()
            #expect(await given.value?.kind == .cancelled)
            await store.close()
        }
    }

    @Test func `a range that ends before it begins has no events`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(50), journal: "machine")
            var filter = SimpleFilter()
            (filter.sinceMicroseconds, filter.untilMicroseconds) = (newYear + 9, newYear)
            #expect(try await store.eventCounts(matching: filter.predicate).isEmpty)
            #expect(try await store.findingCounts(matching: filter.predicate).isEmpty)
            (filter.sinceMicroseconds, filter.untilMicroseconds) = (0, .max)
            #expect(try await store.eventCounts(matching: filter.predicate).reduce(0) { $0 + $1.count } == 50)
            await store.close()
        }
    }

    @Test func `events without a key, and those that no dictionary covers, are counted by origin`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let undefined = EventKey(category: "list0", name: "event0")
            let kinds: [(Resolution, EventKind)] = [
                (.unkeyed, EventKind(dictionary: "shop", definitionsVersion: "1", key: nil)),
                (.malformed, EventKind(dictionary: "shop", definitionsVersion: "1", key: nil)),
                (.plain, EventKind(dictionary: nil, definitionsVersion: nil, key: nil)),
                (.undefined, EventKind(dictionary: nil, definitionsVersion: nil, key: undefined)),
                (.undefined, EventKind(dictionary: "shop", definitionsVersion: "1", key: undefined)),
            ]
            var events: [Event] = []
            for round in 0..<6 {
                var batch = journal.batch(round == 2 ? 5000 : 30)
                var sent = journal.events.suffix(batch.events.count)
                for (index, place) in zip(batch.events.indices, sent.indices) {
                    let (resolution, kind) = kinds[(index + round) % kinds.count]
                    (batch.events[index].resolution, batch.events[index].kind) = (resolution, kind)
                    (sent[place].resolution, sent[place].kind) = (resolution, kind)
                }
                events += sent
                try await store.save(batch, journal: "machine")
            }
            var filters = Array(repeating: SimpleFilter(), count: 5)
            filters[1].sinceMicroseconds = newYear + 20_000_000
            filters[2].level = .warning
            (filters[3].sinceMicroseconds, filters[3].level) = (newYear + 20_000_000, .warning)
            filters[4].grep = "[0-3],\"text"
            for filter in filters {
                let wanted = events.filter { event in
                    event.realtimeMicroseconds >= filter.sinceMicroseconds ?? 0
                        && event.level.rawValue <= (filter.level ?? .debug).rawValue
                        && (filter.grep == nil || event.id % 10 < 4)
                }
                let byHand = CountedByHand(wanted).events.mapValues(\.count)
                #expect(Set(byHand.keys.map(\.resolution)) == [.unkeyed, .malformed, .plain, .undefined])
                #expect(try await store.eventCounts(matching: filter.predicate).byGroup.mapValues(\.count) == byHand)
            }
            await store.close()
        }
    }

    @Test func `names that no event ever had are reported, those of removed events are known`() async throws {
        try await withStoreFolder { folder in
            let (store, _, oldest) = try await filled(folder)
            #expect(oldest > 1)
            var filter = SimpleFilter()
            filter.subsystems = ["com.example.app1", "com.exmaple.*", "*"]
            filter.categories = ["Activity", "activity"]
            filter.events = ["list?/event0", "list0/nothing", "*/event1"]
            filter.level = .crit
            let unknown = try await store.neverSeen(among: filter.predicate.wanted)
            #expect(Set(unknown.map(\.value)) == ["com.exmaple.*", "activity", "list0/nothing"])
            #expect(try await store.neverSeen(among: []).isEmpty)
            let events: Set<ExactString> = ["LIST0/Event0", "LIST9/x", "list0/event0"]
            for (ignoresCase, unseen) in [(true, ["LIST9/x"]), (false, ["LIST0/Event0", "LIST9/x"])] {
                let predicate = Predicate.text(.event, .among(events, ignoresCase: ignoresCase))
                #expect(try await store.neverSeen(among: predicate.wanted).map(\.value) == unseen)
            }
            await store.close()
        }
    }

    @Test func `undefined names stay counted without their rows, and together beyond the limit`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20, maximumAge: .seconds(10))
            let names = (0..<200).map { "made-up-\($0)" } + [String(repeating: "long", count: 1000), "made-up-0"]
            for name in names { try await store.save(journal.single(name: name), journal: "machine") }
            for _ in 0..<2 {
                try await store.save(journal.single(name: "tap", resolution: .resolved), journal: "machine")
            }
            while try await store.maintain(now: newYear + 11_000_000) {}
            try await store.save(journal.single(name: "made-up-103", time: newYear + 5), journal: "machine")

            // Of 128 names, the oldest 33 have been removed to make room.
            let use = try await store.eventCounts(matching: .everything)
            #expect(use.count == 95 + 1 + 1)
            #expect(use.reduce(0) { $0 + $1.count } == 205)
            let other = try #require(use.first { $0.key?.description == "(other)/(other)" })
            #expect(other.count == 106 && other.resolution == .undefined && other.dictionary == "shop")
            #expect(use.contains { $0.key?.name == "made-up-0" } && !use.contains { $0.key?.name == "made-up-32" })
            let third = try #require(use.first { $0.key?.name == "made-up-103" })
            #expect(third.count == 2 && third.firstMicroseconds == newYear && third.lastMicroseconds == newYear + 5)
            #expect(third.lastEventID == 205)
            #expect(use.first { $0.key?.name == "tap" }?.count == 2)
            var filter = SimpleFilter()
            filter.subsystems = ["com.*"]
            #expect(try await store.eventCounts(matching: filter.predicate).reduce(0) { $0 + $1.count } == 205 - 106)
            await store.close()
        }
    }

    @Test func `names of a sender that calls itself as the rest is called are counted together, too`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumBytes: 2 << 20, maximumAge: .seconds(10))
            for number in 0..<200 {
                let batch = journal.single(subsystem: CountKey.other, name: "made-up-\(number)")
                try await store.save(batch, journal: "machine")
            }
            while try await store.maintain(now: newYear + 11_000_000) {}
            try await store.save(journal.single(name: "new"), journal: "machine")
            let use = try await store.eventCounts(matching: .everything)
            #expect(use.contains { $0.key?.name == "new" })
            #expect(use.count < 128 && use.reduce(0) { $0 + $1.count } == 201)
            await store.close()
        }
    }

    @Test func `invented parameter names are counted up to a limit, also after a restart and retention`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            var store = try await EventStore.open(folder, maximumAge: .seconds(10))
            func unknown(_ number: Int) -> Findings {
                Findings(violations: [
                    Violation("p\(number)", .unknownParameter(found: .string))
                ])
            }
            for number in 0..<60 {
                try await store.save(
                    journal.single(name: "tap", resolution: .violating, findings: unknown(number)), journal: "machine")
            }
            await store.close()
            store = try await EventStore.open(folder, maximumAge: .seconds(10))
            for number in 40..<150 {
                try await store.save(
                    journal.single(
                        name: "tap", resolution: .violating, findings: unknown(number), bits: UInt64(number % 3)),
                    journal: "machine")
            }
            let long = Findings(violations: [
                Violation(String(repeating: "x", count: 5000), .unknownParameter(found: .null))
            ])
            try await store.save(
                journal.single(name: "tap", resolution: .violating, findings: long), journal: "machine")
            for _ in 0..<2 {
                let use = try await store.findingCounts(matching: .everything)
                #expect(use.count == 101)
                #expect(use.reduce(0) { $0 + $1.count } == 171)
                #expect(use.first { $0.parameter == "(other)" }?.count == 51)
                #expect(use.first { $0.parameter == "p50" }?.count == 2)
                while try await store.maintain(now: newYear + 11_000_000) {}
            }
            #expect(try await store.statistics().storedEvents == 0)
            await store.close()
        }
    }

    @Test func `findings of events without a key are counted without one`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(10))
            let findings = Findings(
                warnings: [.cut, .duplicateKey("a"), .duplicateKey("a")],
                reason: "cut at 9 bytes")
            try await store.save(journal.single(resolution: .malformed, findings: findings), journal: "machine")
            for _ in 0..<2 {
                #expect(
                    try await store.findingCounts(matching: .everything).byGroup
                        == CountedByHand(journal.events).findings)
                let uses = try await store.eventCounts(matching: .everything)
                #expect(uses.map(\.key) == [nil] && uses.map(\.count) == [1])
                while try await store.maintain(now: newYear + 11_000_000) {}
            }
            await store.close()
        }
    }
}
