import API
import Foundation
import Model
import Store
import TestSupport
import Testing

@testable import Queries

private typealias Predicate = Model.Predicate

/// Replies in the order of arrival: parts that are read side by side, and one after the other.
@Suite(.timeLimit(.minutes(3))) struct ArrivalPagesTests {
    private static let orders = [EventQuery.Order.oldest, .newest]

    private static let predicates = [
        Predicate.everything,
        .message(.matches(.contains, #""seq":7"#, ignoresCase: false)),
        .message(.matches(.contains, #""seq":123"#, ignoresCase: false)),
        .message(.matches(.contains, "nowhere", ignoresCase: false)),
        .number(.id, 3000...9000),
        .any([.number(.id, 10...30), .number(.id, 11_500...11_600)]),
    ]

    private let limits: PageLimits = {
        var limits = PageLimits()
        (limits.events, limits.quickEvents) = (20, 100)
        (limits.payloadBytes, limits.lineBytes, limits.quickBytes) = (20_000, 20_000, 100_000)
        return limits
    }()

    @Test(arguments: orders, predicates.indices)
    func `a reply has what was stored, whatever is read side by side`(
        order: EventQuery.Order, number: Int
    ) async throws {
        let predicate = Self.predicates[number]
        try await withStore { store in
            for (after, before) in [(nil, nil), (4100, nil), (nil, 8193), (1, 12_000), (4095, 4097)]
                as [(Int64?, Int64?)]
            {
                var query = EventQuery()
                (query.limit, query.order, query.after, query.before) = (nil, order, after, before)
                let pages = try await pages(of: query, predicate, in: store)
                #expect(try lines(of: pages) == (try await expected(query, predicate, in: store)))
                // Most have about a hundred events, or many that do not match.
                #expect(pages.count < 200)
            }
        }
    }

    @Test(arguments: orders, [1, 99, 250, 5000])
    func `paging with a limit shows each event and each gap once`(order: EventQuery.Order, limit: Int) async throws {
        try await withStore { store in
            var query = EventQuery()
            (query.limit, query.order) = (limit, order)
            (query.after, query.before) = order == .oldest ? (8000, nil) : (nil, 12_001)
            let whole = try await expected(query, .everything, in: store).prefix(3 * limit)
            var found: [Line] = []
            while found.count < whole.count {
                let page = try await lines(of: pages(of: query, .everything, in: store))
                #expect(page.count { $0.isEvent } <= limit)
                found += page
                guard let last = page.last(where: \.isEvent)?.id else { break }
                if order == .oldest { query.after = last } else { query.before = last }
            }
            #expect(found.prefix(whole.count) == whole)
        }
    }

    @Test(arguments: orders) func `two parts are read at a time`(order: EventQuery.Order) async throws {
        try await withStore { store in
            var query = EventQuery()
            (query.limit, query.order) = (nil, order)
            let pages = try await pages(of: query, .everything, in: store)
            let counts = try pages.map { try lines(of: [$0]).count(where: \.isEvent) }
            #expect(counts.reduce(0, +) == 12_000)
            // A part alone has at most 100 events.
            #expect(counts.contains { $0 > 100 } && counts.allSatisfy { $0 <= 200 })
        }
    }

    /// Each of them is larger than a page; one needs all the memory that there is.
    @Test(.timeLimit(.minutes(1)), arguments: orders)
    func `large events come like any other, although parts are read ahead`(order: EventQuery.Order) async throws {
        try await withStore { store in
            for (seq, size) in [(12_001, 60_000), (12_502, 30_000), (13_003, 30_000), (13_504, 600_000)] {
                try await store.save(Sample.batch(UInt64(seq)...UInt64(seq), padding: size), journal: "machine")
                try await store.save(Sample.batch(UInt64(seq) + 1...UInt64(seq) + 400), journal: "machine")
            }
            var query = EventQuery()
            (query.limit, query.order, query.after) = (nil, order, 11_000)
            let memory = Budget(1_000_000)
            let found = try await lines(of: pages(of: query, .everything, in: store, memory))
            #expect(found == (try await expected(query, .everything, in: store)))
            #expect(memory.taken == 0)
        }
    }

    @Test func `events that come meanwhile do not disturb a reply`() async throws {
        try await withStore { store in
            var query = EventQuery()
            (query.limit, query.order) = (nil, .oldest)
            var pages = ArrivalPages(query, matching: .everything, from: source(store))
            var (found, next) = ([Line](), UInt64(12_001))
            while !pages.isDone {
                var page = try await pages.next()
                found += try lines(of: [page])
                page.release()
                if next < 13_000 {
                    try await store.save(Sample.batch(next...next + 9), journal: "machine")
                    next += 10
                }
            }
            let ids = found.filter(\.isEvent).map(\.id)
            #expect(ids == Array(1...Int64(ids.count)) && ids.count >= 12_000)
        }
    }

    @Test(arguments: orders)
    func `what comes before a damaged block is complete, and then comes the error`(
        order: EventQuery.Order
    ) async throws {
        try await withStore { store in
            let sql = "UPDATE block_data SET data = x'00' WHERE first_id = 4001"
            try Tool("/usr/bin/sqlite3", package: "sqlite3").run([store.options.path, sql])
            var query = EventQuery()
            (query.limit, query.order) = (nil, order)
            var (pages, found) = (ArrivalPages(query, matching: .everything, from: source(store)), [Line]())
            let error = await #expect(throws: StoreError.self) {
                while !pages.isDone { found += try lines(of: [try await pages.next()]) }
            }
            #expect(error?.kind == .corrupt)
            let complete = order == .oldest ? Array(Int64(1)...4000) : (8001...12_000).reversed()
            #expect(found.filter(\.isEvent).map(\.id) == complete)
        }
    }

    @Test func `two parts end behind blocks, and the last two take as long`() {
        var end = PageEnd(next: 5000)
        (end.blockIDs, end.storedIDs) = (4097...8192, 1...40_000)
        let range = ArrivalRange(after: 5000, order: .oldest)
        // The page before ended within the second of blocks of 4096.
        #expect(range.parts(of: 10_000, behind: end) == PartEnds(first: 4 * 4096, second: 6 * 4096))
        // No block ends within a part.
        #expect(range.parts(of: 100, behind: end) == PartEnds(first: 5100, second: 5200))
        end.blockIDs = nil
        #expect(range.parts(of: 10_000, behind: end) == PartEnds(first: 15_000, second: 25_000))
        (end.next, end.blockIDs) = (6 * 4096, 5 * 4096 + 1...6 * 4096)
        #expect(range.parts(of: 10_000, behind: end) == PartEnds(first: 8 * 4096))
        // A block would end too early.
        (end.next, end.blockIDs) = (4095, 1...4096)
        #expect(range.parts(of: 3000, behind: end)?.first == 7095)
        end.next = 39_000
        #expect(range.parts(of: 10_000, behind: end) == nil)
        end.next = nil
        #expect(range.parts(of: 10_000, behind: end) == nil)
    }

    @Test func `so do two parts of a range that descends`() {
        var end = PageEnd(next: 7 * 4096 - 10)
        (end.blockIDs, end.storedIDs) = (6 * 4096 + 1...7 * 4096, 1...40_000)
        let range = ArrivalRange(before: 7 * 4096 - 10, order: .newest)
        #expect(range.parts(of: 10_000, behind: end) == PartEnds(first: 5 * 4096 + 1, second: 3 * 4096 + 1))
        #expect(range.parts(of: 100, behind: end) == PartEnds(first: 7 * 4096 - 110, second: 7 * 4096 - 210))
        (end.next, end.storedIDs) = (3 * 4096 + 1, 5...40_000)
        #expect(range.parts(of: 10_000, behind: end) == PartEnds(first: 2 * 4096 + 1))
        end.next = 500
        #expect(range.parts(of: 10_000, behind: end) == nil)
    }

    @Test(arguments: orders) func `the ends of parts are within what is stored, whatever a damaged row says`(
        order: EventQuery.Order
    ) {
        for stored in [1...Int64.max, Int64.max - 9 ... .max, 1...10] {
            for block in [1...Int64.max, 1...1, 2 ... .max, Int64.max ... .max, 3...5] {
                for (count, next) in [1, 3, 1000, 1_000_000_000_000_000].flatMap({ count in
                    [stored.lowerBound, stored.lowerBound + 4, stored.upperBound - 1].map { (Int64(count), $0) }
                }) {
                    var end = PageEnd(next: next)
                    (end.blockIDs, end.storedIDs) = (block, stored)
                    let range = ArrivalRange(order: order == .oldest ? .oldest : .newest)
                    guard let ends = range.parts(of: count, behind: end) else { continue }
                    let part = order == .oldest ? next + 1...stored.upperBound : stored.lowerBound...next - 1
                    #expect(part.contains(ends.first))
                    #expect(ends.second.map { part.contains($0) && $0 != ends.first } ?? true)
                }
            }
        }
    }

    // MARK: the store

    /// Runs `body` with 12,000 events in three blocks, and gaps among them.
    private func withStore(_ body: (EventStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "events.sqlite").path
            let store = try await EventStore(
                StoreOptions(path: path, maximumBytes: 1 << 30, maximumAge: nil, whenFull: .pause))
            for first in [UInt64(1), 4001, 8001] {
                let gaps = [0, 1, 1999, 2000, 3999].map { Sample.gap("lost", before: $0) }
                try await store.save(Sample.batch(first...first + 3999, gaps: gaps), journal: "machine")
            }
            try await body(store)
            await store.close()
        }
    }

    private func source(_ store: EventStore, _ memory: Budget = Budget(4 << 20)) -> EventSource {
        EventSource(store, memory, limits)
    }

    private func pages(
        of query: EventQuery, _ predicate: Predicate, in store: EventStore,
        _ memory: Budget = Budget(4 << 20)
    ) async throws -> [ReplyPage] {
        var pages = EventPages(query, matching: predicate, upTo: .max, from: source(store, memory))
        var read: [ReplyPage] = []
        while !pages.isDone {
            var page = try await pages.next()
            read.append(ReplyPage(lines: page.lines, gaps: page.gaps))
            // The client has them.
            page.release()
        }
        return read
    }

    // MARK: lines

    private struct Line: Hashable {
        var isEvent: Bool
        /// That of the event, or of the one before the gap.
        var id: Int64
    }

    private func lines(of pages: [ReplyPage]) throws -> [Line] {
        let bytes = pages.flatMap { $0.lines.flatMap { $0.flatMap(\.self) } }
        return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let start = #"{"type":"event","id":"#.utf8
            if line.starts(with: start) {
                let digits = line.dropFirst(start.count).prefix { $0 != UInt8(ascii: ",") }
                return Line(isEvent: true, id: try #require(Int64(String(decoding: digits, as: UTF8.self))))
            }
            guard case .gap(let gap) = try StreamLine.parse(Array(line)) else { throw CocoaError(.coderInvalidValue) }
            return Line(isEvent: false, id: gap.after)
        }
    }

    /// What the store finds in one go, with the gaps at their places.
    private func expected(_ query: EventQuery, _ predicate: Predicate, in store: EventStore) async throws -> [Line] {
        var (lines, after) = ([Line](), query.after)
        repeat {
            let page = try await store.events(
                matching: predicate, after: after, before: query.before, order: .oldest, limit: .max)
            lines += page.events.map { Line(isEvent: true, id: $0.id) }
            after = page.next
        } while after != nil
        let gaps = try await store.gaps(behind: (query.after ?? 0)...(query.before.map { $0 - 1 } ?? .max))
        lines += gaps.filter { predicate.concerns($0.gap) }.map { Line(isEvent: false, id: $0.afterEventID) }
        lines.sort { ($0.id, $0.isEvent ? 0 : 1) < ($1.id, $1.isEvent ? 0 : 1) }
        return query.order == .oldest ? lines : lines.reversed()
    }
}
