import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct EventAppenderTests {
    @Test func `events are returned in their order, however many are saved at a time`() throws {
        for seed in FuzzBudget.seeds(2) {
            var run = try Appended(seed: seed)
            for _ in 0..<12 {
                let count = [1, 3, 200, 2047, 2048, 4096, 5000].randomElement(using: &run.generator.json.random) ?? 1
                try run.append(count)
                // A new appender, as after a restart.
                if Bool.random(using: &run.generator.json.random) { try run.reopen() }
            }
            #expect(try run.payloads() == run.sent, "seed \(seed)")
            let sizes = try run.sizes()
            #expect(sizes.open < BlockPacker.capacity)
            #expect(sizes.blocks.allSatisfy { $0 <= BlockPacker.capacity })
        }
    }

    @Test func `events of a catch-up never become rows`() throws {
        var run = try Appended(seed: 1)
        try run.append(4096)
        try run.append(4000)
        #expect(try run.sizes() == .init(open: 0, blocks: [4096, 4000]))
        try run.append(17)
        #expect(try run.sizes() == .init(open: 17, blocks: [4096, 4000]))
        try run.append(4096)
        #expect(try run.sizes() == .init(open: 17, blocks: [4096, 4000, 4096]))
        #expect(try run.payloads() == run.sent)
    }

    @Test func `the size of payloads limits a block, and a larger payload has a block of its own`() throws {
        var run = try Appended(seed: 2)
        try run.append(3)
        let large = [UInt8](repeating: 0x61, count: BlockPacker.payloadCapacity + 1)
        let half = [UInt8](repeating: 0x62, count: BlockPacker.payloadCapacity / 2)
        try run.append(payloads: [large])
        let less = Array(half.dropLast())
        try run.append(payloads: [less])
        #expect(try run.sizes() == .init(open: 1, blocks: [3, 1]))
        try run.append(payloads: [half, half, [0x63]])
        #expect(try run.sizes() == .init(open: 0, blocks: [3, 1, 2, 2]))
        try run.append(payloads: [less])
        try run.append(payloads: [[0x64], [0x65], half, [0x66]])
        #expect(try run.sizes() == .init(open: 0, blocks: [3, 1, 2, 2, 3, 2]))
        #expect(try run.payloads() == run.sent)
    }
}

/// The events that an appender was given, and the database that it saved them in.
private struct Appended {
    struct Sizes: Equatable {
        var open: Int
        var blocks: [Int]
    }

    var generator: BlockEventGenerator
    private(set) var sent: [[UInt8]] = []
    private let queue: DatabaseQueue
    private var appender: EventAppender

    init(seed: UInt64) throws {
        generator = BlockEventGenerator(seed: seed)
        queue = try DatabaseQueue()
        appender = try queue.write { db in
            try db.execute(sql: PackedBlockTable.schema + OpenEventTable.schema)
            return try EventAppender(db, lastID: 0, limit: (BlockPacker.capacity, BlockPacker.payloadCapacity))
        }
    }

    mutating func append(_ count: Int) throws {
        try append(payloads: (0..<count).map { Array("{\"number\":\(sent.count + $0)}".utf8) })
    }

    mutating func append(payloads: [[UInt8]]) throws {
        sent += payloads
        let bytes = Array(payloads.joined())
        var (events, start) = ([BlockEvent](), 0)
        let template = generator.next()
        try bytes.withUnsafeBytes { bytes in
            for payload in payloads {
                var event = template.withBlockEvent { $0 }
                event.findings = UnsafeRawBufferPointer(start: nil, count: 0)
                event.payload = UnsafeRawBufferPointer(rebasing: bytes[start..<start + payload.count])
                start += payload.count
                events.append(event)
            }
            appender = try queue.write { [appender, events] db in
                var appender = appender
                try appender.append(
                    events, payloadBytes: events.reduce(0) { $0 + $1.payload.count }, db)
                return appender
            }
        }
    }

    mutating func reopen() throws {
        let last = appender.nextID - 1
        appender = try queue.read {
            try EventAppender($0, lastID: last, limit: (BlockPacker.capacity, BlockPacker.payloadCapacity))
        }
    }

    func sizes() throws -> Sizes {
        try queue.read { db in
            Sizes(
                open: try OpenEventTable.size(db).count,
                blocks: try Int.fetchAll(db, sql: "SELECT events FROM blocks ORDER BY first_id"))
        }
    }

    /// Returns the payloads of all events. The ids must be consecutive.
    func payloads() throws -> [[UInt8]] {
        try queue.read { db in
            var (payloads, after) = ([[UInt8]](), Int64(0))
            while true {
                let query = StoredEventQuery(
                    .everything, after: after, before: nil, order: .oldest, limit: 10_000, bytes: 1 << 22)
                var scan = try EventScan(db, query: query, turn: ReadTurn(time: .seconds(9)))
                let page = try scan.page()
                for event in page.events {
                    #expect(event.id == Int64(payloads.count + 1))
                    payloads.append(event.payload)
                }
                guard let next = page.next else { return payloads }
                after = next
            }
        }
    }
}
