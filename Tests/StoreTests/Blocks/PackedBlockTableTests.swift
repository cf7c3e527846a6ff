import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct PackedBlockTableTests {
    @Test func `blocks are read from the database in either order and from any id on`() throws {
        let stored = try Stored(blocks: 7, of: 50)
        #expect(try stored.walk(SimpleFilter(), 1 ... .max) == stored.blocks.map(\.ids))
        #expect(try stored.walk(SimpleFilter(), 1 ... .max, isAscending: false) == stored.blocks.map(\.ids).reversed())
        for block in stored.blocks {
            let (first, last) = (block.ids.lowerBound, block.ids.upperBound)
            for ids in [first...first, last...last, first...last, first + 1...last] {
                #expect(try stored.walk(SimpleFilter(), ids) == [block.ids])
            }
            #expect(
                try stored.walk(SimpleFilter(), last + 1 ... .max)
                    == stored.blocks.map(\.ids).filter { $0.lowerBound > last })
            #expect(
                try stored.walk(SimpleFilter(), 0...first - 1)
                    == stored.blocks.map(\.ids).filter { $0.upperBound < first })
        }
        #expect(try stored.events() == stored.sent.map(\.id))
        #expect(try stored.queue.read { try PackedBlockTable.lastID($0) } == stored.sent.last?.id)
    }

    @Test func `only blocks that may have matching events are read`() throws {
        let stored = try Stored(blocks: 9, of: 40)
        for event in stored.sent.filter({ $0.resolution.hasPayload }).prefix(40) {
            var filter = SimpleFilter()
            filter.subsystems = [event.origin.subsystem]
            filter.boots = [event.origin.bootID]
            filter.level = event.level
            (filter.sinceMicroseconds, filter.untilMicroseconds) = (
                event.realtimeMicroseconds, event.realtimeMicroseconds
            )
            let walked = try stored.walk(filter, 1 ... .max)
            #expect(walked.contains { $0.contains(event.id) })
            #expect(walked.count <= 2)
        }
        var absent = SimpleFilter()
        absent.parameters = [SimpleFilter.ParameterCondition(names: ["nobody"], values: ["sends this"])]
        #expect(try stored.walk(absent, 1 ... .max).count <= 1)
    }

    @Test func `a block is replaced with another, or with none`() throws {
        let stored = try Stored(blocks: 3, of: 30)
        let (first, second) = (stored.blocks[0], stored.blocks[1])
        var packer = BlockPacker()
        for event in stored.sent where second.ids.contains(event.id) && event.id % 2 == 0 { packer.append(event) }
        let half = try #require(try packer.packed(by: BlockFrames()))
        try stored.queue.write { db in
            try PackedBlockTable.replace(second.ids.lowerBound, by: half, db)
            try PackedBlockTable.replace(first.ids.lowerBound, by: nil, db)
        }
        #expect(try stored.walk(SimpleFilter(), 1 ... .max) == [half.ids, stored.blocks[2].ids])
        let kept = stored.sent.filter {
            $0.id > first.ids.upperBound && (!second.ids.contains($0.id) || $0.id % 2 == 0)
        }
        #expect(try stored.events() == kept.map(\.id))
        let left = try stored.queue.read { db in
            try ["blocks", "block_values", "block_data"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0
            }
        }
        #expect(left == [2, 2, 2])
    }

    @Test func `an error names the damaged block, and the others stay readable`() throws {
        let stored = try Stored(blocks: 3, of: 30)
        let damaged = stored.blocks[1].ids
        for sql in [
            "UPDATE block_data SET data = zeroblob(200) WHERE first_id = ?",
            "DELETE FROM block_data WHERE first_id = ?",
            "INSERT INTO block_data SELECT ?, x'00'",
        ] {
            try stored.queue.write { try $0.execute(sql: sql, arguments: [damaged.lowerBound]) }
            let error = #expect(throws: DatabaseError.self) { try stored.events(damaged.lowerBound ... .max) }
            #expect(error?.resultCode == .SQLITE_CORRUPT)
            #expect(error?.message?.contains("events \(damaged.lowerBound) to \(damaged.upperBound)") == true)
            #expect(
                try stored.events(damaged.upperBound + 1 ... .max)
                    == stored.sent.map(\.id).filter { $0 > damaged.upperBound })
        }
    }

    @Test(arguments: [
        "names = x''", "names = zeroblob(length(names))", "names = names || x'00'", "last_id = last_id + 1",
        "min_time = min_time + 1", "max_time = max_time - 1", "levels = 0", "levels = 999", "events = 1", "events = 0",
        "payload_bytes = 4611686018427387904", "last_id = 0",
    ])
    func `a damaged row is an error, and excludes no block`(_ change: String) throws {
        let stored = try Stored(blocks: 3, of: 30)
        let damaged = stored.blocks[1].ids.lowerBound
        try stored.queue.write {
            try $0.execute(sql: "UPDATE blocks SET \(change) WHERE first_id = ?", arguments: [damaged])
        }
        var filter = SimpleFilter()
        filter.subsystems = ["nobody has it"]
        let error = #expect(throws: DatabaseError.self) { try stored.walk(filter, 1 ... .max) }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
        #expect(error?.message?.contains("events \(damaged) to ") == true)
    }

    @Test(arguments: [
        "DELETE FROM block_values WHERE first_id = ?", "UPDATE block_values SET filter = x'' WHERE first_id = ?",
        "UPDATE block_values SET filter = zeroblob(length(filter)) WHERE first_id = ?",
    ])
    func `a damaged filter is an error, and excludes no block`(_ sql: String) throws {
        let stored = try Stored(blocks: 3, of: 30)
        try stored.queue.write { try $0.execute(sql: sql, arguments: [stored.blocks[1].ids.lowerBound]) }
        var filter = SimpleFilter()
        filter.parameters = [SimpleFilter.ParameterCondition(names: ["user"], values: ["7"])]
        #expect(throws: DatabaseError.self) { try stored.walk(filter, 1 ... .max) }
    }
}

