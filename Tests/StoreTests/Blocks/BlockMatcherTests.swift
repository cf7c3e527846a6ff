import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct BlockMatcherTests {
    @Test func `a selection equals that of checking every event, for any query`() throws {
        for seed in FuzzBudget.seeds(6) {
            var random = SeededGenerator(seed: seed)
            let events = KnownEvents(count: 300, &random)
            let (block, content) = try events.packed()
            let queue = try events.open()
            for _ in 0..<60 {
                let filter = events.oracle.filter(&random)
                let matcher = try BlockMatcher(filter.predicate)
                let meets = try events.oracle.meeting(filter)
                let wanted = events.list.indices.filter { meets(events.list[$0]) }
                #expect(try matcher.select(content) == wanted, "seed \(seed): \(filter)")
                let found = try queue.read { [matcher] db in
                    return try matcher.select(OpenEvents(db, ids: 1 ... .max))
                }
                #expect(found == wanted, "seed \(seed), open: \(filter)")
                // No block that has a matching event may be skipped.
                if !wanted.isEmpty { #expect(Self.mayMatch(matcher, block), "seed \(seed): \(filter)") }
            }
        }
    }

    @Test func `blocks without a name, a value, a level or a time are skipped`() throws {
        var random = SeededGenerator(seed: 4)
        let events = KnownEvents(count: 200, &random)
        let (block, _) = try events.packed()
        var filters = [SimpleFilter](repeating: SimpleFilter(), count: 6)
        filters[0].subsystems = ["org.absent"]
        filters[1].events = ["absent/event"]
        filters[2].boots = [ID128(high: 99, low: 99)]
        filters[3].parameters = [SimpleFilter.ParameterCondition(names: ["user"], values: ["never sent"])]
        filters[4].level = .emerg
        filters[5].untilMicroseconds = 1
        for filter in filters { #expect(try !Self.mayMatch(BlockMatcher(filter.predicate), block), "\(filter)") }
        var glob = SimpleFilter()
        glob.subsystems = ["*absent*"]
        #expect(try Self.mayMatch(BlockMatcher(glob.predicate), block), "no filter knows what a glob may match")
    }

    @Test(arguments: [
        ("device", #"{"model":"x", "tag":[1]}"#), ("device.model", "x"), ("device.tag", "[1]"), ("a.b", "1"),
        ("twice", "2"), ("text", "a\"b"), ("list", #"["a\"b"]"#), ("null", "null"), ("same", "2"),
    ])
    func `a parameter is found by its value, at any depth`(_ name: String, _ value: String) throws {
        let payloads = [
            #"{"device":{"model":"x", "tag":[1]}}"#, #"{"a.b":1}"#, #"{"a":{"b":1}}"#, #"{"twice":1,"twice":2}"#,
            #"{"text":"a\"b"}"#, #"{"list":["a\"b"],"null":null}"#, #"{"other":{"device":{"model":"x"}}}"#,
            #"{"text":"a\\\"b"}"#, "device", #"{"\u0073ame":1,"same":2}"#,
        ]
        var packer = BlockPacker()
        for (index, payload) in payloads.enumerated() {
            packer.append(
                payload: Array(payload.utf8), id: Int64(index + 1),
                resolution: payload.first == "{" ? .undefined : .plain)
        }
        let block = try #require(try packer.packed(by: BlockFrames()))
        var filter = SimpleFilter()
        filter.parameters = [SimpleFilter.ParameterCondition(names: [ExactString(name)], values: [ExactString(value)])]
        var matcher = try BlockMatcher(filter.predicate)
        let expected = [
            "device": [0], "device.model": [0], "device.tag": [0], "a.b": [1, 2], "twice": [3], "text": [4],
            "same": [9],
        ]
        #expect(try matcher.select(block.content()) == expected[name] ?? [5])
        filter.parameters[0].values = ["1.0", "first"]
        matcher = try BlockMatcher(filter.predicate)
        #expect(try matcher.select(block.content()).isEmpty)
    }

    private static func mayMatch(_ matcher: BlockMatcher, _ block: PackedBlock) -> Bool {
        let byNames = block.names.withUnsafeBytes {
            matcher.mayMatch(ids: block.ids, times: block.times, levels: block.levels, names: $0)
        }
        return byNames && block.values.withUnsafeBytes { matcher.mayHaveValues($0) }
    }
}

/// Events whose parameters the test knows without parsing the payloads.
private struct KnownEvents {
    private(set) var list: [Event] = []
    private var parameters: KnownPayload.Parameters = [:]

    var oracle: Oracle { Oracle(list, parameters) }

    init(count: Int, _ random: inout SeededGenerator) {
        var time: UInt64 = 1_790_000_000_000_000
        for number in 0..<count {
            time += UInt64.random(in: 0...2000, using: &random)
            let resolution = Resolution.allCases.randomElement(using: &random) ?? .plain
            let payload = payload(resolution.hasPayload, &random)
            let program = Int.random(in: 0..<3, using: &random)
            let origin = Origin(
                [
                    .subsystem: "com.example.\(Int.random(in: 0..<5, using: &random))",
                    .category: ["", "list", "夕食"].randomElement(using: &random) ?? "", .host: "web\(program)",
                    .identifier: [nil, "shop", "夕食"][program],
                    .unit: ["shop.service", nil, "shop@1.service"][program],
                ], bootID: ID128(high: 1, low: UInt64.random(in: 0..<3, using: &random)),
                seqnumID: ID128(high: 3, low: 4), source: "test")
            let key = EventKey(category: "c", name: "n\(Int.random(in: 0..<6, using: &random))")
            list.append(
                Event(
                    id: Int64(number + 1), origin: origin,
                    level: Level.allCases[Int.random(in: 2...7, using: &random)],
                    pid: [nil, 1, 812, Int32.random(in: 2...40_000, using: &random)].randomElement(using: &random)
                        ?? nil,
                    seqnum: UInt64(number), monotonicMicroseconds: time - 1_700_000_000_000_000,
                    realtimeMicroseconds: time, entryHash: 1, resolution: resolution,
                    kind: EventKind(
                        dictionary: nil, definitionsVersion: nil,
                        key: [.plain, .malformed, .unkeyed].contains(resolution) ? nil : key),
                    findings: nil, payload: payload))
        }
    }

    private mutating func payload(_ isObject: Bool, _ random: inout SeededGenerator) -> [UInt8] {
        guard isObject else { return Array("user said \(Int.random(in: 0..<9, using: &random))".utf8) }
        let payload = KnownPayload.random(&random)
        parameters[payload.bytes] = payload.parameters
        return payload.bytes
    }

    func packed() throws -> (PackedBlock, BlockContent) {
        var packer = BlockPacker()
        for event in list { packer.append(event) }
        let block = try #require(try packer.packed(by: BlockFrames()))
        return (block, try block.content())
    }

    /// Returns the same events as rows that are in no block.
    func open() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: OpenEventTable.schema)
            try OpenEventTable.replaceAll(by: list, db)
        }
        return queue
    }
}
