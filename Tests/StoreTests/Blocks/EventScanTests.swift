import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct EventScanTests {
    @Test func `pages have each matching event once and in order`() throws {
        for seed in FuzzBudget.seeds(2) {
            var random = SeededGenerator(seed: seed)
            let stored = try ScannedEvents(seed: seed)
            for _ in 0..<12 {
                let filter = stored.filter(&random)
                var query = StoredEventQuery(
                    filter.predicate, after: nil, before: nil,
                    order: Bool.random(using: &random) ? .oldest : .newest,
                    limit: [2, 13, 40, 1000].randomElement(using: &random) ?? 1)
                query.bytes = [nil, 300, 5000].randomElement(using: &random) ?? nil
                if Bool.random(using: &random) { query.after = stored.events.randomElement(using: &random)?.id }
                if Bool.random(using: &random) { query.before = stored.events.randomElement(using: &random)?.id }
                let wanted = stored.wanted(query, filter)
                let (pages, events) = try stored.pages(query)
                #expect(same(events, wanted), "seed \(seed): \(query)")
                for page in pages {
                    #expect(page.events.count <= query.limit)
                    let bytes = page.events.reduce(0) { $0 + $1.payload.count }
                    if let most = query.bytes { #expect(bytes <= most) }
                    #expect(page.newestEventID == stored.events.last?.id)
                }
            }
        }
    }

    @Test func `ids are found without reading events`() throws {
        let stored = try ScannedEvents(seed: 9)
        for order in [EventOrder.oldest, .newest] {
            for limit in [1, 7, 10_000] {
                var filter = SimpleFilter()
                filter.level = .warning
                let query = StoredEventQuery(filter.predicate, order: order, limit: limit, onlyIDs: true)
                let wanted = stored.wanted(query, filter).prefix(limit)
                try stored.queue.read { db in
                    var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
                    let page = try scan.page()
                    #expect(page.events.isEmpty)
                    #expect(scan.found == wanted.count)
                    #expect(scan.lastFound == wanted.last?.id)
                }
            }
        }
    }

    @Test func `a page without room for a payload reports its size`() throws {
        let queue = try DatabaseQueue()
        let small = ScannedEvents.event(1, payload: Array("small".utf8))
        let large = ScannedEvents.event(2, payload: [UInt8](repeating: 0x61, count: BlockPacker.payloadCapacity + 1))
        let open = ScannedEvents.event(3, payload: [UInt8](repeating: 0x62, count: 900))
        try queue.write { db in
            try db.execute(sql: PackedBlockTable.schema + OpenEventTable.schema)
            for event in [small, large] {
                var packer = BlockPacker()
                packer.append(event)
                if let block = try packer.packed(by: BlockFrames()) { try PackedBlockTable.insert(block, db) }
            }
            try OpenEventTable.replaceAll(by: [open], db)
        }
        func page(after: Int64, bytes: Int?) throws -> EventPage {
            try queue.read { db in
                let query = StoredEventQuery(
                    .everything, after: after, before: nil, order: .oldest, limit: 10, bytes: bytes)
                var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
                return try scan.page()
            }
        }
        let first = try page(after: 0, bytes: 1000)
        #expect(first.events.map(\.id) == [1] && first.next == 1 && first.needed == nil)
        let second = try page(after: 1, bytes: 1000)
        #expect(second.events.isEmpty && second.next == 1 && second.needed == large.payload.count)
        let third = try page(after: 1, bytes: large.payload.count)
        #expect(third.events.map(\.id) == [2] && third.next == 2)
        #expect(try page(after: 1, bytes: nil).events.first?.payload == large.payload)
        let fourth = try page(after: 2, bytes: 100)
        #expect(fourth.events.isEmpty && fourth.next == 2 && fourth.needed == 900)
        #expect(try page(after: 2, bytes: 1000).next == nil)
        for (after, isKept) in [(0, true), (1, false)] as [(Int64, Bool)] {
            let cache = ColumnCache()
            let page = try queue.read { db in
                var scan = try EventScan(
                    db, query: StoredEventQuery(.everything, after: after, limit: 1), cache: cache)
                return try scan.page()
            }
            #expect(page.events.map(\.id) == [after + 1])
            #expect((cache.bytes > 0) == isKept, "the next page begins behind an event that is a block")
        }
    }

    /// The second is in the newest block: only open events are newer.
    @Test(arguments: [40, 150]) func `events before a damaged block are read`(_ place: Int) throws {
        let stored = try ScannedEvents(seed: 2)
        let damaged = stored.events[place].id
        let block = try #require(
            try stored.queue.read {
                try Row.fetchOne(
                    $0, sql: "SELECT first_id, last_id FROM blocks WHERE ? BETWEEN first_id AND last_id",
                    arguments: [damaged])
            })
        let ids = (block["first_id"] as Int64)...(block["last_id"] as Int64)
        try stored.queue.write {
            try $0.execute(
                sql: "UPDATE block_data SET data = zeroblob(99) WHERE first_id = ?", arguments: [ids.lowerBound])
        }
        for order in [EventOrder.oldest, .newest] {
            var query = StoredEventQuery(.everything, after: nil, before: nil, order: order, limit: 1000)
            let page = try stored.page(query)
            let before = stored.events.filter { order == .oldest ? $0.id < ids.lowerBound : $0.id > ids.upperBound }
            #expect(same(page.events, order == .oldest ? before : before.reversed()))
            if order == .oldest { query.after = page.next } else { query.before = page.next }
            #expect(throws: DatabaseError.self) { try stored.page(query) }
        }
    }

    @Test func `events in blocks are read before a damaged open event`() throws {
        let stored = try ScannedEvents(seed: 2)
        try stored.queue.write {
            try $0.execute(
                sql: "UPDATE open_events SET checksum = checksum + 1 WHERE id = ?", arguments: [stored.events[180].id])
        }
        var query = StoredEventQuery(.everything)
        let page = try stored.page(query)
        #expect(same(page.events, Array(stored.events[..<168])))
        query.after = page.next
        #expect(throws: DatabaseError.self) { try stored.page(query) }
    }

    @Test(arguments: [true, false]) func `a damaged last id of the newest block hides no event`(
        hasOpenEvents: Bool
    ) throws {
        let stored = try ScannedEvents(seed: 2)
        if !hasOpenEvents { try stored.queue.write { try OpenEventTable.removeAll($0) } }
        let (first, last) = (stored.events[123].id, stored.events[167].id)
        for damaged in [0, first - 2, first, last - 2, last + 2000, .max] {
            try stored.queue.write {
                try $0.execute(sql: "UPDATE blocks SET last_id = ? WHERE first_id = ?", arguments: [damaged, first])
            }
            for order in [EventOrder.oldest, .newest] {
                let query = StoredEventQuery(.everything, order: order)
                #expect(throws: DatabaseError.self, "\(damaged) \(order)") { try stored.pages(query) }
            }
            // Readers that come to the block, and those that have read most of it.
            for after in [first - 1, last - 1] {
                let query = StoredEventQuery(.everything, after: after)
                #expect(throws: DatabaseError.self, "\(damaged) \(after)") { try stored.page(query) }
                #expect(throws: DatabaseError.self, "\(damaged) \(after)") {
                    try stored.queue.read { db in
                        try ColumnWalk.forEach(of: after + 1 ... .max, .everything, db) { _ in true }
                    }
                }
            }
            #expect(try stored.queue.read { try Totals.checkedLastEventID($0) } == stored.events.last?.id, "\(damaged)")
            if hasOpenEvents {
                let page = try stored.lookUp([stored.events[170].id]).page
                #expect(same(page.events, [stored.events[170]]), "\(damaged)")
            }
        }
    }

    @Test func `an open event with the id of one in a block is damage`() throws {
        let stored = try ScannedEvents(seed: 2)
        try stored.queue.write {
            try $0.execute(
                sql: "UPDATE open_events SET id = ? WHERE id = ?",
                arguments: [stored.events[160].id, stored.events[168].id])
        }
        for after in [nil, stored.events[163].id, stored.events[167].id] {
            #expect(throws: DatabaseError.self) { try stored.page(StoredEventQuery(.everything, after: after)) }
        }
        // It can be none of these.
        let later = try stored.page(StoredEventQuery(.everything, after: stored.events[170].id))
        #expect(same(later.events, Array(stored.events[171...])))
        let earlier = try stored.page(StoredEventQuery(.everything, before: stored.events[150].id))
        #expect(same(earlier.events, Array(stored.events[..<150])))
        let (visited, damage) = try stored.queue.read { db in
            var (visited, damage) = (0, 0)
            let end = try ColumnWalk.forEach(
                of: 1 ... .max, .everything, db, passingOver: { _, _ in damage += 1 }
            ) { events in
                visited += events.count
                return true
            }
            #expect(end == nil)
            return (visited, damage)
        }
        #expect(visited == 168 && damage == 1, "blocks are visited nevertheless")
    }

    @Test(arguments: [EventOrder.oldest, .newest]) func `a page ends behind what was read before damage`(
        _ order: EventOrder
    ) throws {
        var generator = BlockEventGenerator(seed: 6)
        let events = (0..<402).map { _ in generator.next() }
        // Of few events of a large block, the entry hashes are read in pieces of 128.
        let wanted = [0, 1, 2, 3, 398, 399, 400, 401].map { events[$0] }
        let damaged = order == .oldest ? wanted[4] : wanted[3]
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: PackedBlockTable.schema + OpenEventTable.schema)
            for part in [0..<1, 1..<401, 401..<402] {
                var packer = BlockPacker()
                for event in events[part] { packer.append(event) }
                var block = try #require(try packer.packed(by: BlockFrames()))
                let hash = withUnsafeBytes(of: damaged.entryHash.littleEndian) { Array($0) }
                if let place = block.data.firstRange(of: hash) { block.data[place.lowerBound] ^= 4 }
                try PackedBlockTable.insert(block, db)
            }
        }
        var query = StoredEventQuery(.any(wanted.map { .number(.id, $0.id...$0.id) }), order: order)
        func page() throws -> EventPage {
            try queue.read { db in
                var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
                return try scan.page()
            }
        }
        let first = try page()
        #expect(same(first.events, order == .oldest ? Array(wanted[..<4]) : wanted[4...].reversed()))
        #expect(first.end.next == first.events.last?.id)
        if order == .oldest { query.after = first.end.next } else { query.before = first.end.next }
        #expect(throws: DatabaseError.self) { try page() }
    }

    @Test func `an expired turn ends a page, and the next one continues there`() throws {
        let stored = try ScannedEvents(seed: 3)
        for order in [EventOrder.oldest, .newest] {
            var filter = SimpleFilter()
            filter.subsystems = ["nobody has it"]
            var query = StoredEventQuery(filter.predicate, order: order, limit: 1000)
            var pages = 0
            while true {
                let page = try stored.page(query, time: .zero)
                #expect(page.events.isEmpty)
                pages += 1
                guard let next = page.next else { break }
                if order == .oldest { query.after = next } else { query.before = next }
            }
            #expect(pages > 3)
        }
    }

    @Test(arguments: [EventOrder.oldest, .newest])
    func `an expired turn ends a page within a block if marking is slow`(_ order: EventOrder) throws {
        let stored = try ScannedEvents(seed: 3, blocks: [150])
        let open = stored.events.count - 150
        for (highlight, wanted) in [
            (Predicate.everything, order == .oldest ? [150, open] : [open + 150]),
            (.journal("FOO", .among(["x"])), order == .oldest ? [64, 64, 22, open] : [open + 64, 64, 22]),
        ] {
            var query = StoredEventQuery(.everything, order: order, highlight: highlight)
            var (counts, events) = ([Int](), [Event]())
            while true {
                let page = try stored.page(query, time: .zero)
                counts.append(page.events.count)
                events += page.events
                guard let next = page.next else { break }
                if order == .oldest { query.after = next } else { query.before = next }
            }
            #expect(counts == wanted)
            #expect(same(events, order == .oldest ? stored.events : stored.events.reversed()))
        }
    }

    @Test func `events that are marked by journal fields are looked up few at a time`() throws {
        let stored = try ScannedEvents(seed: 3, blocks: [150])
        let ids = stored.events.map(\.id)
        let highlight = Predicate.journal("FOO", .among(["x"]))
        let (page, handled) = try stored.lookUp(ids, highlighting: highlight)
        #expect(handled == 64 && same(page.events, Array(stored.events[..<64])))
        #expect(try stored.lookUp(ids).handled == ids.count)
        var scan = NewestScan(
            of: 200, matching: .everything, ids: 1 ... .max, before: .last, bytes: .max, highlighting: highlight)
        while try stored.queue.read({ try scan.step($0, ColumnCache().current, stored.turn(.seconds(9))) }) {}
        #expect(scan.found.places.count == ids.count && scan.found.read.isEmpty)
    }

    @Test func `a walk that a turn ends has come to an id of its range`() throws {
        let stored = try ScannedEvents(seed: 3)
        try stored.queue.write { try PackedBlockTable.remove(stored.events[33].id, $0) }
        // The first begins where the events were removed, so behind a block; the second ends within a block.
        for ids in [
            stored.events[40].id...stored.events[130].id, stored.events[125].id...stored.events[130].id,
        ] {
            let reached = try stored.queue.read { db in
                try ColumnWalk.forEach(of: ids, BlockMatcher(times: -1 ... -1), db, stored.turn(.zero)) { _ in true }
            }
            #expect(reached.map { ids.contains($0) } == true, "\(reached ?? 0) of \(ids)")
        }
        // A block before the range is no progress.
        let query = StoredEventQuery(.number(.time, 0...0), after: stored.events[40].id)
        #expect(try stored.page(query, time: .zero).next == stored.events[167].id)
        try stored.queue.write { try OpenEventTable.removeAll($0) }
        let reached = try stored.queue.read { db in
            let ids = stored.events[167].id + 1 ... .max
            return try ColumnWalk.forEach(of: ids, .everything, db, stored.turn(.zero)) { _ in true }
        }
        #expect(reached == nil)
    }

    @Test func `the newest events are found once, even if their block loses one meanwhile`() throws {
        let stored = try ScannedEvents(seed: 4)
        let last = try #require(stored.events.last).id
        let rewritten = stored.events[123..<168]
        let newest = try #require(rewritten.max { $0.place < $1.place }).id
        var scan = NewestScan(of: 1000, matching: .everything, ids: 1...last, before: .last, bytes: 0)
        var (goesOn, steps) = (true, 0)
        while goesOn {
            goesOn = try stored.queue.read { try scan.step($0, ColumnCache().current, stored.turn(.zero)) }
            steps += 1
            guard steps == 1 else { continue }
            #expect(scan.found.places.contains { $0.id == newest })
            var packer = BlockPacker()
            for event in rewritten where event.id != newest { packer.append(event) }
            let block = try packer.packed(by: BlockFrames())
            try stored.queue.write { try PackedBlockTable.replace(rewritten[123].id, by: block, $0) }
        }
        #expect(scan.found.places == stored.events.map(\.place).sorted(by: >) && !scan.found.hasMore)
    }

    @Test func `a page of an empty store is empty`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: PackedBlockTable.schema + OpenEventTable.schema) }
        let page = try queue.read { db in
            let query = StoredEventQuery(.everything, after: nil, before: nil, order: .newest, limit: 10)
            var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
            return try scan.page()
        }
        #expect(page.events.isEmpty && page.next == nil && page.newestEventID == 0)
    }
}

