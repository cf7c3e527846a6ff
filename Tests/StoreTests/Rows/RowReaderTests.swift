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
            let content = try #require(oracle.packed()).content()
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
