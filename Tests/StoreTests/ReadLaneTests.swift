import Dispatch
import GRDB
import Model
import Synchronization
import Testing

@testable import Store

/// Tests of reads that wait, and of reads that take long.
@Suite(.timeLimit(.minutes(2))) struct ReadLaneTests {
    /// Keeps a lane busy while `body` runs.
    private func blocking(
        _ lane: ReadLane, of store: EventStore, _ body: () async throws -> Void
    ) async throws {
        let (running, hasBegun) = AsyncStream<Void>.makeStream()
        let semaphore = DispatchSemaphore(value: 0)
        let busy = Task {
            try await store.database.read(lane) { (_: Database) in
                hasBegun.finish()
                semaphore.wait()
            }
        }
        for await _ in running {}
        do {
            defer { semaphore.signal() }
            try await body()
        }
        try await busy.value
    }

    private func withStore(_ body: (EventStore, inout Journal) async throws -> Void) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await body(store, &journal)
            await store.close()
        }
    }

    @Test func `status and delivery do not wait for queries`() async throws {
        try await withStore { store, journal in
            try await store.save(journal.batch(10), journal: "machine")
            try await blocking(.search, of: store) {
                try await blocking(.query, of: store) {
                    #expect(try await store.statistics().storedEvents == 10)
                    let page = try await store.events(
                        matching: .everything, after: 0, before: nil, limit: 10, on: .delivery)
                    #expect(page.events.count == 10)
                    #expect(try await store.frozenBatch(ofSink: "up") == nil)
                }
                var grep = SimpleFilter()
                grep.grep = "x"
                #expect(store.lane(for: grep.predicate) == .search)
                #expect(try await store.all().count == 10)
            }
        }
    }

    @Test func `queries that read payloads use the search lane`() async throws {
        try await withStore { store, _ in
            var filter = SimpleFilter()
            (filter.level, filter.events, filter.sinceMicroseconds) = (.notice, ["list/*"], newYear)
            #expect(store.lane(for: filter.predicate) == .query)
            filter.parameters = [SimpleFilter.ParameterCondition(names: ["user_id"], values: ["1"])]
            #expect(store.lane(for: filter.predicate) == .search)
        }
    }

    @Test func `a read that waits is cancelled immediately`() async throws {
        try await withStore { store, _ in
            try await blocking(.query, of: store) {
                let waiting = Task { try await store.gaps(after: 0, limit: 1) }
                try await Task.sleep(for: .milliseconds(50))
                waiting.cancel()
                await #expect(throws: StoreError.self) { try await waiting.value }
                let error = await storeError { _ = try await waiting.value }
                #expect(error?.kind == .cancelled)
            }
            #expect(try await store.gaps(after: 0, limit: 1).isEmpty)
        }
    }

    @Test func `cancelling a task ends its endless statement, but not the next one`() async throws {
        try await withStore { store, _ in
            let endless = Task {
                try await store.database.read(.query) { db in
                    try Int.fetchOne(
                        db,
                        sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            async let next = store.gaps(after: 0, limit: 1)
            endless.cancel()
            let error = await storeError { _ = try await endless.value }
            #expect(error?.kind == .cancelled)
            #expect(try await next.isEmpty)
        }
    }

    @Test func `a slow pattern on a large payload is cancelled in the middle of it`() async throws {
        try await withStore { store, journal in
            let payload = Array(repeatElement(UInt8(ascii: "a"), count: 8 << 20))
            try await store.save(journal.single(payload), journal: "machine")
            var filter = SimpleFilter()
            // The search takes minutes for this payload.
            filter.grep = String(repeating: "[ac]*", count: 200) + "b"
            let search = Task { [filter] in try await store.all(filter) }
            try await Task.sleep(for: .milliseconds(300))
            search.cancel()
            let error = await storeError { _ = try await search.value }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test func `a read finds the same events however short its turns are`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, turnTime: .milliseconds(5))
            for _ in 0..<3 { try await store.save(journal.batch(1500), journal: "machine") }
            var grep = SimpleFilter()
            grep.grep = #""text":"3"#
            var rare = SimpleFilter()
            rare.events = ["list1/*"]
            rare.sinceMicroseconds = newYear + 2_000_000_000
            for filter in [SimpleFilter(), grep, rare] {
                let found = try await store.all(filter).map(\.id)
                let wanted = journal.events.filter { event in
                    let text = String(decoding: event.payload, as: UTF8.self)
                    return (filter.grep == nil || text.contains(#""text":"3"#))
                        && (filter.events.isEmpty || event.kind.key?.category == "list1")
                        && (filter.sinceMicroseconds.map { event.realtimeMicroseconds >= $0 } ?? true)
                }.map(\.id)
                #expect(found == wanted)
                #expect(try await store.all(filter, order: .newest).map(\.id) == wanted.reversed())
                let uses = try await store.eventCounts(matching: filter.predicate)
                #expect(uses.reduce(0) { $0 + $1.count } == wanted.count)
            }
            await store.close()
        }
    }

    @Test func `a read ends in time with what it has so far`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, turnTime: .zero)
            for _ in 0..<2 { try await store.save(journal.batch(4096), journal: "machine") }
            let page = try await store.events(
                matching: .everything, after: nil, before: nil, order: .oldest, limit: 8192)
            #expect(page.events.count == 4096 && page.next == 4096)
            await store.close()
        }
    }

    @Test func `events are counted without being read`() async throws {
        try await withStore { store, journal in
            for _ in 0..<4 { try await store.save(journal.batch(4000), journal: "machine") }
            var grep = SimpleFilter()
            grep.grep = #""text":"3"#
            var named = SimpleFilter()
            named.events = ["list1/*"]
            var timed = SimpleFilter()
            timed.sinceMicroseconds = newYear + 9_000_000_000
            for filter in [SimpleFilter(), named, timed, grep] {
                let ids = try await store.all(filter, after: 10, before: 15_000).map(\.id)
                #expect(try await store.count(matching: filter.predicate, after: 10, through: 14_999) == ids.count)
            }
            for filter in [SimpleFilter(), named, timed] {
                let counted = try await store.database.read(.query) { db, turn in
                    let query = StoredEventQuery(filter.predicate, order: .newest, limit: 3000, onlyIDs: true)
                    var scan = try EventScan(db, query: query, turn: turn)
                    return (try scan.page().events.count, scan.found)
                }
                #expect(counted == (0, 3000))
            }
        }
    }

    @Test func `a page has no more bytes than requested, and reports the size of a larger event`() async throws {
        try await withStore { store, journal in
            for size in [100, 100, 5000, 100] {
                try await store.save(journal.single([UInt8](repeating: 0x61, count: size)), journal: "machine")
            }
            for (order, small, rest) in [(EventOrder.oldest, [1, 2], 2), (.newest, [4], 4)]
                as [(EventOrder, [Int64], Int64)]
            {
                let first = try await store.events(
                    matching: .everything, after: nil, before: nil, order: order, limit: 10, bytes: 1000)
                #expect(first.events.map(\.id) == small && first.next == rest && first.needed == nil)
                let isOldest = order == .oldest
                func second(_ bytes: Int) async throws -> EventPage {
                    try await store.events(
                        matching: .everything, after: isOldest ? rest : nil, before: isOldest ? nil : rest,
                        order: order,
                        limit: 1, bytes: bytes)
                }
                let none = try await second(1000)
                #expect(none.events.isEmpty && none.needed == 5000 && none.next == rest)
                #expect(try await second(5000).events.map(\.id) == [3])
            }
        }
    }
}
