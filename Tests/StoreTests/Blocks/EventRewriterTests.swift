import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct EventRewriterTests {
    @Test func `changed events have the new state, and the others are unchanged`() throws {
        for seed in FuzzBudget.seeds(4) {
            var generator = BlockEventGenerator(seed: seed)
            let (queue, events) = try Self.stored(&generator)
            let other = (0..<5).map { _ in generator.next() }
            var (changes, wanted) = ([Int64: ReprocessedEvent](), events)
            for index in events.indices where Int.random(in: 0..<4, using: &generator.json.random) == 0 {
                let new = try #require(other.randomElement(using: &generator.json.random))
                let payload = Bool.random(using: &generator.json.random) ? new.payload : nil
                changes[events[index].id] = ReprocessedEvent(
                    id: events[index].id, resolution: new.resolution, kind: new.kind, findings: new.findings,
                    payload: payload)
                (wanted[index].resolution, wanted[index].kind) = (new.resolution, new.kind)
                wanted[index].findings = new.findings
                if let payload { wanted[index].payload = payload }
            }
            // No event has these ids.
            changes[.max] = ReprocessedEvent(id: .max, resolution: .plain, kind: other[0].kind)
            changes[1] = ReprocessedEvent(id: 1, resolution: .plain, kind: other[0].kind)
            var before: [Event] = []
            try queue.write { db in
                try Self.rewrite(changes, db) { before.append($0) }
            }
            #expect(try same(Self.all(queue), wanted), "seed \(seed)")
            let old = events.filter { event in before.contains { $0.id == event.id } }
            #expect(same(before, old))
            var again = 0
            try queue.write { db in
                try Self.rewrite(changes, db) { _ in again += 1 }
            }
            #expect(again == 0, "unchanged events are not written again")
        }
    }

    @Test func `blocks without a change are not written`() throws {
        var generator = BlockEventGenerator(seed: 7)
        let (queue, events) = try Self.stored(&generator)
        let event = try #require(events.first)
        let rows = { try queue.read { try Row.fetchAll($0, sql: "SELECT first_id, data FROM block_data ORDER BY 1") } }
        let before = try rows()
        let same = ReprocessedEvent(
            id: event.id, resolution: event.resolution, kind: event.kind, findings: event.findings,
            payload: event.payload)
        try queue.write { try Self.rewrite([event.id: same], $0) }
        #expect(try rows() == before)
        let hidden = ReprocessedEvent(
            id: event.id, resolution: .undefined, kind: event.kind, payload: Array("{\"email\":\"<private>\"}".utf8))
        try queue.write { try Self.rewrite([event.id: hidden], $0) }
        let after = try rows()
        #expect(after[0] != before[0] && after.dropFirst() == before.dropFirst())
    }

    @Test func `events are removed from their block, and a block without events is removed`() throws {
        var generator = BlockEventGenerator(seed: 9)
        let (queue, events) = try Self.stored(&generator)
        let kept = events.filter { $0.id % 3 == 0 && $0.id != events[40].id }
        try queue.write { db in
            let ids = Set(kept.map(\.id))
            try Self.edit(events.map(\.id), db) { ids.contains($0.id) ? .none : .removed }
        }
        #expect(try same(Self.all(queue), kept))
        let tables = ["blocks", "block_data", "block_values"]
        #expect(
            try queue.read { db in
                try tables.map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") }
            } == [2, 2, 2])
        let sources = try queue.read {
            try Int.fetchOne(
                $0, sql: "SELECT sum(block_sources.events) - (SELECT sum(events) FROM blocks) FROM block_sources")
        }
        #expect(sources == 0)
    }

    @Test func `open events are changed, whatever the row of the newest block says`() throws {
        var generator = BlockEventGenerator(seed: 9)
        let (queue, events) = try Self.stored(&generator)
        let left = try queue.write { db in
            try db.execute(sql: "UPDATE blocks SET last_id = ?", arguments: [events.last?.id])
            try EventRewriter(db).rewriteOpen { _ in .removed }
            return try OpenEventTable.size(db).count
        }
        #expect(left == 0)
    }

    /// - Parameter changed: gets each changed event in its previous state.
    private static func rewrite(
        _ changes: [Int64: ReprocessedEvent], _ db: Database, changed: (Event) -> Void = { _ in }
    ) throws {
        try edit(Array(changes.keys), db) { event in
            guard let change = changes[event.id], event.differs(from: change) else { return .none }
            changed(event)
            event.take(change)
            return .changed
        }
    }

    /// Edits each block that has one of the ids, and the newest events.
    private static func edit(
        _ ids: [Int64], _ db: Database, _ body: (inout Event) -> EventRewriter.Change
    ) throws {
        let rewriter = EventRewriter(db)
        let blocks = Set(
            try ids.compactMap { id in try rewriter.block(from: id).flatMap { $0.ids.contains(id) ? $0 : nil } })
        for block in blocks.sorted(by: { $0.ids.lowerBound < $1.ids.lowerBound }) { try rewriter.rewrite(block, body) }
        try rewriter.rewriteOpen(body)
    }

    private static func stored(_ generator: inout BlockEventGenerator) throws -> (DatabaseQueue, [Event]) {
        let queue = try DatabaseQueue()
        var (blocks, events) = ([PackedBlock](), [Event]())
        for count in [40, 1, 70] {
            var packer = BlockPacker()
            for _ in 0..<count {
                events.append(generator.next())
                packer.append(events[events.count - 1])
            }
            blocks.append(try #require(try packer.packed(by: BlockFrames())))
        }
        let open = (0..<30).map { _ in generator.next() }
        try queue.write { [blocks] db in
            try db.execute(sql: PackedBlockTable.schema + OpenEventTable.schema)
            for block in blocks { try PackedBlockTable.insert(block, db) }
            try OpenEventTable.replaceAll(by: open, db)
        }
        return (queue, events + open)
    }

    private static func all(_ queue: DatabaseQueue) throws -> [Event] {
        try queue.read { db in
            let query = StoredEventQuery(
                .everything, after: nil, before: nil, order: .oldest, limit: 10_000, bytes: 1 << 22)
            var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
            return try scan.page().events
        }
    }
}
