import GRDB
import Model
import TestSupport
import Testing

@testable import Store

extension BlockPacker {
    /// Appends an event that has nothing but a payload.
    mutating func append(payload: [UInt8], id: Int64, resolution: Resolution, name: String? = nil) {
        payload.withUnsafeBytes { payload in
            append(
                BlockEvent(
                    id: id, origin: .sample(), level: .info, pid: 7, seqnum: UInt64(id),
                    monotonicMicroseconds: UInt64(id), realtimeMicroseconds: 1000 + UInt64(id), entryHash: 5,
                    ordinal: 0,
                    kind: ResolvedKind(
                        resolution,
                        EventKind(
                            dictionary: "shop", definitionsVersion: nil,
                            key: name.map { EventKey(category: "list", name: $0) })),
                    findings: UnsafeRawBufferPointer(start: nil, count: 0), payload: payload,
                    text: UnsafeRawBufferPointer(start: nil, count: 0), program: .none))
        }
    }
}

/// Events that have nothing but payloads.
struct PayloadSamples {
    private let events: [Event]

    init(_ payloads: [String]) {
        events = payloads.enumerated().map { number, payload in
            Event(
                id: Int64(number + 1), origin: .sample(), level: .info, pid: nil, seqnum: UInt64(number),
                monotonicMicroseconds: UInt64(number), realtimeMicroseconds: UInt64(number), entryHash: 1,
                resolution: .unkeyed, kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil),
                findings: nil, payload: Array(payload.utf8))
        }
    }

    /// The events as a block.
    func packed() throws -> BlockContent {
        var packer = BlockPacker()
        for event in events { packer.append(event) }
        return try #require(try packer.packed(by: BlockFrames())).content()
    }

    /// A database that has the events, and no block.
    func open() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: OpenEventTable.schema)
            try OpenEventTable.replaceAll(by: events, db)
        }
        return queue
    }
}

extension PackedBlock {
    func content() throws -> BlockContent {
        try BlockContent(count: count, frames: BlockFrames()) { BytesSource(bytes: data) }
    }
}

struct BytesSource: BlockSource {
    var bytes: [UInt8]

    var count: Int { bytes.count }

    func read(_ range: Range<Int>, into output: inout [UInt8]) throws { output = Array(bytes[range]) }
}

extension EventColumns {
    func allPayloads() throws -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        try forEachPayload(of: Array(0..<count)) { _, payload in payloads.append(Array(payload)) }
        return payloads
    }

    /// Returns all events of the block.
    func events() throws -> [Event] {
        var events: [Event] = []
        try forEachEvent(of: Array(0..<count)) { events.append($0) }
        return events
    }
}

/// A generator of events with few senders and kinds or with many.
struct BlockEventGenerator {
    var json: JSONGenerator
    private var id: Int64
    private var time: UInt64
    private let variety: Int

    init(seed: UInt64) {
        json = JSONGenerator(seed: seed)
        id = Int64.random(in: 1...1 << 40, using: &json.random)
        time = UInt64.random(in: 0...1 << 52, using: &json.random)
        variety = [1, 5, 3000].randomElement(using: &json.random) ?? 1
    }

    mutating func next() -> Event {
        id += [1, 1, 1, 7].randomElement(using: &json.random) ?? 1
        time = UInt64(max(0, Int64(time) + Int64.random(in: -100...5000, using: &json.random)))
        let number = Int.random(in: 0..<variety, using: &json.random)
        let resolution = Resolution.allCases.randomElement(using: &json.random) ?? .plain
        let origin = Origin(
            [
                .subsystem: "com.example.\(number % 40)", .category: number % 3 == 0 ? "" : "夕食\(number)",
                .host: "web\(number % 7)", .identifier: number % 2 == 0 ? nil : "",
                .unit: number % 5 == 0 ? "shop.service" : nil, .processUID: number % 4 == 0 ? nil : "\(number)",
            ], bootID: ID128(high: UInt64(number % 2), low: 9), seqnumID: ID128(high: 3, low: UInt64(number)),
            source: "match",
            keyFields: number % 4 == 1 ? KeyFields(["EVENT_NAME": "開く=\(number)", "EVENT_CATEGORY": "a"]) : .none)
        let hasFindings = Int.random(in: 0..<5, using: &json.random) == 0
        return Event(
            id: id, origin: origin, level: Level.allCases.randomElement(using: &json.random) ?? .info,
            pid: number % 6 == 0 ? nil : Int32(number % 5),
            seqnum: UInt64.random(in: 0...UInt64.max, using: &json.random)
                >> UInt64.random(in: 0...63, using: &json.random),
            monotonicMicroseconds: time / 3, realtimeMicroseconds: time,
            entryHash: UInt64.random(in: 0...UInt64.max, using: &json.random), ordinal: number % 50 == 0 ? .max : 0,
            resolution: resolution,
            kind: EventKind(
                dictionary: number % 2 == 0 ? "shop" : nil,
                definitionsVersion: number % 2 == 0 ? "0123456789abcdef" : nil,
                key: resolution.hasPayload ? EventKey(category: "c\(number % 9)", name: "n\(number)") : nil),
            findings: hasFindings
                ? Findings(violations: [
                    Violation("p\(number)", .missing(type: "bigint", found: nil))
                ])
                : nil,
            payload: resolution.hasPayload ? json.object() : Array("words \(number)".utf8))
    }
}

extension BlockPacker {
    mutating func append(_ event: Event) { event.withBlockEvent { append($0) } }
}
