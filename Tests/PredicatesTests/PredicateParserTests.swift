import Model
import Predicates
import TestSupport
import Testing

struct PredicateParserTests {
    @Test(
        arguments: [
            ("level >= error", #"level >= "error""#), ("a==1", #"a == "1""#), ("a=1", #"a == "1""#),
            ("a <> 1", #"a != "1""#),
            ("a<1 or b<=2 and not c>3", #"(a < "1" or (b <= "2" and not c > "3"))"#),
            ("a=1 && (b=2 || !c=3)", #"(a == "1" and (b == "2" or not c == "3"))"#),
            ("NOT exists user And b Exists", "(not exists user and exists b)"),
            ("s=com.x and c=a|b", #"(s == "com.x" and c == "a"|"b")"#), ("m:text", #"m contains "text""#),
            (#"m : "a b""#, #"m contains "a b""#), ("a in {1, 2,3}", #"a == "1"|"2"|"3""#), ("a in (x)", #"a == "x""#),
            ("exists(a) and not exists( b )", "(exists a and not exists b)"), ("a = ~x", nil),
            (#"a = "~x""#, #"a == "~x""#),
            ("a not in {1}", #"not a == "1""#), ("a not contains x", #"not a contains "x""#),
            (#"a contains[c] "X\"y""#, #"a contains[c] "X\"y""#), ("a ==[c] 'it''s", nil),
            ("m contains [err]", #"m contains "[err]""#), ("a like [c]*", #"a like "[c]*""#),
            ("m contains [c]ompile", #"m contains "[c]ompile""#), ("m contains[C][c]", #"m contains[c] "[c]""#),
            ("m:[c]x", #"m contains[c] "x""#), ("a == [c] x", nil),
            (#"a matches "\d+\\.""#, #"a matches "\\d+\\.""#), ("a like '*夕食?'", #"a like "*夕食?""#),
            ("payload.items[0].price > 5", #"payload.items[0]."price" > "5""#),
            (#"payload."x y" = 1"#, #""payload.x y" == "1""#),
            (#"a[0][12]."x.y".b = 1"#, #"a[0][12]."x.y"."b" == "1""#), (#"a"[-1]" = x"#, #""a[-1]" == "x""#),
            (#"payload."a[0]"[1] = x"#, #""payload.a[0]"[1] == "x""#), (#"exists a[0]"#, "exists a[0]"),
            ("time > -5m", #"time > "-5m""#),
            ("time > 2026-11-21T10:00:00+09:00", #"time > "2026-11-21T10:00:00+09:00""#),
            ("app_version >= 25.4", #"app_version >= "25.4""#), ("夕食 beginswith a endswith", nil),
            (
                "order = 1 or android = 2 or inner = 3 or notes = 4 and existsx = 5",
                #"(order == "1" or android == "2" or inner == "3" or (notes == "4" and existsx == "5"))"#
            ),
            ("@slow and not @my-own_1", "(@slow and not @my-own_1)"), ("@a.b", nil), ("@", nil),
            ("a = @b", #"a == "@b""#),
            ("a = and", #"a == "and""#), ("a=1&&b=2", #"(a == "1" and b == "2")"#),
            ("a=b||c=d", #"(a == "b" or c == "d")"#),
        ] as [(String, String?)])
    func `a predicate is read`(text: String, expected: String?) {
        let syntax = try? PredicateParser.parse(text)
        #expect(syntax?.text == expected)
        // What is written is read again.
        if let syntax { #expect((try? PredicateParser.parse(syntax.text))?.text == syntax.text) }
    }

    @Test(arguments: [
        ("", "expected a key, such as level, subsystem or payload.user_id", 0..<0),
        ("level", "expected an operator", 0..<5),
        ("level >=", "expected a value", 8..<8), ("a = 1 b", "expected and, or, or the end", 6..<7),
        ("(a = 1", "expected ) for this parenthesis", 0..<1), ("a = 1)", "nothing is open here", 5..<6),
        ("a = 'x", "this quote is not closed", 4..<5), ("a in 5", "expected {a, b} to follow in", 5..<6),
        ("a in {1", "expected , or }", 5..<6), ("and", "expected a key", 0..<3),
        ("a = 1 and or b = 2", "expected a key", 10..<12),
        ("exists", "expected a key to follow exists", 6..<6), ("a ~ 1", "expected an operator", 2..<3),
        ("a[x] = 1", "expected the number of an element", 1..<2), ("a[-1] = 1", "expected the number", 1..<2),
        ("a[99999999999999999999] = 1", "expected the number", 1..<2), ("a[0]b = 1", "expected a dot", 4..<5),
        ("a[0]. = 1", "expected the name of a member", 4..<5), ("a[0]..b = 1", "expected the name", 4..<5),
        ("a =~Bob", "there is no such operator", 2..<4), ("a !== 1", "there is no such operator", 2..<5),
        ("a => 5", "there is no such operator", 2..<4), ("a contains[cd] x", "only [c] is known", 10..<14),
        ("a = “x”", "a value with such quotes", 4..<7), ("a = x\u{3000}and b = 1", "a value with such quotes", 5..<8),
        ("a not exists", "not stands in front", 2..<12), ("exists (a", "expected ) behind the key", 9..<9),
        ("a not == 1", "not goes with in and with words", 2..<10), ("夕食 = 1 x", "expected and, or", 11..<12),
    ])
    func `an error says what was expected and where`(text: String, reason: String, range: Range<Int>) {
        let error = #expect(throws: PredicateError.self) { try PredicateParser.parse(text) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.range == range)
    }

    @Test func `the place is shown below, by the width of characters`() {
        let error = #expect(throws: PredicateError.self) { try PredicateParser.parse("夕食 = 'x y' foo") }
        #expect(error?.excerpt == "  夕食 = 'x y' foo\n               ^")
        let long = "a = 1 and " + String(repeating: "夕", count: 100) + " ~ 1"
        let far = #expect(throws: PredicateError.self) { try PredicateParser.parse(long) }
        #expect(far?.excerpt.split(separator: "\n").allSatisfy { DisplayWidth.columns($0) < 200 } == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `large and deep predicates are refused`() {
        let texts = [
            (String(repeating: "a = 1 or ", count: 120_000) + "a = 1", "longer than 16384 bytes"),
            (String(repeating: "(", count: 10_000), "nested deeper"),
            (String(repeating: "!", count: 10_000), "nested deeper"),
            (String(repeating: "!", count: 65) + "a = 1", "nested deeper than 64 times"),
            (String(repeating: "not ", count: 3000) + "a = 1", "nested deeper"),
            (String(repeating: "a = 1 or ", count: 600) + "a = 1", "more than 500 conditions"),
            (String(repeating: "a[0]", count: 4000), "expected a dot"),
            ("a contains x" + String(repeating: "|x", count: 600), "more than 500 conditions"),
            ("a in {x" + String(repeating: ",x", count: 6000) + "}", "more than 5000 values"),
        ]
        for (text, reason) in texts {
            let error = #expect(throws: PredicateError.self) { try PredicateParser.parse(text) }
            #expect(error?.reason.contains(reason) == true)
            #expect((error?.description.utf8.count ?? 0) < 1000)
        }
    }

    @Test func `random texts are read or refused, and what is read is written and read again`() throws {
        let pieces = [
            "a", "level", "payload.x", "[0]", "[-1]", "\"[-1]\"", "[0].b", "=", "==", "!=", "<", ">=", " ", " ",
            " and ", " or ", " not ", "(", ")",
            "{", "}",
            ",", "|", "||", "&&", "!", "\"", "'", "\\", "\"x y\"", "'\\''", "in", " in {", "exists ", " contains ",
            "[c]", "1",
            "-5m", "夕食", "\u{0}", "\n", ":", "like", "matches", " a = 1 ", "time", ".", "*", "@a", "@",
        ]
        var read = 0
        for seed in FuzzBudget.seeds(20_000) {
            var random = SeededGenerator(seed: seed)
            let text = (0..<random.next() % 14).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            do throws(PredicateError) {
                let syntax = try PredicateParser.parse(text)
                read += 1
                #expect(try PredicateParser.parse(syntax.text).text == syntax.text, "seed \(seed): \(text)")
                _ = try? PredicateBinder.bind(syntax, of: text, times: TimeExpression(now: 1, zone: .utc), .init())
            } catch {
                #expect(error.range.upperBound <= text.utf8.count && !error.excerpt.isEmpty, "seed \(seed): \(text)")
            }
        }
        #expect(read > 100)
    }
}

extension PredicateSyntax {
    /// The predicate in one form for all ways to write it.
    var text: String {
        switch self {
        case .all(let parts): "(" + parts.map(\.text).joined(separator: " and ") + ")"
        case .any(let parts): "(" + parts.map(\.text).joined(separator: " or ") + ")"
        case .not(let part): "not \(part.text)"
        case .comparison(let comparison): comparison.text
        case .named(let word): "@\(word.text)"
        }
    }
}

extension PredicateSyntax.Comparison {
    fileprivate var text: String {
        let key = (key.isQuoted ? quoted(key.text) : key.text) + inner.map(text).joined()
        let modifier = ignoresCase ? "[c]" : ""
        let values = values.map { quoted($0.text) }.joined(separator: "|")
        return switch operation {
        case .exists: "exists \(key)"
        case .equal: "\(key) ==\(modifier) \(values)"
        case .notEqual: "\(key) !=\(modifier) \(values)"
        case .ordered(let order): "\(key) \(order.rawValue)\(modifier) \(values)"
        case .match(let match): "\(key) \(match.rawValue)\(modifier) \(values)"
        }
    }

    private func text(_ step: Predicate.ParameterPath.Step) -> String {
        switch step {
        case .index(let index): "[\(index)]"
        case .member(let name): ".\(quoted(name.text))"
        }
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
