import Model
import TestSupport
import Testing

@testable import Store

struct PayloadSplitterTests {
    static let payloads = [
        "{}", " { } ", "{\"a\":1}", "{\"a\":1}\n", "{ \"a\" : 1 , \"b\":\t\"x\" }", "{\"a\":\"\"}", "{\"a\":\"\\\"\"}",
        "{\"a\":\"\\\\\"}", "{\"a\":\"\\\\\\\"}\"}", "{\"a\":\"}\",\"b\":\"{\"}", "{\"a\":{\"b\":{\"c\":[]}}}",
        "{\"a\":{},\"b\":{\"a\":1}}", "{\"a\":[1,[2,{\"b\":\"]\"}],\"[\"]}", "{\"a\":1,\"a\":2,\"a\":\"3\"}",
        "{\"a\":null,\"b\":true,\"c\":false,\"d\":-1.5e+3}", "{\"\\u0061\":1,\"a\":2}", "{\"\":{\"\":1}}",
        "{\"夕食\":\"肉じゃが\",\"k\":\"\\ud83c\\udf5c\"}", "{\"a\":-0}", "{\"a\":1.0}", "{\"a\":12345678901234567890123}",
        "{\"a\":1}", "{\"a\":\"1\"}", "{\"a\":[1]}", "{\"a\":{\"a\":1}}", "{\"b\":1,\"a\":1}", "{\"a\":1,\"b\":1}",
    ]