/// Events in blocks of all sizes, whose ids have holes, and newest events in no block.
private struct ScannedEvents {
    let queue: DatabaseQueue
    private(set) var events: [Event] = []

    init(seed: UInt64, blocks counts: [Int] = [1, 30, 2, 90, 45]) throws {
        var generator = BlockEventGenerator(seed: seed)
        queue = try DatabaseQueue()
        var blocks: [PackedBlock] = []
        for count in counts {
            var packer = BlockPacker()
            for _ in 0..<count {
                let event = generator.next()
                events.append(event)
                packer.append(event)
            }
            blocks.append(try #require(try packer.packed(by: BlockFrames())))
        }
        let open = (0..<35).map { _ in generator.next() }
        events += open
        try queue.write { [events] db in
            try db.execute(sql: PackedBlockTable.schema + OpenEventTable.schema + Totals.schema)
            try Totals.set(lastEventID: events.last?.id ?? 0, db)
            for block in blocks { try PackedBlockTable.insert(block, db) }
            try OpenEventTable.replaceAll(by: open, db)
        }
    }

    static func event(_ id: Int64, payload: [UInt8]) -> Event {
        Event(
            id: id, origin: .sample(), level: .info, pid: nil, seqnum: UInt64(id), monotonicMicroseconds: 5,
            realtimeMicroseconds: 1_790_000_000_000_000, entryHash: 7, resolution: .plain,
            kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil, payload: payload)
    }

    func filter(_ random: inout SeededGenerator) -> SimpleFilter {
        var filter = SimpleFilter()
        guard let event = events.randomElement(using: &random) else { return filter }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: filter.level = event.level
        case 1: filter.resolutions = [event.resolution]
        case 2: filter.boots = [event.origin.bootID]
        case 3: filter.sinceMicroseconds = event.realtimeMicroseconds
        default: break
        }
        return filter
    }

