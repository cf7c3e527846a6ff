import Testing

@testable import Forward

@Suite struct ExcerptTests {
    private func clean(_ text: String, isCut: Bool = false, without secret: String?) -> String {
        Excerpt.clean(Array(text.utf8), isCut: isCut, without: secret)
    }

    private static let token = #"aB+/=%&"\zz-0123456789.x"#

    /// The token as others write it.
    private static let forms = [
        token,
        "aB%2B%2F%3D%25%26%22%5Czz-0123456789.x",
        "aB%2b/%3d%25&\"\\zz%2D0123456789.x",
        #"aB+\/=%&\"\\zz-0123456789.x"#,
        #"aB\u002b\u002F\u003d%\u0026\u0022\u005czz-0123456789.x"#,
        #"aB\\u002b\\\/=%&\\\"\\\\zz-0123456789.x"#,
        #"aB&#43;&#x2F;=%&amp;&quot;\zz-0123456789.x"#,
        token.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined(),
        token.utf8.map { "\\u00" + String($0, radix: 16) }.joined(),
    ]

    @Test(arguments: forms) func `a secret is found in each way of writing it`(form: String) {
        #expect(clean("a \(form) b \(form)", without: Self.token) == "a … b …")
        // It stands where the text is cut for showing.
        let filler = String(repeating: "f", count: 190)
        #expect(clean("\(filler) \(form) tail", without: Self.token) == "\(filler) … tail")
    }

    @Test(arguments: forms) func `no part of a secret is shown of a text that was cut anywhere in it`(form: String) {
        for count in 1...form.utf8.count {
            let text = Array(("refused: " + form).utf8.prefix(9 + count))
            let shown = Excerpt.clean(text, isCut: true, without: Self.token)
            #expect("refused: …".hasPrefix(shown), "\(count): \(shown)")
        }
    }

    @Test func `a secret that the other side has cut is not shown either, and other text is`() {
        #expect(
            clean("token 'eyJhbGciOiJ...' is unknown", without: "eyJhbGciOiJIUzI1NiJ9.e30") == "token '…...' is unknown"
        )
        #expect(
            clean("eyJ is unknown, 100% & \\ u %zz &#; &#x;", without: "eyJhbGciOiJIUzI1NiJ9.e30")
                == "eyJ is unknown, 100% & \\ u %zz &#; &#x;")
        #expect(clean("aaaaaaaab", without: "aaaaaaaac") == "…b")
        #expect(clean("ab", without: "abc") == "ab")
    }

    @Test func `control characters and line breaks become single spaces`() {
        #expect(clean("bad\r\n\u{1B}[31mtoken\u{202E} x\u{0}\u{85}y ", without: nil) == "bad [31mtoken x y")
    }

    @Test func `a secret that comes back is not shown`() {
        #expect(clean("you sent Bearer abc123 and abc123", without: "abc123") == "you sent Bearer … and …")
    }

    @Test func `a secret that comes back with a combining mark behind it is not shown`() {
        #expect(clean("you sent abc123\u{301}", without: "abc123") == "you sent …\u{301}")
    }

    @Test func `long text is cut`() {
        let text = clean(String(repeating: "e\u{301}", count: 5000), without: nil)
        #expect(text.count == 201)
        #expect(text.hasSuffix("…"))
    }
}
