import Testing

@testable import Generate

struct DialectTests {
    @Test func `no text ends a literal`() {
        let text = "a\"b\\c\n\u{0}\u{202E}$x\u{E0001}"
        #expect(Dialect.swift.literal(text) == #""a\"b\\c\n\u{0}\u{202e}$x\u{e0001}""#)
        #expect(Dialect.python.literal(text) == #""a\"b\\c\n\u0000\u202e$x\U000e0001""#)
        #expect(Dialect.json.literal(text) == #""a\"b\\c\n\u0000\u202e\u0024x\udb40\udc01""#)
    }

    @Test func `no text ends a comment`() {
        #expect(Dialect.swift.comment("a\u{2028}b\r\nc\u{0B}d\n\n") == ["a", "b", "", "c", "d"])
        #expect(Dialect.python.comment("\"\"\" \\") == [#"\"\"\" \\"#])
        #expect(Dialect.json.comment("*/ /* **/ */*") == ["* / / * ** / * / *"])
        #expect(Dialect.json.comment(#"\u002a/ \\uu002F C:\users \n"#) == [#"\ u002a/ \\ uu002F C:\ users \n"#])
        #expect(Dialect.json.comment("\u{0}\n\u{7}") == [])
    }
}