    /// Returns the events that match, by checking each event.
    func wanted(_ query: StoredEventQuery, _ filter: SimpleFilter) -> [Event] {
        let found = events.filter { event in
            event.id > query.after ?? 0 && event.id < query.before ?? .max
                && event.level.rawValue <= (filter.level ?? .debug).rawValue
                && (filter.resolutions.isEmpty || filter.resolutions.contains(event.resolution))
                && (filter.boots.isEmpty || filter.boots.contains(event.origin.bootID))
                && event.realtimeMicroseconds >= filter.sinceMicroseconds ?? 0
        }
        return query.order == .oldest ? found : found.reversed()
    }

    func page(_ query: StoredEventQuery, time: Duration = .seconds(9)) throws -> EventPage {
        try queue.read { db in
            var scan = try EventScan(db, query: query, turn: turn(time))
            return try scan.page()
        }
    }

    /// Returns a turn that has begun.
    func turn(_ time: Duration) -> ReadTurn {
        let turn = ReadTurn(time: time, journal: EmptyJournal())
        _ = turn.wait {}
        _ = turn.begin {}
        return turn
    }

    private struct EmptyJournal: JournalFieldSource {
        func forEachValue(
            of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
            _ body: (Int, UnsafeRawBufferPointer) throws -> Void
        ) {}
    }

    func lookUp(
        _ ids: [Int64], highlighting highlight: Predicate? = nil
    ) throws -> (page: EventPage, handled: Int) {
        try queue.read { db in
            var lookup = try EventLookup(
                db, ids, bytes: .max, highlighting: highlight, cache: ColumnCache().current, turn: turn(.seconds(9)))
            return try lookup.read()
        }
    }

    /// Returns all pages in order. Where an event needs more room, the page is requested again with as much.
    func pages(_ first: StoredEventQuery) throws -> ([EventPage], [Event]) {
        var (query, pages, events) = (first, [EventPage](), [Event]())
        while true {
            let page = try self.page(query)
            events += page.events
            query.bytes = first.bytes
            if let needed = page.needed {
                #expect(page.events.isEmpty && needed > first.bytes ?? 0)
                query.bytes = needed
            } else {
                pages.append(page)
            }
            guard let next = page.next else {
                return (pages.filter { ($0.events.first?.payload.count ?? 0) <= first.bytes ?? .max }, events)
            }
            if query.order == .oldest { query.after = next } else { query.before = next }
        }
    }
}