    @Test func `payloads are returned byte for byte, in any order`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            let payloads = (Self.payloads + Self.payloads + ["plain words", "", "{broken", "{\"a\":"]).shuffled(
                using: &random)
            try Self.expectRoundTrip(payloads.map { Array($0.utf8) }) { _ in Int.random(in: 0..<3, using: &random) }
        }
    }

    @Test func `random documents and mutations of them are returned unchanged`() throws {
        for seed in FuzzBudget.seeds(30) {
            var generator = JSONGenerator(seed: seed)
            var payloads: [[UInt8]] = []
            for _ in 0..<100 {
                let payload = generator.object()
                payloads += [payload, generator.mutated(payload)]
                if let again = payloads.randomElement(using: &generator.random) { payloads.append(again) }
            }
            try Self.expectRoundTrip(payloads) { $0.count % 3 }
        }
    }

    @Test func `payloads of one shape have one template, whatever their values`() {
        var splitter = PayloadSplitter()
        for number in 0..<1000 {
            Self.append(
                "{\"name\":\"n\(number % 7)\",\"device\":{\"model\":\"m\",\"year\":\(number)},\"tags\":[\(number)]}",
                to: &splitter)
        }
        #expect(splitter.templates.count == 1)
        #expect(splitter.whole.count == 0)
        #expect(
            (1..<splitter.paths.count).map { Self.path($0, splitter.paths) } == [
                "name", "device", "device.model", "device.year", "tags",
            ])
        #expect(splitter.columns.map(\.count) == [0, 1000, 0, 1000, 1000, 1000])
    }

    @Test func `payloads with too many invented keys are kept whole`() throws {
        let payloads = (0..<3000).map { Array("{\"user\":1,\"key\($0)\":\($0)}".utf8) }
        var splitter = PayloadSplitter()
        for payload in payloads { payload.withUnsafeBytes { splitter.append($0, isObject: true, kind: 0) } }
        #expect(splitter.templates.count <= PayloadSplitter.capacity.templates)
        #expect(splitter.paths.count <= PayloadSplitter.capacity.paths)
        #expect(splitter.whole.count > 1900)
        try Self.expectRoundTrip(payloads) { _ in 0 }
    }

    @Test func `one payload does not use up the room of the others`() {
        var splitter = PayloadSplitter()
        Self.append("{" + (0..<1023).map { "\"k\($0)\":{}" }.joined(separator: ",") + "}", to: &splitter)
        Self.append("{" + (0..<200).map { "\"m\($0)\":1" }.joined(separator: ",") + ",\"m0\":2}", to: &splitter)
        #expect(splitter.whole.count == 2)
        #expect(splitter.paths.count == 1 && splitter.columns.count == 1)
        for number in 0..<10 { Self.append("{\"user\":\(number)}", to: &splitter) }
        #expect(splitter.whole.count == 2 && splitter.templates.count == 1)
    }

    @Test(arguments: [#"{"\u0061":1,"a":2}"#, #"{"d":{"\u006d":1,"m":2}}"#, #"{"a":{},"\u0061":3}"#])
    func `keys with the same unescaped text are the same`(_ payload: String) throws {
        var splitter = PayloadSplitter()
        Self.append(payload, to: &splitter)
        #expect(splitter.whole.count == 1, "a key that comes twice is for no column")
        try Self.expectRoundTrip([Array(payload.utf8)]) { _ in 0 }
    }

    @Test func `names that are too long are not parameters, however many there are`() throws {
        let key = String(repeating: "k", count: 400_000)
        let members = (0..<40_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let wide = "{\"\(key)\":{\(members)},\"user\":7}"
        let deep =
            String(repeating: "{\"\(String(repeating: "k", count: 8000))\":", count: 100) + "{\"user\":7}"
            + String(repeating: "}", count: 100)
        for (payload, found) in [(wide, ["user=7"]), (deep, [])] {
            var parameters: [String] = []
            Array(payload.utf8).withUnsafeBytes { payload in
                PayloadParameters.forEach(in: payload) { name, value, _ in
                    parameters.append(String(decoding: Array(name) + Array("=".utf8) + value, as: UTF8.self))
                }
            }
            #expect(parameters == found)
            try Self.expectRoundTrip([Array(payload.utf8)]) { _ in 0 }
        }
    }

    @Test(arguments: [
        (
            #"{"a":1,"b":{"c":"x","d":[1,{"e":2}]},"f":null}"#,
            ["a=1", #"b={"c":"x","d":[1,{"e":2}]}"#, "b.c=x", #"b.d=[1,{"e":2}]"#, "f=null"]
        ),
        (#"{"a":1,"a":{"b":2},"\u0061":"3"}"#, ["a=3"]), (#"{"a":{"b":1},"a":{"c":2}}"#, [#"a={"c":2}"#, "a.c=2"]),
        (#" { "t" : "q\"q" , "e" : {} } "#, [#"t=q"q"#, "e={}"]), ("{}", []), ("[1]", []), ("", []),
        (#"{"a":1"#, ["a=1"]),
    ])
    func `parameters are found at any depth, the last one of each key`(_ payload: String, _ expected: [String]) {
        var parameters: [String] = []
        Array(payload.utf8).withUnsafeBytes { payload in
            PayloadParameters.forEach(in: payload) { name, value, _ in
                parameters.append(String(decoding: Array(name) + Array("=".utf8) + value, as: UTF8.self))
            }
        }
        #expect(parameters == expected)
    }

    @Test func `of keys that occur again, the last one counts, in small and in large objects`() {
        for seed in FuzzBudget.seeds(200) {
            var random = SeededGenerator(seed: seed)
            let keys = Int.random(in: 1...60, using: &random)
            /// What each key of the outer object had last: its parameters, in order.
            var (last, order, written) = ([Int: [String]](), [Int](), [String]())
            for value in 0..<Int.random(in: 1...120, using: &random) {
                let key = Int.random(in: 0..<keys, using: &random)
                let name = Bool.random(using: &random) ? "k\(key)" : #"\u006b\#(key)"#
                if Int.random(in: 0..<8, using: &random) == 0 {
                    let inner = #"{"a":0,"a":\#(value)}"#
                    written.append(#""\#(name)":\#(inner)"#)
                    last[key] = ["k\(key)=\(inner)", "k\(key).a=\(value)"]
                } else {
                    written.append(#""\#(name)":"\#(value)""#)
                    last[key] = ["k\(key)=\(value)"]
                }
                order.removeAll { $0 == key }
                order.append(key)
            }
            func parameters(where isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true }) -> [String] {
                var found: [String] = []
                Array("{\(written.joined(separator: ","))}".utf8).withUnsafeBytes { payload in
                    PayloadParameters.forEach(in: payload, where: isWanted) { name, value, _ in
                        found.append(String(decoding: Array(name) + Array("=".utf8) + value, as: UTF8.self))
                    }
                }
                return found
            }
            #expect(parameters() == order.flatMap { last[$0] ?? [] }, "seed \(seed)")
            let names = ParameterNames(Set((0..<keys / 3).map { Array("k\($0)".utf8) } + [Array("k1.a".utf8)]))
            #expect(
                parameters(where: names.contains)
                    == order.flatMap { last[$0] ?? [] }.filter { parameter in
                        names.all.contains(Array(parameter.prefix { $0 != "=" }.utf8))
                    }, "seed \(seed)")
        }
    }

    @Test func `a payload with too many values is kept whole`() throws {
        let payload = "{" + (0..<600).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        var splitter = PayloadSplitter()
        Self.append(payload, to: &splitter)
        #expect(splitter.whole.count == 1)
        try Self.expectRoundTrip([Array(payload.utf8)]) { _ in 0 }
    }

    @Test func `damaged shapes are errors, and never a crash`() {
        var splitter = PayloadSplitter()
        for payload in Self.payloads { Self.append(payload, to: &splitter) }
        var random = SeededGenerator(seed: 3)
        var output = ByteWriter()
        splitter.paths.append(to: &output)
        splitter.templates.append(to: &output)
        for _ in 0..<5000 {
            var bytes = output.bytes
            for _ in 0...Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            bytes.withUnsafeBytes { bytes in
                var input = ByteReader(bytes)
                guard let paths = try? PayloadPaths(&input, atMost: PayloadSplitter.capacity.paths) else { return }
                let count = splitter.templates.count
                guard let templates = try? PayloadTemplates(&input, count: count, paths: paths.count) else { return }
                #expect(templates.holes.allSatisfy { $0.path < paths.count && $0.place <= templates.text.count })
            }
        }
    }

    // MARK: support

    private static func append(_ payload: String, to splitter: inout PayloadSplitter) {
        Array(payload.utf8).withUnsafeBytes { splitter.append($0, isObject: true, kind: 0) }
    }

    private static func path(_ node: Int, _ paths: PayloadPaths) -> String {
        let key = String(decoding: paths.key(of: node), as: UTF8.self)
        let parent = paths.parent(of: node)
        return parent == PayloadPaths.root ? key : path(parent, paths) + "." + key
    }

    private static func expectRoundTrip(_ payloads: [[UInt8]], kind: ([UInt8]) -> Int) throws {
        var packer = BlockPacker()
        for (index, payload) in payloads.enumerated() {
            let resolution: Resolution = payload.contains(UInt8(ascii: "{")) ? .undefined : .plain
            packer.append(payload: payload, id: Int64(index), resolution: resolution, name: "kind\(kind(payload))")
        }
        let block = try #require(try packer.packed(by: BlockFrames()))
        #expect(try block.content().allPayloads() == payloads)
    }
}
