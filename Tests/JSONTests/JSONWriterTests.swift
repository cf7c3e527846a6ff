import JSON
import Testing

struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The text of a string that was written.
    private func readBack(_ string: [UInt8]) throws -> String {
        let bytes = Array("[".utf8) + string + Array("]".utf8)
        let element = try #require(try JSONScanner.elements(of: bytes).first)
        return JSONScanner.text(of: bytes, in: element.content)
    }

    @Test func `commas come by themselves, at every level`() {
        let text = written { json in
            json.beginObject()
            json.key("a")
            json.integer(-1)
            json.key("b")
            json.beginArray()
            json.bool(true)
            json.null()
            json.beginObject()
            json.endObject()
            json.beginArray()
            json.endArray()
            json.string("x")
            json.endArray()
            let key = "c\n"
            json.key(key)
            json.raw(Array("1e999".utf8))
            json.key("d")
            json.double(0.5)
            json.key("e")
            json.double(.infinity)
            json.endObject()
            json.newline()
            json.beginObject()
            json.endObject()
        }
        #expect(text == #"{"a":-1,"b":[true,null,{},[],"x"],"c\n":1e999,"d":0.5,"e":null}"# + "\n{}")
    }

    @Test func `integers of every width are exact`() {
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/d", #""a\"b\\c/d""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001f""#),
        ("\u{7F}é🍣\u{2028}", "\"\u{7F}é🍣\u{2028}\""), ("12345678\"12345678\n", #""12345678\"12345678\n""#),
    ])
    func `strings are escaped as far as they must be`(_ string: String, _ text: String) {
        #expect(written { $0.string(string) } == text)
    }

    @Test func `every string comes back as it was`() throws {
        for scalar in (0...0x3100 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            for string in ["\(scalar)", "1234567\(scalar)89"] {
                #expect(try readBack(Array(written { $0.string(string) }.utf8)) == string)
            }
        }
    }

    @Test(
        arguments: [
            [0x41, 0xFF, 0x42], [0xE3, 0x81], [0xE3, 0x81, 0x41], [0xF0, 0x9F, 0x8D, 0x22], [0xED, 0xA0, 0x80],
            [0xC0, 0x80, 0x0A], [0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x8D, 0xA3, 0xFF],
        ] as [[UInt8]])
    func `invalid UTF-8 is repaired as the standard library does it`(_ bytes: [UInt8]) throws {
        for filler in ["", "1234567890"] {
            let bytes = Array(filler.utf8) + bytes + Array(filler.utf8)
            var writer = JSONWriter()
            bytes.withUnsafeBytes { writer.string(utf8: $0) }
            #expect(try readBack(writer.bytes) == String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func `a value on one line keeps everything but its line breaks`() {
        let json = "{\r\n  \"a\": \"b\\n\",\n\t\"c\": 1.0e+5\r}"
        #expect(
            written { $0.value(LargeValue(.oneLine, Array(json.utf8))) } == "{    \"a\": \"b\\n\", \t\"c\": 1.0e+5 }")
    }

    @Test func `a writer can be used again, and go on with bytes that are there`() {
        var writer = JSONWriter(bytes: Array("x".utf8))
        writer.integer(1)
        #expect(writer.bytes == Array("x1".utf8))
        writer.removeAll()
        writer.integer(2)
        #expect(writer.bytes == Array("2".utf8))
    }
}
