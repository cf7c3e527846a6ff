import Model
import Testing

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("豚の角煮 🍲", "豚の角煮 🍲"), ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("\u{1B}[31mred", #"\u001b[31mred"#), ("\u{1B}]0;title\u{7}", #"\u001b]0;title\u0007"#),
        ("a\nb\tc\r", #"a\nb\tc\r"#), ("\u{0}", #"\u0000"#), ("\u{7F}", #"\u007f"#),
        ("\u{9B}2J", #"\u009b2J"#), ("\u{202E}gnp.exe", #"\u202egnp.exe"#), ("a\u{2028}b", #"a\u2028b"#),
        ("e\u{301}\u{1B}", "e\u{301}" + #"\u001b"#), ("\r\n", #"\r\n"#),
    ])
    func `what could work on a terminal is written as an escape`(text: String, shown: String) {
        #expect(SafeText.neutralised(text) == shown)
    }

    @Test func `every control character, direction mark and line separator is neutralised`() throws {
        let unsafe: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
        ]
        for value in unsafe.joined() {
            let scalar = try #require(Unicode.Scalar(value))
            for keepingLines in [false, true] where !(keepingLines && scalar == "\n") {
                let shown = SafeText.neutralised("a\(scalar)ü", keepingLines: keepingLines)
                #expect(!shown.unicodeScalars.contains(scalar), "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func `text of several lines keeps its lines and nothing else`() {
        let shown = SafeText.neutralised("a\r\n\tb\u{1B}\u{2028}\n\t\u{301}", keepingLines: true)
        #expect(shown == "a\\r\n    b\\u001b\\u2028\n    \u{301}")
    }

    @Test func `what is harmless stays, and so does what has been made harmless`() {
        let texts = ["", "one line", "two\nlines\n", "e\u{301}", "soft\u{AD}hyphen", "\u{1F469}\u{200D}\u{1F373}"]
        #expect(texts.map { SafeText.neutralised($0, keepingLines: true) } == texts)
        let once = SafeText.neutralised("\u{1B}[2J\n\u{202E}")
        #expect(SafeText.neutralised(once) == once)
    }
}
