import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct EventRewriterTests {
    @Test func `changed events are as they should be, and the others as they were`() throws {
        for seed in FuzzBudget.seeds(4) {
            var generator = BlockEventGenerator(seed: seed)
            let (queue, events) = try Self.stored(&generator)
            let other = (0..<5).map { _ in generator.next() }
            var (changes, wanted) = ([Int64: ResolvedAgain](), events)
            for index in events.indices where Int.random(in: 0..<4, using: &generator.json.random) == 0 {
                let new = try #require(other.randomElement(using: &generator.json.random))
                let payload = Bool.random(using: &generator.json.random) ? new.payload : nil
                changes[events[index].id] = ResolvedAgain(
                    id: events[index].id, resolution: new.resolution, kind: new.kind, findings: new.findings,
                    payload: payload)
                (wanted[index].resolution, wanted[index].kind) = (new.resolution, new.kind)
                wanted[index].findings = new.findings
                if let payload { wanted[index].payload = payload }
            }
            // Nobody has these.
            changes[.max] = ResolvedAgain(id: .max, resolution: .plain, kind: other[0].kind)
            changes[1] = ResolvedAgain(id: 1, resolution: .plain, kind: other[0].kind)
            var before: [Event] = []
            try queue.write { db in
                try EventRewriter(db).write(changes) { event, _ in before.append(event) }
            }
            #expect(try same(Self.all(queue), wanted), "seed \(seed)")
            let old = events.filter { event in before.contains { $0.id == event.id } }
            #expect(same(before, old))
            var again = 0
            try queue.write { db in
                try EventRewriter(db).write(changes) { _, _ in again += 1 }
            }
            #expect(again == 0, "what is as it should be is not written once more")
        }
    }

    @Test func `blocks without a change are not written`() throws {
        var generator = BlockEventGenerator(seed: 7)
        let (queue, events) = try Self.stored(&generator)
        let event = try #require(events.first)
        let rows = { try queue.read { try Row.fetchAll($0, sql: "SELECT first_id, data FROM block_data ORDER BY 1") } }
        let before = try rows()
        let same = ResolvedAgain(
            id: event.id, resolution: event.resolution, kind: event.kind, findings: event.findings,
            payload: event.payload)
        try queue.write { try EventRewriter($0).write([event.id: same]) { _, _ in } }
        #expect(try rows() == before)
        let hidden = ResolvedAgain(
            id: event.id, resolution: .undefined, kind: event.kind, payload: Array("{\"email\":\"<private>\"}".utf8))
        try queue.write { try EventRewriter($0).write([event.id: hidden]) { _, _ in } }
        let after = try rows()
        #expect(after[0] != before[0] && after.dropFirst() == before.dropFirst())
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
            blocks.append(try #require(packer.packed(by: BlockFrames())))
        }
        let open = (0..<30).map { _ in generator.next() }
        try queue.write { [blocks] db in
            try db.execute(sql: PackedBlockTable.schema + OpenEventTable.schema)
            for block in blocks { try PackedBlockTable.insert(block, db) }
            try OpenEventTable.insert(open, db)
        }
        return (queue, events + open)
    }

    private static func all(_ queue: DatabaseQueue) throws -> [Event] {
        try queue.read { db in
            let query = EventQuery(
                filter: EventFilter(), after: nil, before: nil, order: .oldest, limit: 10_000, bytes: 1 << 22)
            var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
            return try scan.page().events
        }
    }
}
