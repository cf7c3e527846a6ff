import Model
import TestSupport
import Testing

@testable import Store

struct LiteralSearchTests {
    /// Returns a payload whose values cover all forms of columns: one value, few, whole numbers, others; nested, and
    /// without a template.
    private static func payload(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let word = String(decoding: random.letters(Int.random(in: 0...4, using: &random)), as: UTF8.self)
        let text =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: #"{"a":"","id":\#(number),"kind":"tap","w":"\#(word)"}"#
            case 1: #"{"w":"\#(word)\#(word)", "id":-\#(number), "device":{"model":"m\#(number % 3)"}}"#
            case 2: #"{"list":[\#(number),"\#(word)"],"on":true,"id":\#(number)}"#
            case 3: #"{"a":1,"a":"\#(word)"}"#
            case 4: "plain \(word) \(number)"
            default: #"{"w":"\#(word)"}"#
            }
        return Array(text.utf8)
    }

    /// Returns a block of events with these payloads.
    private static func content(_ payloads: [[UInt8]]) throws -> BlockContent {
        var packer = BlockPacker()
        for (number, payload) in payloads.enumerated() {
            packer.append(
                payload: payload, id: Int64(number),
                resolution: payload.first == UInt8(ascii: "{") ? .resolved : .plain)
        }
        return try #require(try packer.packed(by: BlockFrames())).content()
    }

    @Test func `payloads with the bytes are found, within values, between them, and across`() throws {
        for seed in FuzzBudget.seeds(60) {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...80, using: &random)
            let payloads = (0..<count).map { Self.payload($0, &random) }
            let content = try Self.content(payloads)
            for _ in 0..<60 {
                var literal = [UInt8]()
                if let payload = payloads.randomElement(using: &random) {
                    let start = Int.random(in: 0..<payload.count, using: &random)
                    literal = Array(payload[start...].prefix(Int.random(in: 1...30, using: &random)))
                }
                if Int.random(in: 0..<4, using: &random) == 0, let place = literal.indices.randomElement(using: &random)
                {
                    literal[place] = UInt8.random(in: 32...126, using: &random)
                }
                let text = String(decoding: literal, as: UTF8.self)
                var selection = Array(0..<count)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    selection.removeAll { _ in Bool.random(using: &random) }
                }
                let ignoresCase = Bool.random(using: &random)
                if ignoresCase { literal = literal.map { $0 &- 0x61 < 26 && $0 % 2 == 0 ? $0 - 0x20 : $0 } }
                let wanted = selection.filter { Self.has(literal, payloads[$0], ignoresCase) }
                let search = LiteralSearch(literal: Literal(literal, ignoresCase: ignoresCase))
                try search.select(content, &selection)
                #expect(selection == wanted, "seed \(seed): \(text)")
            }
        }
    }

    @Test func `no payload with a run is left out`() throws {
        var (leftOut, kept) = (0, 0)
        for seed in FuzzBudget.seeds(60) {
            var random = SeededGenerator(seed: seed)
            let payloads = (0..<Int.random(in: 1...80, using: &random)).map { Self.payload($0, &random) }
            let content = try Self.content(payloads)
            for _ in 0..<60 {
                let members = (0..<4).map { _ in
                    payloads.randomElement(using: &random)?.randomElement(using: &random) ?? 0
                }
                let run = ByteRun(of: Set(members), count: Int.random(in: 1...4, using: &random))
                var selection = Array(payloads.indices)
                try RunSearch(run: run).select(content, &selection)
                let having = payloads.indices.filter { payloads[$0].withUnsafeBytes(run.isIn) }
                #expect(Set(having).isSubset(of: selection), "seed \(seed): \(members), \(run.count)")
                leftOut += payloads.count - selection.count
                kept += selection.count
            }
        }
        #expect(leftOut > 10_000 && kept > 10_000)
    }

    @Test func `an empty literal is in every payload`() throws {
        var packer = BlockPacker()
        packer.append(payload: Array("{\"a\":1}".utf8), id: 1, resolution: .resolved)
        var selection = [0]
        try LiteralSearch(literal: Literal([])).select(
            try #require(try packer.packed(by: BlockFrames())).content(), &selection)
        #expect(selection == [0])
    }

    private static func has(_ literal: [UInt8], _ payload: [UInt8], _ ignoresCase: Bool) -> Bool {
        func folded(_ bytes: [UInt8]) -> [UInt8] { ignoresCase ? bytes.map(Literal.lowercased) : bytes }
        let (literal, payload) = (folded(literal), folded(payload))
        return payload.indices.contains { payload[$0...].starts(with: literal) }
    }
}
