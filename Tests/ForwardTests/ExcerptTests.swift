import Testing

@testable import Forward

@Suite struct ExcerptTests {
    @Test func `control characters and line breaks become single spaces`() {
        #expect(Excerpt.clean("bad\r\n\u{1B}[31mtoken\u{202E} x\u{0}\u{85}y ", without: nil) == "bad [31mtoken x y")
    }

    @Test func `a secret that comes back is not shown`() {
        #expect(Excerpt.clean("you sent Bearer abc123 and abc123", without: "abc123") == "you sent Bearer … and …")
    }

    @Test func `long text is cut`() {
        let text = Excerpt.clean(String(repeating: "e\u{301}", count: 5000), without: nil)
        #expect(text.count == 201)
        #expect(text.hasSuffix("…"))
    }
}
