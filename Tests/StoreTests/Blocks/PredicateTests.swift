import GRDB
import Model
import TestSupport
import Testing

@testable import Store

struct PredicateTests {
    @Test func `a predicate selects what it means, from blocks and from open events`() throws {
        var (some, none) = (0, 0)
        let turn = ReadTurn(time: .seconds(9), journal: PredicateOracle.Journal())
        for seed in FuzzBudget.seeds(8) {
            var random = SeededGenerator(seed: seed)
            let oracle = PredicateOracle(count: 150, &random)
            let block = try #require(try oracle.packed())
            let content = try block.content()
            let queue = try oracle.openEvents()
            for _ in 0..<250 {
                let predicate = oracle.predicate(&random)
                let matcher = try BlockMatcher(predicate)
                let wanted = try oracle.events.indices.filter { try oracle.meets(oracle.events[$0], predicate) }
                #expect(try matcher.select(content, until: turn) == wanted, "seed \(seed): \(predicate)")
                let found = try queue.read { [matcher] db in
                    try matcher.select(OpenEvents(db, ids: 1 ... .max), until: turn)
                }
                #expect(found == wanted, "seed \(seed), open: \(predicate)")
                let mayMatch =
                    block.names.withUnsafeBytes {
                        matcher.mayMatch(ids: block.ids, times: block.times, levels: block.levels, names: $0)
                    } && block.values.withUnsafeBytes { matcher.mayHaveValues($0) }
                // No block that has a matching event may be skipped.
                if !wanted.isEmpty { #expect(mayMatch, "seed \(seed): \(predicate)") }
                if wanted.isEmpty { none += 1 } else { some += 1 }
            }
        }
        #expect(some > none / 2)
    }

    @Test(arguments: [
        Predicate.number(.time, 0...1), .not(.number(.time, 0 ... .max)), .number(.level, 0...1), .nothing,
        .number(.id, 2 ... .max), .number(.id, -5...0), .not(.number(.id, 1...1)),
        .text(.event, .among(["absent/event"])), .all([.everything, .text(.boot, .among(["absent"]))]),
        .any([.number(.time, 0...1), .text(.sender(.category), .among(["absent"]))]),
        .parameter(.init(names: ["a"]), .among(["never sent"])),
        .any([
            .parameter(.init(names: ["a"]), .among(["never sent"])), .parameter(.init(names: ["b"]), .among(["never"])),
        ]),
    ])
    func `blocks without matching events are skipped`(predicate: Predicate) throws {
        var packer = BlockPacker()
        packer.append(payload: Array(#"{"a":1,"b":"x"}"#.utf8), id: 1, resolution: .undefined)
        let block = try #require(try packer.packed(by: BlockFrames()))
        let matcher = try BlockMatcher(predicate)
        let byNames = block.names.withUnsafeBytes {
            matcher.mayMatch(ids: block.ids, times: block.times, levels: block.levels, names: $0)
        }
        #expect(!(byNames && (!matcher.asksForValues || block.values.withUnsafeBytes { matcher.mayHaveValues($0) })))
    }

    @Test func `a journal that cannot be read is not the store's fault`() throws {
        struct Unreadable: JournalFieldSource, Error {
            func forEachValue(
                of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
                _ body: (Int, UnsafeRawBufferPointer) throws -> Void
            ) throws { throw self }
        }
        var packer = BlockPacker()
        packer.append(payload: Array(#"{"a":1}"#.utf8), id: 1, resolution: .undefined)
        let content = try #require(try packer.packed(by: BlockFrames())).content()
        let turn = ReadTurn(time: .seconds(9), journal: Unreadable())
        let error = #expect(throws: StoreError.self) {
            try BlockMatcher(.journal("FOO", .among(["x"]))).select(content, until: turn)
        }
        #expect(error?.description == "journal.FOO: the journal cannot be read: Unreadable()")
    }

    @Test func `an element of an array is found if it is written with escapes`() throws {
        var packer = BlockPacker()
        let payloads = [#"{"a":["x\"y"]}"#, #"{"a":["\u0078\"y",1]}"#, #"{"a":"x\"y z"}"#, #"{"a":["x"]}"#]
        for (index, payload) in payloads.enumerated() {
            packer.append(payload: Array(payload.utf8), id: Int64(index + 1), resolution: .undefined)
        }
        let content = try #require(try packer.packed(by: BlockFrames())).content()
        let predicate = Predicate.parameter(.init(names: ["a"]), .matches(.contains, #"x"y"#))
        #expect(try BlockMatcher(predicate).select(content) == [0, 1, 2])
    }

    @Test func `a long text is found as a whole`() throws {
        let long = String(repeating: "tea And cake ", count: 20)
        let samples = PayloadSamples([
            #"{"a":"\#(long)"}"#, #"{"a":"\#(long.dropLast())!"}"#, #"{"a":"\#(long.lowercased())","b":1}"#,
            #"{"b":"x \#(long)y"}"#, #"{"a":"x\"\#(long)y"}"#,
        ])
        let (content, queue) = (try samples.packed(), try samples.open())
        for ignoresCase in [false, true] {
            let test = TextTest.matches(.contains, ExactString(long), ignoresCase: ignoresCase)
            for (predicate, inAnyCase) in [
                (Predicate.message(test), [0, 2, 3, 4]), (.parameter(.init(names: ["a"]), test), [0, 2, 4]),
            ] {
                let matcher = try BlockMatcher(predicate)
                let wanted = inAnyCase.filter { ignoresCase || $0 != 2 }
                #expect(try matcher.select(content) == wanted)
                let found = try queue.read { [matcher] db in
                    try matcher.select(OpenEvents(db, ids: 1 ... .max))
                }
                #expect(found == wanted)
            }
            #expect(try TextMatcher(test).literals.joined().allSatisfy { $0.count == Literal.longest })
        }
        for pattern in [long, long + "[ab]"] {
            let literals = try TextMatcher(TextTest(grep: pattern)).literals
            #expect(literals.count == 1 && literals.joined().allSatisfy { $0.count == Literal.longest })
        }
    }

    @Test(arguments: ["(", "[a"])
    func `an expression that is none is refused`(pattern: String) {
        let test = TextTest.matches(.matches, ExactString(pattern))
        for predicate in [Predicate.message(test), .not(.parameter(.init(names: ["a"]), test)), .text(.event, test)] {
            let error = #expect(throws: StoreError.self) { try predicate.check() }
            #expect(error?.kind == .invalidPattern)
        }
    }
}
