import API
import Model
import Testing

@testable import Control

@Test func `lines of files have texts as they are, and tell NULL from nothing`() {
    let line = CSVText.exactLine([
        .null, .text(""), .number("1.50"), .text("a,b"), .text("say \"hi\""), .text("two\nlines"), .text("夕食"),
        .text(" x "), .null,
    ])
    #expect(
        String(decoding: line, as: UTF8.self) == ",\"\",1.50,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",夕食, x ,\n")
}
