import API
import Model
import Testing

@testable import Control

@Test func `lines have texts as they are, but on terminals, and distinguish null from empty texts`() {
    let line = CSVText.exact.line([
        .null, .text(""), .number("1.50"), .text("a,b"), .text("say \"hi\""), .text("two\nlines"), .text("夕食"),
        .text(" x "), .null,
    ])
    #expect(
        String(decoding: line, as: UTF8.self) == ",\"\",1.50,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",夕食, x ,\n")
    func text(_ fields: [String?], width: Int?) -> String {
        String(decoding: CSVText(Style(width: width)).line(fields), as: UTF8.self)
    }
    #expect(text(["a\u{1B}[31m\nb", nil, ""], width: nil) == "\"a\u{1B}[31m\nb\",,\"\"\n")
    #expect(text(["a\u{1B}[31m\nb", nil, ""], width: 80) == "a\\u001b[31m\\nb,,\"\"\n")
    #expect(text([nil], width: nil) == "\"\"\n")
}
