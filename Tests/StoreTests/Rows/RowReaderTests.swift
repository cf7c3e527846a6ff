import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct RowReaderTests {
    @Test func `of several names, the first with a value counts, however an event is stored and read`() throws {
        let names: [ExactString] = ["a", "b", "dev", "items", "user", "v"]
        let pairs = names.indices.flatMap { one in names[(one + 1)...].map { [names[one], $0] } }
        var both = 0
        for seed in FuzzBudget.seeds(4) {
            var random = SeededGenerator(seed: seed)
            let oracle = PredicateOracle(count: 60, &random)
            let content = try #require(try oracle.packed()).content()
            // With many parameters, payloads are parsed; each by itself, columns are read.
            func rows(_ names: [ExactString], _ events: any EventColumns, isParsing: Bool) throws -> [String?] {
                let column = RowColumn.parameter(Predicate.ParameterPath(names: Set(names)), isObject: false)
                let others = (0..<4).map { number in
                    RowColumn.parameter(Predicate.ParameterPath(names: ["absent\(number)"]), isObject: false)
                }
                let reader = RowReader(
                    events, Array(0..<events.count), isParsing ? [column] + others : [column])
                let values = try reader.read(column)
                return (0..<events.count).map { values[$0].written }
            }
            for pair in pairs {
                let single = try pair.map { try rows([$0], content, isParsing: false) }
                let expected = zip(single[0], single[1]).map { first, second in
                    both += first != nil && second != nil && first != second ? 1 : 0
                    let isObject = first?.hasPrefix("text {") ?? true
                    return isObject && second?.hasPrefix("text {") == false ? second : first ?? second
                }
                for isParsing in [false, true] {
                    #expect(try rows(pair, content, isParsing: isParsing) == expected, "seed \(seed): \(pair)")
                    let open = try oracle.openEvents().read { db in
                        try rows(pair, OpenEvents(db, ids: 1 ... .max), isParsing: isParsing)
                    }
                    #expect(open == expected, "seed \(seed), open: \(pair)")
                }
            }
        }
        #expect(both > 100)
    }

    @Test func `of several values of a name, the last in a payload counts, however an event is stored`() throws {
        let samples: [(payload: String, value: String?)] = [
            (#"{"a":{"b":"x"},"a.b":"y"}"#, "y"), (#"{"a":{"b":"x"}}"#, "x"), (#"{"a.b":"y","a":{"b":"x"}}"#, "x"),
            (#"{"a.b":"y"}"#, "y"), (#"{"a.b":"y","a":{"b":null}}"#, "y"), (#"{"a.b":"y","a":{"b":{"c":"z"}}}"#, "y"),
            (#"{"a.b":"y","a":{"b":"x"},"a.b":"z"}"#, "z"), (#"{"a.b":["y"],"a":{"b":["x"]}}"#, #"["x"]"#),
            (#"{"a":{"b":{"c":1}},"a.b":{"c":2}}"#, #"{"c":2}"#), ("{}", nil),
        ]
        let path = Predicate.ParameterPath(names: ["a.b"])
        let column = RowColumn.parameter(path, isObject: true)
        let others = (0..<4).map { number in
            RowColumn.parameter(Predicate.ParameterPath(names: [ExactString("absent\(number)")]), isObject: true)
        }
        // A block numbers paths in the order in which it meets them.
        for samples in [samples, samples.reversed()] + samples.map({ [$0] }) {
            let events = PayloadSamples(samples.map(\.payload))
            func check(_ columns: any EventColumns) throws {
                let all = Array(0..<columns.count)
                for read in [[column], [column] + others] {
                    let values = try RowReader(columns, all, read).read(column)
                    #expect(all.map { values[$0].written } == samples.map { $0.value.map { "text \($0)" } })
                }
                let groups = RowValues(texts: try KeyColumn(.parameter(path), of: columns, among: all, zone: .utc))
                // Objects have none.
                let wanted = samples.map { $0.value?.hasPrefix("{") == true ? nil : $0.value }
                #expect(all.map { groups[$0].written } == wanted.map { $0.map { "text \($0)" } })
            }
            try check(events.packed())
            try events.open().read { db in try check(OpenEvents(db, ids: 1 ... .max)) }
        }
    }

    @Test func `a name has a value of any of its paths, however many keys with dots make of it`() throws {
        // Each of the four dots stands in a key, or between two.
        let members = (0..<16).map { nested in
            let keys = "bcde".enumerated().map { ((nested >> $0) & 1 == 0 ? "." : #"":{""#) + String($1) }
            return #""a\#(keys.joined())":\#(nested)\#(String(repeating: "}", count: nested.nonzeroBitCount))"#
        }
        let payloads = members.map { "{\($0)}" } + ["{\(members[0]),\(members[15])}", "{\(members[15]),\(members[0])}"]
        let wanted = (Array(0..<16) + [15, 0]).map { "text \($0)" }
        let path = Predicate.ParameterPath(names: ["a.b.c.d.e"])
        func check(_ columns: any EventColumns) throws {
            let all = Array(0..<columns.count)
            let column = try KeyColumn(.parameter(path), of: columns, among: all, zone: .utc)
            let values = RowValues(texts: column)
            #expect(all.map { values[$0].written } == wanted)
            #expect(column.earlier.map(\.event) == [16, 17])
        }
        let events = PayloadSamples(payloads)
        try check(events.packed())
        try events.open().read { db in try check(OpenEvents(db, ids: 1 ... .max)) }
    }

    @Test(arguments: [
        // What the payloads between those with integers are, and whether the integers are read as one column.
        ([], true),
        ([#"{"b":7}"#, #"{"a":1,"b":2}"#, #"{}"#, #"{"b":9223372036854775807}"#], true),
        ([#"{"a":null,"b":"7"}"#, #"{"a":true,"b":1}"#], false),
        ([#"{"a":"5","b":-1}"#], false),
        ([#"{"a":1,"a":2}"#, "plain"], false),
        ([#"{"a":{"a":4},"b":3}"#], true),
    ])
    func `parameters of integers have the same values, in whichever way they are read`(
        _ others: [String], isOneColumn: Bool
    ) throws {
        var packer = BlockPacker()
        let payloads = (0..<300).flatMap { number in [#"{"a":\#(number * number - 70_000),"s":"x"}"#] + others }
        for (number, payload) in payloads.enumerated() {
            packer.append(
                payload: Array(payload.utf8), id: Int64(number), resolution: payload == "plain" ? .plain : .resolved)
        }
        let content = try #require(try packer.packed(by: BlockFrames())).content()
        #expect(try (content.integers(of: "a") != nil) == isOneColumn)
        for names: Set<ExactString> in [["a"], ["b"], ["a", "b"]] {
            let column = RowColumn.parameter(Predicate.ParameterPath(names: names), isObject: false)
            let selection = payloads.indices.filter { $0 % 5 != 0 }
            let read = try RowReader(content, selection, [column]).read(column)
            let parsing = RowReader(
                content, selection,
                [column]
                    + (0..<4).map {
                        .parameter(Predicate.ParameterPath(names: [ExactString("absent\($0)")]), isObject: false)
                    })
            let parsed = try parsing.read(column)
            #expect(selection.map { read[$0].written } == selection.map { parsed[$0].written }, "\(names)")
            #expect(names == ["b"] || selection.contains { read[$0].written?.hasPrefix("integer") ?? false })
        }
    }
}

extension RowValue {
    fileprivate var written: String? {
        switch self {
        case .null: nil
        case .integer(let number): "integer \(number)"
        case .real(let number): "real \(number)"
        case .text(let bytes): "text \(String(decoding: bytes, as: UTF8.self))"
        }
    }
}