/// Blocks of random events in a database in memory.
private struct Stored {
    let queue: DatabaseQueue
    private(set) var blocks: [PackedBlock] = []
    private(set) var sent: [Event] = []

    init(blocks count: Int, of events: Int) throws {
        queue = try DatabaseQueue()
        var generator = BlockEventGenerator(seed: 5)
        let frames = BlockFrames()
        for _ in 0..<count {
            var packer = BlockPacker()
            for _ in 0..<events {
                let event = generator.next()
                sent.append(event)
                packer.append(event)
            }
            blocks.append(try #require(try packer.packed(by: frames)))
        }
        try queue.write { [blocks] db in
            try db.execute(sql: PackedBlockTable.schema)
            for block in blocks { try PackedBlockTable.insert(block, db) }
        }
    }

    func walk(
        _ filter: SimpleFilter, _ ids: ClosedRange<Int64>, isAscending: Bool = true
    ) throws -> [ClosedRange<Int64>] {
        try queue.read { db in
            var walk = try BlockWalk(db, ids: ids, isAscending: isAscending, BlockMatcher(filter.predicate))
            var found: [ClosedRange<Int64>] = []
            while case .block(let block) = try walk.next() { found.append(block.ids) }
            return found
        }
    }

    /// Returns the ids of all events in blocks, after comparing these with the original events.
    func events(_ ids: ClosedRange<Int64> = 1 ... .max) throws -> [Int64] {
        let frames = BlockFrames()
        return try queue.read { db in
            var walk = try BlockWalk(db, ids: ids, isAscending: true, .everything)
            var found: [Int64] = []
            while case .block(let block) = try walk.next() {
                let events = try block.read(db, frames) { try $0.events() }
                let wanted = sent.filter { event in events.contains { $0.id == event.id } }
                #expect(same(events, wanted))
                found += events.map(\.id)
            }
            return found
        }
    }
}
