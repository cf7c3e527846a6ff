import TestSupport
import Testing

@testable import Store

struct PayloadPatternTests {
    private func finds(_ pattern: String, _ text: String) throws -> Bool {
        var pattern = try PayloadPattern(pattern)
        return Array(text.utf8).withUnsafeBytes { pattern.matches($0) }
    }

    @Test(arguments: [
        ("abc", "xxabcxx", true), ("abc", "ab", false), ("", "", true), ("aab", "aaab", true), ("é", "caf\u{E9}", true),
        ("a.c", "abc", true), ("a.c", "ac", false), ("a.c", "aéc", true), ("^a", "ba", false), ("a$", "ab", false),
        ("^$", "", true), ("$", "x", true), ("x*", "", true), ("^(a|b)+$", "abba", true), ("^(a|b)+$", "abca", false),
        ("a{2}", "xaax", true), ("^a{2,3}$", "aaaa", false), ("^a{2,}$", "aaaa", true), ("^a{0,2}b", "aab", true),
        ("[a-c]x", "cx", true), ("[^a-c]x", "cx", false), ("[^a-c]x", "éx", true), ("[]a]", "]", true),
        ("[a-]", "-", true), (#"[\d_]+z"#, "1_2z", true), (#"[\D]"#, "12", false), (#"\d{3}-\d+"#, "x123-4", true),
        (#"\bcat\b"#, "a cat.", true), (#"\bcat\b"#, "concat", false), (#"\Bcat"#, "concat", true),
        (#"\.\*\\"#, #"a.*\b"#, true), (#"a\tb"#, "a\tb", true), ("(?i)straße", "STRAßE", true),
        ("(?i)[a-f]+1", "AbC1", true),
        ("(?i)É", "é", true), ("(?:ab)*c", "ababc", true), ("(ab)?c", "c", true), ("a|", "zzz", true),
        ("(|a)b", "b", true),
        (#"{"id":1}"#, #"{"id":1}"#, true), (#""id":[0-9]+,"#, #"{"id":17,"x":1}"#, true), ("a+?b", "aab", true),
        ("😀{2}", "😀😀", true), ("[😀-😂]$", "😁", true), (#"\S+\s\w+"#, "é b", true), ("(a*)*b", "aaab", true),
        ("a{", "a{", true), ("a{x}", "a{x}", true), ("a{,2}", "a{,2}", true), ("a{1", "a{1", true),
        ("a{1,x}", "a{1,x}", true), ("^a{900}$", String(repeating: "a", count: 899), false),
    ])
    func `a pattern finds its matches`(_ pattern: String, _ text: String, _ isFound: Bool) throws {
        #expect(try finds(pattern, text) == isFound)
    }

    @Test func `it agrees with Swift's Regex on random patterns and texts`() throws {
        var random = SeededGenerator(seed: 3)
        func pick(_ parts: [String]) -> String { parts[Int(random.next() % UInt64(parts.count))] }
        func part(_ depth: Int) -> String {
            switch random.next() % (depth > 2 ? 4 : 7) {
            case 0, 1: pick(["a", "b", "c", "é"])
            case 2: pick([".", "[ab]", "[^a]", "[a-c]"])
            case 3: pick(["a", "ab", #"\d"#, "1"])
            case 4: "(" + part(depth + 1) + part(depth + 1) + ")" + pick(["*", "+", "?", "{2}", "{1,2}", ""])
            case 5: "(?:" + part(depth + 1) + "|" + part(depth + 1) + ")"
            default: part(depth + 1) + part(depth + 1)
            }
        }
        for _ in 0..<1500 {
            let pattern = pick(["^", "", "", ""]) + part(0) + part(0) + pick(["$", "", "", ""])
            let expected = try Regex(pattern).matchingSemantics(.unicodeScalar)
            for _ in 0..<4 {
                let text = (0..<Int(random.next() % 9)).map { _ in pick(["a", "b", "c", "é", "1"]) }.joined()
                #expect(try finds(pattern, text) == (text.firstMatch(of: expected) != nil), "\(pattern) in \(text)")
            }
        }
    }

    @Test(arguments: [
        "(", ")", "a)", "[a", "a{2,1}", "*a", "a**", "^*", #"\"#, #"\1"#, "(?=a)", "(?<n>a)", "[b-a]", #"[\d-z]"#,
        "(a{500}){500}", "((((a{9}){9}){9}){9})", "a{99999}", String(repeating: "(", count: 1000),
        String(repeating: "a|", count: 4000),
    ])
    func `an invalid pattern, or one that is too large, is refused with a reason`(_ pattern: String) {
        let error = #expect(throws: StoreError.self) { try PayloadPattern(pattern) }
        #expect(error?.kind == .invalidPattern)
        #expect(error?.description.contains("regular expression") == true)
    }

    @Test(arguments: [
        "a{1,1000000}", "a{1000000}", "a{1000000,}", "a{0,1001}", "a{99999999999999999999}", "(ab){1,20000000}",
        "😀{1001}",
    ])
    func `a repetition beyond the limit is refused with the limit, and is not literal text`(_ pattern: String) {
        let error = #expect(throws: StoreError.self) { try PayloadPattern(pattern) }
        #expect(error?.description.contains("a repetition of more than 1000 times") == true)
    }

    /// With backtracking, each of these would take years.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("(a+)+$", false), ("(a|aa)+$", false), ("(.*)*x", false), ("(a*)*$b", false), ("(a+)+!$", true),
            (String(repeating: "a?", count: 60) + String(repeating: "a", count: 60) + "$", false),
            ("((((){1000}){1000}){1000}){1000}", true), ("((((()*){0,9}){1000,}){1000}){0}!", true),
        ])
    func `no pattern takes exponential time`(_ pattern: String, _ isFound: Bool) throws {
        #expect(try finds(pattern, String(repeating: "a", count: 2000) + "!") == isFound)
    }

    @Test func `bytes that are not UTF-8 do not end the search`() throws {
        var pattern = try PayloadPattern("a.b$")
        for bytes in [[0x61, 0xFF, 0x62], [0xC3, 0x61, 0xE2, 0x62], [0x80, 0xF0, 0x61, 0x0, 0x62]] as [[UInt8]] {
            #expect(bytes.withUnsafeBytes { pattern.matches($0) })
        }
        #expect(![0x61, 0xF0, 0x9F].withUnsafeBytes { pattern.matches($0) })
    }
}
