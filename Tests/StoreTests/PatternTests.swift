import Model
import TestSupport
import Testing

@testable import Store

struct PatternTests {
    private func finds(_ pattern: String, _ text: String) throws -> Bool {
        let pattern = try TextMatcher(TextTest(grep: pattern))
        return try Array(text.utf8).withUnsafeBytes { try pattern.accepts($0) }
    }

    @Test func `integers of a column are the numbers that their texts are`() throws {
        for number in [0, 1, -7, 0.5, 1e12, 9_999_999_999_999, 1e13, 1e14, 1e15, -1e15, 0x1p53, 1e17] {
            let matcher = try TextMatcher(.number(number))
            let test = try #require(matcher.verdictOnIntegers(isString: false))
            for distance in [-20, -5, -1, 0, 1, 5, 20] as [Int64] {
                let integer = Int64(number) + distance
                let passes =
                    switch test {
                    case .equal(let other): integer == other
                    case .passes(let passes): passes(integer)
                    }
                let text = Array("\(integer)".utf8)
                let isAccepted = try text.withUnsafeBytes { try matcher.accepts(value: $0, isString: false) }
                #expect(passes == isAccepted, "\(integer) is \(number)")
            }
        }
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
        ("(?i)É", "é", true), (#"(\d)\1"#, "a33", true), ("a(?=b)", "ab", true), ("(?<n>a)x", "ax", true),
        ("[[:digit:]]+x", "1x", true), (#"\x41B"#, "AB", true), (#"\QA.B\E"#, "A.B", true),
        // Without an upper-case letter of ASCII, case makes no difference.
        ("share", "SHARE", true), ("shar.", "SHARE", true), ("Share", "share", false), ("Shar.", "share", false),
        ("é", "É", true), ("夕食", "夕食", true), ("é.", "Éx", true), ("(?-i)share", "SHARE", false),
        ("É", "é", true), ("É.", "éx", true), ("ÉX", "éX", false),
        ("(?:ab)*c", "ababc", true), ("(ab)?c", "c", true), ("a|", "zzz", true),
        ("(|a)b", "b", true),
        (#"{"id":1}"#, #"{"id":1}"#, true), (#""id":[0-9]+,"#, #"{"id":17,"x":1}"#, true), ("a+?b", "aab", true),
        ("😀{2}", "😀😀", true), ("[😀-😂]$", "😁", true), (#"\S+\s\w+"#, "é b", true), ("(a*)*b", "aaab", true),
        ("a{", "a{", true), ("a{x}", "a{x}", true), ("a{,2}", "a{,2}", true), ("a{1", "a{1", true),
        ("a{1,x}", "a{1,x}", true), ("^a{900}$", String(repeating: "a", count: 899), false),
    ])
    func `a pattern finds its matches`(_ pattern: String, _ text: String, _ isFound: Bool) throws {
        #expect(try finds(pattern, text) == isFound)
    }

    @Test func `searches that take long together end the turn, each by itself does not`() throws {
        // Each takes nearly all steps that a search in a small text may have.
        let (pattern, text) = (
            try TextMatcher(TextTest(grep: "(a|aa)+$")), Array((String(repeating: "a", count: 25) + "b").utf8)
        )
        var turn = ReadTurn(time: .seconds(60))
        func search() throws { _ = try text.withUnsafeBytes { try pattern.accepts($0, until: turn) } }
        var searches = 0
        let error = #expect(throws: StoreError.self) {
            while searches < 1_000_000 {
                try search()
                searches += 1
            }
        }
        #expect(error?.kind == .invalidPattern && searches > 3, "\(String(describing: error)) after \(searches)")
        turn = ReadTurn(time: .seconds(60))
        try search()
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
        "(", ")", "a)", "[a", "a{2,1}", "*a", #"\"#, "[b-a]", #"\2(a)"#, #"a\C"#, "a{99999}",
        "a{1000000}", String(repeating: "(", count: 1000), String(repeating: "a|", count: 4000),
    ])
    func `an invalid pattern, or one that is too large, is refused with a reason`(_ pattern: String) {
        let error = #expect(throws: StoreError.self) { try TextMatcher(TextTest(grep: pattern)) }
        #expect(error?.kind == .invalidPattern)
        #expect(error?.description.contains("regular expression") == true)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["(a+)+$", "(a|aa)+$", "^(a*)*(a*)*$"])
    func `a pattern that would take years ends with an error`(_ pattern: String) throws {
        let error = #expect(throws: StoreError.self) { try finds(pattern, String(repeating: "a", count: 2000) + "!") }
        #expect(
            error?.kind == .invalidPattern
                && error?.description.contains("cannot be looked for in a text of 2001 bytes: ") == true)
    }

    @Test(.timeLimit(.minutes(1))) func `a slow pattern on a large text ends with an error`() throws {
        let error = #expect(throws: StoreError.self) {
            try finds(#"[ac]*[ac]*[bd]"#, String(repeating: "a", count: 1 << 20))
        }
        #expect(error?.description.contains("cannot be looked for in a text of 1048576 bytes: more than 2") == true)
        #expect(try finds(#"[ac]+\d"#, String(repeating: "x", count: 1 << 20) + "a1"))
    }

    @Test(.timeLimit(.minutes(1))) func `a slow pattern on many names ends with an error`() throws {
        let names = try NamePredicate(.text(.eventName, .matches(.matches, "(a+)+$", ignoresCase: false)))
        let slow = String(repeating: "a", count: 14) + "!"
        #expect(try names.isMet { _ in .known(slow) } == false)
        let error = #expect(throws: StoreError.self) {
            for _ in 0..<100_000 { _ = try names.isMet { _ in .known(slow) } }
        }
        #expect(error?.kind == .invalidPattern && error?.description.contains("more than 2") == true)
    }

