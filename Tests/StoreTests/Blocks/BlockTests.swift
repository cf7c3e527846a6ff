import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct BlockTests {
    @Test func `events are returned with all fields`() throws {
        for seed in FuzzBudget.seeds(6) {
            var generator = BlockEventGenerator(seed: seed)
            let count = [1, 2, 100, 1000].randomElement(using: &generator.json.random) ?? 1
            let events = (0..<count).map { _ in generator.next() }
            var packer = BlockPacker()
            for event in events { packer.append(event) }
            let block = try #require(try packer.packed(by: BlockFrames()))
            #expect(try same(block.content().events(), events), "seed \(seed)")
            #expect(block.ids == (events.first?.id ?? 0)...(events.last?.id ?? 0))
            #expect(block.count == count)
            let times = events.map { Int64($0.realtimeMicroseconds) }
            #expect(block.times == (times.min() ?? 0)...(times.max() ?? 0))
            #expect(block.payloadBytes == events.reduce(0) { $0 + $1.payload.count })
            #expect(
                Level.allCases.allSatisfy { level in
                    (block.levels & 1 << level.rawValue != 0) == events.contains { $0.level == level }
                })
        }
    }

    @Test func `selected events are the same as when all are read, however far apart they are`() throws {
        for seed in FuzzBudget.seeds(6) {
            var generator = BlockEventGenerator(seed: seed)
            var packer = BlockPacker()
            for _ in 0..<1000 { packer.append(generator.next()) }
            let block = try #require(try packer.packed(by: BlockFrames()))
            let all = try block.content().events()
            for step in [1, 2, 10, 100, 999] {
                let some = stride(from: step / 2, to: all.count, by: step).filter { _ in
                    Bool.random(using: &generator.json.random)
                }
                let content = try block.content()
                #expect(try same(content.events(some), some.map { all[$0] }), "seed \(seed)")
                var payloads: [[UInt8]] = []
                try content.forEachPayload(of: some) { _, payload in payloads.append(Array(payload)) }
                #expect(payloads == some.map { all[$0].payload })
                #expect(try content.uids(of: some) == some.map { all[$0].uid })
                let places = some.map { EntryPlace(cursor: all[$0].cursor, entryHash: all[$0].entryHash) }
                #expect(try content.places(of: some) == places)
            }
        }
    }

    /// Returns events of two senders whose columns hardly change: ids, times, pids and values of payloads.
    private static func steady(_ count: Int) -> [Event] {
        let origins = [Origin.sample(), .sample(category: "Search")]
        return (0..<count).map { number in
            let (time, trace) = (
                1_790_000_000_000_000 + number * 1500 + number / 190 * 7777, 0xABCDEF << 36 + number * 7919
            )
            let payload = #"{"user":\#(5_000_000_000 + number % 350),"trace":"\#(String(trace, radix: 16))"}"#
            return Event(
                id: Int64(1_000_000 + number + number / 230), origin: origins[number % 3 / 2], level: .info,
                pid: Int32(2000 + number / 170 * 40 + number % 3 / 2 * 9000), seqnum: UInt64(number * 2 + number / 400),
                monotonicMicroseconds: UInt64(time - 1_000_000), realtimeMicroseconds: UInt64(time),
                entryHash: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, resolution: .undefined,
                kind: EventKind(
                    dictionary: "shop", definitionsVersion: nil, key: EventKey(category: "list", name: "tap")),
                findings: nil, payload: Array(payload.utf8))
        }
    }

    @Test func `columns that hardly change are read as they were written, few of their events or many`() throws {
        for count in [1000, 4096] {
            let events = Self.steady(count)
            var packer = BlockPacker()
            for event in events { packer.append(event) }
            let block = try #require(try packer.packed(by: BlockFrames()))
            for section in [.ids, .seqnums, .pids] as [BlockSection] {
                #expect(try block.content().numbers(section).isSlow(for: count), "\(section) is not in runs")
            }
            for step in [1, 3, 15, 16, 17, 90, 700] {
                let content = try block.content()
                for start in [step - 1, step / 2, 0] {
                    let some = Array(stride(from: start, to: count, by: step))
                    #expect(try same(content.events(some), some.map { events[$0] }), "\(count) \(step)")
                    #expect(try content.uids(of: some) == some.map { events[$0].uid })
                }
                #expect(try content.pids().unpacked == events.map { Int64($0.pid ?? -1) })
                #expect(try content.ids().unpacked == events.map(\.id))
            }
        }
    }

    /// Says which bytes were read.
    private final class WatchedSource: BlockSource {
        var bytes: [UInt8]
        var ranges: [Range<Int>] = []

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var count: Int { bytes.count }

        func read(_ range: Range<Int>, into output: inout [UInt8]) {
            ranges.append(range)
            output = Array(bytes[range])
        }
    }

    @Test func `of a large column, only the piece with a number is read, and its damage is found`() throws {
        var generator = BlockEventGenerator(seed: 7)
        var packer = BlockPacker()
        for _ in 0..<1000 { packer.append(generator.next()) }
        let block = try #require(try packer.packed(by: BlockFrames()))
        let all = try block.content().numbers(.entryHashes)
        for event in [0, 1, 126, 127, 128, 500, 999] {
            let source = WatchedSource(block.data)
            func number() throws -> Int64 {
                try BlockContent(count: block.count, frames: BlockFrames()) { source }.number(.entryHashes, of: event)
            }
            #expect(try number() == all[event])
            // After the directory and its length.
            let read = source.ranges.dropFirst(2)
            #expect(read.reduce(0) { $0 + $1.count } <= 2 * (1024 + 8))
            for range in read {
                for place in [range.lowerBound, range.upperBound - 1] {
                    source.bytes[place] ^= 4
                    #expect(throws: BlockDamage.self) { try number() }
                    source.bytes[place] ^= 4
                }
            }
            #expect(try number() == all[event])
        }
    }

    @Test func `there is no block without events`() throws {
        #expect(try BlockPacker().packed(by: BlockFrames()) == nil)
    }

    @Test(arguments: [[2, 1], [1, 3, 2], [1, 1]]) func `there is no block of events that are not in order`(
        _ ids: [Int64]
    ) {
        var packer = BlockPacker()
        for id in ids { packer.append(payload: [], id: id, resolution: .plain) }
        let error = #expect(throws: DatabaseError.self) { try packer.packed(by: BlockFrames()) }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
    }

    @Test func `a filter never denies a name that its block has`() throws {
        var generator = BlockEventGenerator(seed: 3)
        let events = (0..<500).map { _ in generator.next() }
        var packer = BlockPacker()
        for event in events { packer.append(event) }
        let block = try #require(try packer.packed(by: BlockFrames()))
        for event in events {
            #expect(Self.mayHave(.subsystem, event.origin.subsystem, block))
            #expect(Self.mayHave(.category, event.origin.category, block))
            #expect(Self.mayHave(.boot, event.origin.bootID.description, block))
            if let key = event.kind.key { #expect(Self.mayHave(.event, key.description, block)) }
        }
        let others = (0..<1000).count { Self.mayHave(.subsystem, "org.other.\($0)", block) }
        #expect(others < 60)
    }

    @Test(arguments: [
        ("user", "7"), ("device.model", "x"), ("text", "a\"b"), ("text", "夕食"), ("list", "[1, 2]"), ("flag", "true"),
        ("a.b.c", "1"), ("käse", "0"), ("kept", "last"),
    ])
    func `a filter never denies a value that a payload has`(_ parameter: String, _ value: String) throws {
        let payloads = [
            #"{"user":7,"device":{"model":"x","year":2026}}"#, #"{"text":"a\"b"}"#,
            #"{"text":"\u5915食","list":[1, 2]}"#,
            #"{"flag":true,"a":{"b.c":1},"k\u00e4se":0}"#, #"{"kept":"whole","kept":"last"}"#,
        ]
        var packer = BlockPacker()
        for (index, payload) in payloads.enumerated() {
            packer.append(payload: Array(payload.utf8), id: Int64(index + 1), resolution: .undefined)
        }
        let block = try #require(try packer.packed(by: BlockFrames()))
        #expect(Self.mayHave(parameter: parameter, value, block))
        let others = (0..<1000).count { Self.mayHave(parameter: parameter, "other \($0)", block) }
        #expect(others < 60)
        #expect((0..<1000).count { Self.mayHave(parameter: "other\($0)", value, block) } < 60)
    }

    @Test(arguments: [Resolution.plain, .malformed])
    func `the filter of values has nothing of payloads without parameters`(_ resolution: Resolution) throws {
        let members = (0..<1000).map { #""a\#($0)":\#($0)"# }.joined(separator: ",")
        var packer = BlockPacker()
        packer.append(payload: Array("{\(members)}".utf8), id: 1, resolution: resolution)
        packer.append(payload: Array(#"{"kept":"whole","kept":"last"}"#.utf8), id: 2, resolution: .undefined)
        let block = try #require(try packer.packed(by: BlockFrames()))
        #expect(block.values.count < 100)
        #expect(Self.mayHave(parameter: "kept", "last", block))
    }

    // MARK: damage

    @Test func `damaged data is an error, and never returns other events`() throws {
        var generator = BlockEventGenerator(seed: 8)
        let events = (0..<200).map { _ in generator.next() }
        var packer = BlockPacker()
        for event in events { packer.append(event) }
        let block = try #require(try packer.packed(by: BlockFrames()))
        for seed in FuzzBudget.seeds(100) {
            var random = SeededGenerator(seed: seed)
            var damaged = block
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<damaged.data.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged.data[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: damaged.data[place] = UInt8.random(in: .min ... .max, using: &random)
                case 2: damaged.data.removeSubrange(place...)
                default: damaged.data.append(contentsOf: damaged.data[place...].prefix(9))
                }
                if damaged.data.isEmpty { break }
            }
            // Some bits of a frame's header have no meaning.
            if let read = try? damaged.content().events() { #expect(same(read, events), "seed \(seed)") }
        }
    }

    @Test func `forged data is an error`() {
        for count in [0, 1, 4, 5, 100] {
            let block = PackedBlock(
                ids: 1...1, count: 1, times: 0...0, payloadBytes: 0, sources: [], levels: 0, names: [],
                data: [UInt8](repeating: 0x28, count: count), values: [])
            #expect(throws: BlockDamage.self) { _ = try block.content().ids() }
        }
    }

    // MARK: support

    private static func mayHave(_ name: BlockFilters.Name, _ text: String, _ block: PackedBlock) -> Bool {
        block.names.withUnsafeBytes { ValueFilter.mayContain(BlockFilters.hash(name, text), $0) }
    }

    private static func mayHave(parameter: String, _ value: String, _ block: PackedBlock) -> Bool {
        let name = Array(parameter.utf8).withUnsafeBytes { ByteHash.hash($0) }
        let hash = Array(value.utf8).withUnsafeBytes { BlockFilters.hash(parameter: name, value: $0) }
        return block.values.withUnsafeBytes { ValueFilter.mayContain(hash, $0) }
    }
}
