import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct BlockMatcherTests {
    @Test func `what is selected is what a look at every event finds, whatever is asked for`() throws {
        for seed in FuzzBudget.seeds(6) {
            var random = SeededGenerator(seed: seed)
            let events = KnownEvents(count: 300, &random)
            let (block, content) = try events.packed()
            let queue = try events.open()
            for _ in 0..<60 {
                let filter = events.filter(&random)
                var matcher = try BlockMatcher(filter)
                let wanted = events.list.indices.filter { events.list[$0].meets(filter) }
                #expect(try matcher.select(content) == wanted, "seed \(seed): \(filter)")
                let found = try queue.read { [matcher] db in
                    var matcher = matcher
                    return try matcher.select(OpenEvents(db, ids: 1 ... .max))
                }
                #expect(found == wanted, "seed \(seed), open: \(filter)")
                // Nothing that is there may be passed over.
                if !wanted.isEmpty { #expect(Self.mayMatch(matcher, block), "seed \(seed): \(filter)") }
            }
        }
    }

    @Test func `blocks without a name, a value, a level or a time are passed over`() throws {
        var random = SeededGenerator(seed: 4)
        let events = KnownEvents(count: 200, &random)
        let (block, _) = try events.packed()
        var filters = [EventFilter](repeating: EventFilter(), count: 6)
        filters[0].subsystems = ["org.absent"]
        filters[1].events = ["absent/event"]
        filters[2].boots = [ID128(high: 99, low: 99)]
        filters[3].parameters = [ParameterCondition(names: ["user"], values: ["never sent"])]
        filters[4].level = .emerg
        filters[5].untilMicroseconds = 1
        for filter in filters { #expect(try !Self.mayMatch(BlockMatcher(filter), block), "\(filter)") }
        var glob = EventFilter()
        glob.subsystems = ["*absent*"]
        #expect(try Self.mayMatch(BlockMatcher(glob), block), "no filter knows what a glob may match")
    }

    @Test(arguments: [
        ("device", #"{"model":"x", "tag":[1]}"#), ("device.model", "x"), ("device.tag", "[1]"), ("a.b", "1"),
        ("twice", "2"), ("text", "a\"b"), ("list", #"["a\"b"]"#), ("null", "null"), ("same", "2"),
    ])
    func `a parameter is found by what it says, at any depth`(_ name: String, _ value: String) throws {
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
        let block = try #require(packer.packed(by: BlockFrames()))
        var filter = EventFilter()
        filter.parameters = [ParameterCondition(names: [ExactString(name)], values: [ExactString(value)])]
        var matcher = try BlockMatcher(filter)
        let expected = [
            "device": [0], "device.model": [0], "device.tag": [0], "a.b": [1, 2], "twice": [3], "text": [4],
            "same": [9],
        ]
        #expect(try matcher.select(block.content()) == expected[name] ?? [5])
        filter.parameters[0].values = ["1.0", "first"]
        matcher = try BlockMatcher(filter)
        #expect(try matcher.select(block.content()).isEmpty)
    }

    private static func mayMatch(_ matcher: BlockMatcher, _ block: PackedBlock) -> Bool {
        let byNames = block.names.withUnsafeBytes {
            matcher.mayMatch(times: block.times, levels: block.levels, names: $0)
        }
        return byNames && block.values.withUnsafeBytes { matcher.mayHaveValues($0) }
    }
}

/// Events of which the test knows what they are, apart from their bytes.
private struct KnownEvents {
    struct Known {
        var event: Event
        var parameters: [(name: String, value: String)]

        func meets(_ filter: EventFilter) -> Bool {
            let (origin, key) = (event.origin, event.kind.key)
            let time = event.realtimeMicroseconds
            return matches(filter.subsystems, origin.subsystem) && matches(filter.categories, origin.category)
                && (filter.events.isEmpty || key.map { matches(filter.events, "\($0.category)/\($0.name)") } ?? false)
                && filter.level.map { event.level.rawValue <= $0.rawValue } ?? true
                && time >= filter.sinceMicroseconds ?? 0 && time <= filter.untilMicroseconds ?? .max
                && (filter.boots.isEmpty || filter.boots.contains(origin.bootID))
                && (filter.resolutions.isEmpty || filter.resolutions.contains(event.resolution))
                && filter.parameters.allSatisfy { condition in
                    parameters.contains {
                        condition.names.contains(ExactString($0.name))
                            && condition.values.contains(ExactString($0.value))
                    }
                }
                && filter.grep.map { String(decoding: event.payload, as: UTF8.self).contains($0) } ?? true
        }

        private func matches(_ globs: [String], _ text: String) -> Bool {
            globs.isEmpty
                || globs.contains {
                    $0 == "*" || $0 == text || $0.hasSuffix("*") && text.hasPrefix(String($0.dropLast()))
                }
        }
    }

    private(set) var list: [Known] = []

    init(count: Int, _ random: inout SeededGenerator) {
        var time: UInt64 = 1_790_000_000_000_000
        for number in 0..<count {
            time += UInt64.random(in: 0...2000, using: &random)
            let resolution = Resolution.allCases.randomElement(using: &random) ?? .plain
            let (payload, parameters) = Self.payload(resolution.hasPayload, &random)
            let origin = Origin(
                subsystem: "com.example.\(Int.random(in: 0..<5, using: &random))",
                category: ["", "list", "夕食"].randomElement(using: &random) ?? "", host: "web1",
                bootID: ID128(high: 1, low: UInt64.random(in: 0..<3, using: &random)), seqnumID: ID128(high: 3, low: 4),
                identifier: nil, unit: nil, processUID: nil, source: "test")
            let key = EventKey(category: "c", name: "n\(Int.random(in: 0..<6, using: &random))")
            list.append(
                Known(
                    event: Event(
                        id: Int64(number + 1), origin: origin,
                        level: Level.allCases[Int.random(in: 2...7, using: &random)], pid: nil,
                        seqnum: UInt64(number), monotonicMicroseconds: time - 1_700_000_000_000_000,
                        realtimeMicroseconds: time, xorHash: 1, resolution: resolution,
                        kind: EventKind(
                            dictionary: nil, definitionsVersion: nil,
                            key: [.plain, .malformed, .unkeyed].contains(resolution) ? nil : key),
                        findings: nil, payload: payload),
                    parameters: parameters))
        }
    }

    private static func payload(
        _ isObject: Bool, _ random: inout SeededGenerator
    ) -> ([UInt8], [(name: String, value: String)]) {
        guard isObject else { return (Array("user said \(Int.random(in: 0..<9, using: &random))".utf8), []) }
        var members: [String] = []
        var parameters: [(name: String, value: String)] = []
        let user = "\(Int.random(in: 0..<400, using: &random))"
        let isText = Bool.random(using: &random)
        members.append(isText ? #""user":"\#(user)""# : #""user":\#(user)"#)
        parameters.append(("user", user))
        if Bool.random(using: &random) {
            let model = ["x", "é", "a\"b"].randomElement(using: &random) ?? ""
            let written = model == "é" && Bool.random(using: &random) ? #"\u00e9"# : model.replacing("\"", with: #"\""#)
            members.append(#""device":{"model":"\#(written)"}"#)
            parameters += [("device.model", model), ("device", #"{"model":"\#(written)"}"#)]
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
            members.append(#""user":"last""#)
            parameters.removeFirst()
            parameters.append(("user", "last"))
        }
        return (Array("{\(members.joined(separator: ","))}".utf8), parameters)
    }

    func packed() throws -> (PackedBlock, BlockContent) {
        var packer = BlockPacker()
        for known in list { packer.append(known.event) }
        let block = try #require(packer.packed(by: BlockFrames()))
        return (block, try block.content())
    }

    /// The same, in no block yet.
    func open() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: OpenEventTable.schema)
            try OpenEventTable.replaceAll(by: list.map(\.event), db)
        }
        return queue
    }

    func filter(_ random: inout SeededGenerator) -> EventFilter {
        var filter = EventFilter()
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let known = list.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                filter.subsystems.append(
                    [known.event.origin.subsystem, "com.*", "org.absent"].randomElement(using: &random) ?? "")
            case 1: filter.categories.append(known.event.origin.category)
            case 2: filter.events.append(known.event.kind.key?.description ?? "c/*")
            case 3: filter.level = known.event.level
            case 4: filter.sinceMicroseconds = known.event.realtimeMicroseconds
            case 5: filter.untilMicroseconds = known.event.realtimeMicroseconds
            case 6: filter.boots.append(known.event.origin.bootID)
            case 7: filter.grep = ["user", "1", #":"#, "said 3", "never"].randomElement(using: &random)
            default:
                guard let one = known.parameters.randomElement(using: &random) else { continue }
                filter.parameters.append(
                    ParameterCondition(names: [ExactString(one.name), "other"], values: [ExactString(one.value)]))
            }
            if Int.random(in: 0..<8, using: &random) == 0 { filter.resolutions.append(known.event.resolution) }
        }
        return filter
    }
}