    /// Searches skip texts that lack what every match has.
    @Test(arguments: ["ALİ", "İ", "\u{212A}elvin", "Straße İstanbul", "éİi", "Kİ\u{212A}k"])
    func `a text is found by itself in any case`(_ text: String) throws {
        for folded in [text, text.lowercased(), text.uppercased()] where folded.lowercased() == text.lowercased() {
            for test in [
                TextTest.among([ExactString(text)], ignoresCase: true),
                .matches(.contains, ExactString(text), ignoresCase: true),
                .matches(.beginsWith, ExactString(text), ignoresCase: true),
                .matches(.like, ExactString(text), ignoresCase: true),
            ] {
                let matcher = try TextMatcher(test)
                var bytes = Array(folded.utf8)
                #expect(try bytes.withUnsafeBytes { try matcher.accepts($0) })
                #expect(
                    matcher.literals.allSatisfy { any in any.contains { one in bytes.withUnsafeBytes { $0.has(one) } } }
                )
                bytes.removeAll()
                #expect(try !bytes.withUnsafeBytes { try matcher.accepts($0) })
            }
        }
    }

    @Test func `a pattern in any case finds the sign of kelvins and the long s`() throws {
        for text in ["disk", "DISK", "di\u{17F}k", "dis\u{212A}"] {
            let matcher = try TextMatcher(.matches(.matches, "d?isk", ignoresCase: true))
            let bytes = Array(text.utf8)
            #expect(try bytes.withUnsafeBytes { try matcher.accepts($0) }, "\(text)")
            #expect(
                matcher.literals.allSatisfy { any in any.contains { one in bytes.withUnsafeBytes { $0.has(one) } } })
        }
    }

    @Test func `bytes that are not UTF-8 do not end the search`() throws {
        let pattern = try TextMatcher(TextTest(grep: "a.b$"))
        for bytes in [[0xFF, 0x61, 0x2D, 0x62], [0xC3, 0x61, 0x2D, 0x62], [0x80, 0xF0, 0x61, 0x0, 0x62]] as [[UInt8]] {
            #expect(try bytes.withUnsafeBytes { try pattern.accepts($0) })
        }
        #expect(try ![0x61, 0xF0, 0x9F].withUnsafeBytes { try pattern.accepts($0) })
        #expect(try [0xFF].withUnsafeBytes { try TextMatcher(TextTest(grep: "")).accepts($0) })
    }

    @Test(arguments: [
        (#""user_id":4\d{3},"#, [#"er_id":4"#]), ("abc+d", ["abc"]), ("abcd*", ["abc"]),
        ("x?abc(d|e)?fghi+", ["fghi", "abc"]),
        (#"a\.b\.c\d"#, ["a.b.c"]), ("夕食?献立", ["献立", "夕"]), ("A夕.*献立表", ["献立表", "A夕"]), ("[abc]defg", ["defg"]),
        ("ab{2}cde", ["cde"]),
        ("abc|def", ["abc|def"]), ("abc|d.f", []), ("(abc|defg)+x(hij)", ["hij", "abc|defg"]), ("(abc|def)?x", []),
        ("(abc", []), (#"[\c]abcd]"#, []), (#"[\E]abcd]e"#, []), (#"(a|\c)bcde)?fgh"#, []),
        ("(a|b)(?:cde(?:fgh)){2}", []), ("((abcd)x|e(?:fgh))", ["abcd|fgh"]), ("(abc)(?=d)", []), ("(?i)abc", []),
        ("(*UCP)abc", []), (#"\x41bcd"#, []), ("[[:alpha:]]bcd", []),
        (#"\Qabc|\E"#, []), ("a.b.c", []), ("(?#x)abc", []), ("a夕食表", ["a夕食表"]), ("É夕食表x?", ["É夕食表"]),
        ("[]x]abc", ["abc"]), ("[^]x]abc", ["abc"]),
    ])
    func `texts that every match contains are found`(_ pattern: String, _ texts: [String]) {
        let isWithoutCase = pattern.unicodeScalars.allSatisfy { !$0.properties.isUppercase }
        let required = RequiredText(
            of: pattern, ignoresCase: isWithoutCase && pattern.utf8.allSatisfy { $0 < 0x80 })
        let shown = required.literals.map {
            $0.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "|")
        }
        #expect(shown == texts)
    }

    @Test(arguments: [
        (#"[ab]{9}"#, ["9 ab"]), (#"\d{13,16}x"#, ["13 0123456789"]),
        ("[0-9a-f]{8}-[0-9a-f]{4}", ["8 0123456789abcdef", "4 0123456789abcdef"]),
        ("([ab]{4})", ["4 ab"]), ("([ab]{4})?", []), ("[ab]{4}|c", []), ("[ab]{3}", []), ("[ab]{4}{0}", []),
        ("[ab]{4}*", []),
        ("[ab]{4}?", []), ("[^ab]{4}", []), ("[aé]{4}", []), ("[a-]{4}", ["4 -a"]), ("[-a]{4}", ["4 -a"]),
        ("[a-c-e]{4}", []),
        (#"[a\-c]{4}"#, ["4 -ac"]), (#"[\d.]{4}"#, ["4 .0123456789"]), (#"[\d-z]{4}"#, []), ("[]a]{4}", ["4 ]a"]),
        ("[ab]+", []),
        ("[b-a]{4}", []), ("(?i)[ab]{4}", []), ("[ab]{4,}c[de]{,5}", ["4 ab"]), (#"[\x]{4}"#, []),
        ("[[:digit:]]{4}", []),
        ("[ab]{4 }", []), ("[ab]{4,,}", []), ("[ab]{4 5}", []), ("[ab]{4,5,6}", []), ("[ab]{4,5}", ["4 ab"]),
        ("[ab]{,4}", []),
        ("([ab]{4}){0,\t3}", []),
    ])
    func `runs that every match contains are found`(_ pattern: String, _ runs: [String]) {
        let shown = RequiredText(of: pattern, ignoresCase: false).runs.map { run in
            let members = (0..<128).filter { run.has($0) }
            return "\(run.count) \(String(decoding: members, as: UTF8.self))"
        }
        #expect(shown == runs)
    }

    @Test func `runs in any case have both cases, unless a letter has another one`() {
        #expect(RequiredText(of: "[ab]{4}", ignoresCase: true).runs.first?.has(UInt8(ascii: "B")) == true)
        #expect(RequiredText(of: "[a-z]{4}", ignoresCase: true).runs.isEmpty)
        #expect(RequiredText(of: "[0-9]{4}", ignoresCase: true).runs.count == 1)
    }

    @Test func `a run is found wherever it is`() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<20_000 {
            let text = (0..<random.next() % 20).map { _ in "aab-".utf8.randomElement(using: &random) ?? 0 }
            let count = Int.random(in: 1...6, using: &random)
            let longest = text.split(separator: UInt8(ascii: "-")).map(\.count).max() ?? 0
            let run = ByteRun(of: Set("ab".utf8), count: count)
            #expect(text.withUnsafeBytes(run.isIn) == (longest >= count), "\(count) in \(text)")
        }
    }

    @Test func `random patterns find the same with and without the texts that they require`() throws {
        var random = SeededGenerator(seed: 5)
        let parts = [
            "a", "b", "abc", "ABC", "é", "夕", ".", "*", "+", "?", "{2}", "(", ")", "(?:", "(?=", "(?i)", "(?x)", "|",
            "[", "]", "^",
            "$", "[ab]", "[a-c]{4}", "{4}", "[bC]", #"\w{5}"#, #"\d"#, #"\."#, #"\x41"#, #"\Q"#, #"\E"#, #"\c"#, "{",
            "}", "#", " ", "\\", "bca", "[^", "-", "\\K",
        ]
        let texts = ["abc", "xABCbcay", "éabc夕bca", "ABCabc.A2{}#", "aabb", "bca bca", "夕夕abc-]", "", "AbCbCa"]
        var (found, withRuns) = (0, 0)
        for _ in 0..<100_000 {
            let text = (0..<random.next() % 6 + 1).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            guard let pattern = try? TextMatcher(TextTest(grep: text)), !pattern.isLiteral,
                !pattern.literals.isEmpty || !pattern.runs.isEmpty
            else { continue }
            for searched in texts {
                try Array(searched.utf8).withUnsafeBytes { bytes in
                    guard try pattern.accepts(bytes) else { return }
                    found += 1
                    #expect(pattern.literals.allSatisfy { $0.contains(where: bytes.has) }, "\(text) in \(searched)")
                    #expect(pattern.runs.allSatisfy { $0.isIn(bytes) }, "\(text) in \(searched)")
                    if !pattern.runs.isEmpty { withRuns += 1 }
                }
            }
        }
        #expect(found > 1000 && withRuns > 100)
    }

    @Test func `a literal is found in any case, wherever it is`() {
        var random = SeededGenerator(seed: 7)
        let letters = Array("aAbBeE1-".utf8)
        func bytes(_ most: UInt64) -> [UInt8] {
            (0..<random.next() % most).map { _ in letters.randomElement(using: &random) ?? 0 }
        }
        for number in 0..<20_000 {
            // The text is searched in parts, which end near 1024 and 3072.
            let length = number % 20 == 0 ? [1010, 3058][number / 20 % 2] + number / 40 % 20 : 0
            let before = [UInt8](repeating: UInt8(ascii: "x"), count: length)
            let (text, word) = (before + bytes(12), bytes(4))
            let (low, key) = (text.map(Literal.lowercased), word.map(Literal.lowercased))
            // No word has an x.
            let start = key.isEmpty ? 0 : length
            let expected = (start...max(start, low.count - key.count)).first { low.dropFirst($0).starts(with: key) }
            let found = text.withUnsafeBytes { Literal(word, ignoresCase: true).firstPlace(in: $0) }
            #expect(found == (key.count > low.count ? nil : expected), "\(word) in \(text)")
        }
    }
}
