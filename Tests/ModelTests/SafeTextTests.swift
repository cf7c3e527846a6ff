import Model
import Testing

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("豚の角煮 🍲", "豚の角煮 🍲"), ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("\u{1B}[31mred", #"\u001b[31mred"#), ("\u{1B}]0;title\u{7}", #"\u001b]0;title\u0007"#),
        ("a\nb\tc\r", #"a\nb\tc\r"#), ("\u{0}", #"\u0000"#), ("\u{7F}", #"\u007f"#),
        ("\u{9B}2J", #"\u009b2J"#), ("\u{202E}gnp.exe", #"\u202egnp.exe"#), ("a\u{2028}b", #"a\u2028b"#),
        ("e\u{301}\u{1B}", "e\u{301}" + #"\u001b"#), ("\r\n", #"\r\n"#),
        // Invisible ones stay only behind what they change the look of.
        ("tap_a\u{200B}", #"tap_a\u200b"#), ("tap\u{AD}_a\u{3164}", #"tap\u00ad_a\u3164"#),
        ("tap_a\u{E0041}", #"tap_a\udb40\udc41"#), ("tap_a\u{200D}", #"tap_a\u200d"#),
        ("tap_a\u{FE0F}", #"tap_a\ufe0f"#), ("\u{200D}a", #"\u200da"#), ("字\u{E0100}", "字\u{E0100}"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
        ("🏴\u{E0067}\u{E0062}\u{E007F}", "🏴\u{E0067}\u{E0062}\u{E007F}"), ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
        ("字\u{200D}\u{200D}\u{FE0F}", "字\u{200D}" + #"\u200d\ufe0f"#),
        ("字\u{200B}\u{200D}", "字" + #"\u200b\u200d"#),
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

    /// Goes by Unicode's properties and not by the list in `SafeText`, so that a gap in that list shows.
    @Test func `nothing that has no look of its own stays in a name, or in a text behind a letter of ASCII`() {
        let invisible = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(\.properties.isDefaultIgnorableCodePoint)
        #expect(invisible.count > 4000)
        for scalar in invisible {
            let (name, text) = ("魚🍲\(scalar)", "tap_a\(scalar)b")
            #expect(!SafeText.neutralised(name: name).unicodeScalars.contains(scalar), "\(scalar.value)")
            #expect(!SafeText.neutralised(text).unicodeScalars.contains(scalar), "\(scalar.value)")
            #expect(!SafeText.isSafe(text), "\(scalar.value)")
        }
        #expect(SafeText.neutralised(name: "レシピ詳細 e\u{301} 🍲") == "レシピ詳細 e\u{301} 🍲")
        #expect(SafeText.neutralised(name: "👩\u{200D}🍳") == #"👩\u200d🍳"#)
    }

    @Test func `text of several lines keeps its lines and nothing else`() {
        let shown = SafeText.neutralised("a\r\n\tb\u{1B}\u{2028}\n\t\u{301}", keepingLines: true)
        #expect(shown == "a\\r\n    b\\u001b\\u2028\n    \u{301}")
    }

    @Test func `what is harmless stays, and so does what has been made harmless`() {
        let texts = ["", "one line", "two\nlines\n", "e\u{301}", "㈱ﾊﾝｶｸ！", "\u{1F469}\u{200D}\u{1F373}"]
        #expect(texts.map { SafeText.neutralised($0, keepingLines: true) } == texts)
        let once = SafeText.neutralised("\u{1B}[2J\n\u{202E}")
        #expect(SafeText.neutralised(once) == once)
    }
}
