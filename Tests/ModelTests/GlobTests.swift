import Model
import TestSupport
import Testing

@Suite struct GlobTests {
    @Test(arguments: [
        ("*", ""), ("*", "x"), ("com.example.*", "com.example."), ("com.example.*", "com.example.shop"), ("a*c", "abc"),
        ("a*c", "ac"), ("a*b*c", "aXbYbc"), ("?", "猫"), ("a?c", "aéc"), ("*.service", "nginx.service"), ("", ""),
        ("**", "x"), ("*a", "aaa"), ("a", "a"), ("*a?c*", "xxabcx"), ("?*?", "猫é"), ("a*?", "aé"), ("*ab*ab", "abab"),
        ("*?b*", "aab"), ("a**b", "ab"), ("*é?", "xéy"),
    ])
    func `fits`(pattern: String, text: String) {
        #expect(Glob(pattern).matches(text))
    }

    @Test(arguments: [
        ("com.example.*", "com.example"), ("a*c", "ab"), ("?", ""), ("?", "ab"), ("a", "A"), ("", "x"),
        ("*.service", "nginx"),
        ("a*b*c", "acb"), ("*ab*ab", "aab"), ("ab*ab", "ab"), ("?*?", "猫"), ("a*?", "a"), ("*a?c*", "ac"),
        ("ab*b", "ab"),
    ])
    func `does not fit`(pattern: String, text: String) {
        #expect(!Glob(pattern).matches(text))
    }

    @Test func `random patterns match what a simple matcher says`() {
        func isMatch(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return isMatch(pattern.dropFirst(), text) || !text.isEmpty && isMatch(pattern, text.dropFirst())
            }
            guard let letter = text.first, first == "?" || first == letter else { return false }
            return isMatch(pattern.dropFirst(), text.dropFirst())
        }
        var (random, found) = (SeededGenerator(seed: 5), 0)
        for _ in 0..<20_000 {
            func letters(_ from: [Unicode.Scalar]) -> [Unicode.Scalar] {
                (0..<random.next() % 7).map { _ in from.randomElement(using: &random) ?? "a" }
            }
            let (pattern, text) = (letters(["a", "b", "é", "*", "?", "*"]), letters(["a", "b", "é"]))
            let glob = Glob(String(String.UnicodeScalarView(pattern)))
            let isMatch = isMatch(pattern[...], text[...])
            #expect(
                glob.matches(String(String.UnicodeScalarView(text))) == isMatch, "\(glob.pattern) \(text)")
            found += isMatch ? 1 : 0
        }
        #expect(found > 1000)
    }

    @Test(arguments: [
        ("*", ""), ("", ""), ("com.example.*", "com.*"), ("com.example.*", "*.shop"), ("com.?hop", "com.s*"),
        ("?", "é"), ("a*b*c", "*cab*"), ("a*", "*a"), ("com.shop", "com.shop"),
    ])
    func `overlap`(pattern: String, other: String) {
        #expect(Glob(pattern).overlaps(Glob(other)) && Glob(other).overlaps(Glob(pattern)))
    }

    @Test(arguments: [
        ("com.shop", "org.other"), ("com.example.*", "com.example"), ("com.*", "org.*"), ("*.shop", "*.web"), ("?", ""),
        ("??", "é"), ("a*b", "a*c"), ("", "?*"), ("e\u{301}", "é"),
    ])
    func `do not overlap`(pattern: String, other: String) {
        #expect(!Glob(pattern).overlaps(Glob(other)) && !Glob(other).overlaps(Glob(pattern)))
    }

    @Test func `random patterns overlap if there is a text that both match`() {
        // A shortest one has at most as many letters as both patterns together.
        let texts = (0...8).flatMap { length in
            (0..<1 << length).map { bits in (0..<length).map { bits >> $0 & 1 == 0 ? "a" : "b" }.joined() }
        }
        var (random, found) = (SeededGenerator(seed: 6), 0)
        for _ in 0..<1000 {
            func glob() -> Glob {
                Glob(
                    (0..<random.next() % 5).map { _ in ["a", "b", "*", "?"].randomElement(using: &random) ?? "a" }
                        .joined())
            }
            let (one, other) = (glob(), glob())
            let expected = texts.contains { one.matches($0) && other.matches($0) }
            #expect(one.overlaps(other) == expected, "\(one.pattern) \(other.pattern)")
            found += expected ? 1 : 0
        }
        #expect((100...900).contains(found))
    }

    @Test func `of patterns that are longer than names, none is said not to overlap`() {
        let name = String(repeating: "a", count: 1024)
        #expect(!Glob(name).overlaps(Glob("b*")) && Glob(name + "a").overlaps(Glob("b*")))
    }

    @Test(.timeLimit(.minutes(1))) func `long parts take linear time`() {
        let text = String(repeating: "a", count: 4_000_000)
        #expect(!Glob("*\(String(repeating: "a", count: 12_000))b*").matches(text))
        #expect(!Glob("*\(String(repeating: "a", count: 12_000))*b").matches(text))
        #expect(Glob("*\(String(repeating: "a", count: 12_000))*").matches(text))
    }

    @Test func `many stars against a long text come to an end`() {
        let pattern = String(repeating: "a*", count: 30) + "b"
        #expect(!Glob(pattern).matches(String(repeating: "a", count: 2000)))
    }
}
