import Testing

@testable import Control

@Suite struct LineSplitterTests {
    @Test(arguments: 1...12)
    func `lines are the same however the bytes come`(size: Int) throws {
        let bytes = Array("one\n\ntwo\r\n三\nfour".utf8)
        var splitter = LineSplitter(limit: 10)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try splitter.feed(bytes[start..<min(start + size, bytes.count)]) {
                lines.append(String(decoding: $0, as: UTF8.self))
            }
        }
        #expect(lines == ["one", "", "two\r", "三"])
        #expect(splitter.finish().map { String(decoding: $0, as: UTF8.self) } == "four")
        #expect(splitter.finish() == nil)
    }

    @Test func `a line of the limit passes and one byte more does not`() throws {
        var splitter = LineSplitter(limit: 3)
        try splitter.feed(Array("abc\n".utf8)[...]) { _ in }
        #expect(throws: LineSplitter.TooLong.self) { try splitter.feed(Array("abcd".utf8)[...]) { _ in } }
    }

    @Test(arguments: 1...12)
    func `a line that is too long can be passed over, and those behind it come`(size: Int) throws {
        let bytes = Array("one\n12345678901234\ntwo\n1234567890\n12345678901".utf8)
        var splitter = LineSplitter(limit: 10)
        var (lines, beginnings): ([String], [String]) = ([], [])
        for start in stride(from: 0, to: bytes.count, by: size) {
            try splitter.feed(bytes[start..<min(start + size, bytes.count)]) { _, beginning in
                beginnings.append(String(decoding: beginning, as: UTF8.self))
            } _: { line in
                lines.append(String(decoding: line, as: UTF8.self))
            }
        }
        #expect(lines == ["one", "two", "1234567890"])
        #expect(beginnings.count == 2 && beginnings.allSatisfy { "12345678901234".hasPrefix($0) && $0.count > 10 })
        #expect(splitter.finish() == nil)
    }
}
