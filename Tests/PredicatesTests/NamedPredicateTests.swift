import Model
import Predicates
import Testing

struct NamedPredicateTests {
    private static let file = """
        # My own

        slow = payload.took > 1000
          bad  =  level >= err or @slow
        loop = @loop
        """

    private func bind(_ text: String, _ named: NamedPredicates) throws -> Predicate {
        try PredicateBinder.bind(
            PredicateParser.parse(text), of: text, times: TimeExpression(now: 1, zone: .utc),
            PredicateBinder.Names(predicates: named.texts))
    }

    @Test func `a name stands for its predicate`() throws {
        let named = try NamedPredicates(file: Self.file)
        #expect(
            try named.expanded("not @bad and x = '@slow'")
                == "not (  level >= err or ( payload.took > 1000)) and x = '@slow'")
        #expect(try named.expanded("@other and a = 1") == "@other and a = 1")
        let slow = Predicate.parameter(.init(names: ["took"]), .ordered(.greater, "1000"))
        #expect(try bind("@slow", named) == slow)
        #expect(try bind("not @bad", named) == .not(.any([.number(.level, 0...3), slow])))
    }

    @Test func `a file may have line breaks and a byte order mark of Windows`() throws {
        let text = "\u{FEFF}" + Self.file.replacing("\n", with: "\r\n")
        #expect(try NamedPredicates(file: text) == NamedPredicates(file: Self.file))
    }

    @Test func `a name that is not known, or refers to itself, is an error with the place`() throws {
        let named = try NamedPredicates(file: Self.file)
        for text in ["@loop", "a = 1 or @loop"] { #expect(throws: PredicateError.self) { try named.expanded(text) } }
        let loop = #expect(throws: PredicateError.self) { try bind("@loop", named) }
        #expect(loop?.reason.contains("refers to itself") == true)
        let unknown = #expect(throws: PredicateError.self) { try bind("level = err and @slo", named) }
        #expect(unknown?.reason == "there is no predicate @slo; there are @bad, @loop, @slow")
        #expect(unknown?.range == 16..<20)
        let kept = #expect(throws: PredicateError.self) { try named.expanded("@slow and @slo", keepsOthers: false) }
        #expect(kept?.reason == unknown?.reason && kept?.range == 10..<14)
        #expect(try named.expanded("@slo and @slow", keepsOthers: true) == "@slo and ( payload.took > 1000)")
        let wrong = NamedPredicates(["x": "nobody = 1"])
        let inner = #expect(throws: PredicateError.self) { try bind("@x", wrong) }
        #expect(inner?.reason.hasPrefix("@x: there is no key") == true && inner?.range == 0..<2)
    }

    @Test func `names do not nest deeper than texts may`() throws {
        func nested(_ levels: Int, _ inner: String) -> String {
            String(repeating: "payload.a = 1 or payload.b = 2 and (", count: levels) + inner
                + String(repeating: ")", count: levels)
        }
        let deep = NamedPredicates(["deep": ExactString(nested(40, "payload.c = 3"))])
        #expect(try bind(nested(20, "@deep"), deep).depth == 121)
        let error = #expect(throws: PredicateError.self) { try bind(nested(40, "@deep"), deep) }
        #expect(error?.reason == "nested deeper than 64 times, with named predicates")
    }

    @Test(arguments: [("a b = x = 1", 1), ("ok = a = 1\nx = level >=", 2), ("no predicate", 1), ("é = a = 1", 1)])
    func `a wrong line of a file is named`(text: String, line: Int) {
        let problem = #expect(throws: NamedPredicates.Problem.self) { try NamedPredicates(file: text) }
        #expect(problem?.line == line)
    }

    @Test func `a name has at most 64 bytes`() throws {
        let name = String(repeating: "a", count: 64)
        #expect(try NamedPredicates(file: "\(name) = a = 1").texts.count == 1)
        let problem = #expect(throws: NamedPredicates.Problem.self) { try NamedPredicates(file: "\(name)a = a = 1") }
        #expect(problem?.reason == "a name has at most 64 letters, digits, - and _")
    }

    @Test func `names that grow are bounded`() throws {
        var texts: [ExactString: ExactString] = ["a0": "a = 1 or b = 2"]
        for number in 1...9 {
            texts[ExactString("a\(number)")] = ExactString(
                Array(repeating: "@a\(number - 1)", count: 8).joined(separator: " or "))
        }
        let named = NamedPredicates(texts)
        #expect(throws: PredicateError.self) { try named.expanded("@a9") }
        #expect(throws: PredicateError.self) { try bind("@a5", named) }
    }

    @Test(arguments: [("contains", 500, "500 conditions"), ("==", 5000, "5000 values")])
    func `values of named predicates count each time`(operation: String, count: Int, limit: String) throws {
        let values = Array(repeating: "x", count: count).joined(separator: "|")
        let named = NamedPredicates(["most": ExactString("payload.a \(operation) \(values)")])
        _ = try bind("@most", named)
        let error = #expect(throws: PredicateError.self) { try bind("@most or @most", named) }
        #expect(error?.reason == "@most: more than \(limit), with those of named predicates")
    }
}
