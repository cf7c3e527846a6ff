import JSON
import Testing

/// What the scanner says of the parts of a text.
struct JSONPartsTests {
    /// The values of the members at any depth that are called `x`.
    private func nested(_ text: String) throws -> [String] {
        var found: [String] = []
        try Array(text.utf8).withUnsafeBytes { bytes in
            try JSONScanner.forEachNestedMember(of: bytes, in: 0..<bytes.count) { key in
                key.elementsEqual("x".utf8) ? true : nil
            } _: { _, element in
                found.append(String(decoding: bytes[element.value], as: UTF8.self))
            }
        }
        return found
    }

    @Test(arguments: [
        (#"{"x":1}"#, ["1"]), (#"[{"x":"a"},{"y":{"x" : [1, {"x":2}] }}]"#, [#""a""#, #"[1, {"x":2}]"#]),
        (#"{"\u0078":null,"x":{}}"#, ["null", "{}"]), (#"["x",{"y":"x"},"x"]"#, []), ("[]", []), (#""x""#, []),
        (#"{"y":"\"x\":1","x":true}"#, ["true"]), (#"[[[["x"]]],{"x":{"x":1},"x":-1.5e3}]"#, [#"{"x":1}"#, "-1.5e3"]),
    ])
    func `members are found at any depth, and not within those that are found`(text: String, expected: [String]) throws
    {
        #expect(try nested(text) == expected)
    }

    private func text(_ bytes: [UInt8], _ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    @Test func `members come in order, with the text of keys and values untouched`() throws {
        let bytes = Array(
            #" {"a":1.50, "b\n" : "x\u0041" ,"":{ "c" : [ ] },"d":[1, 2],"e":null,"f":true,"g":false} "#.utf8)
        let members = try JSONScanner.members(of: bytes)
        #expect(members.map { text(bytes, $0.key) } == ["a", #"b\n"#, "", "d", "e", "f", "g"])
        #expect(members.map(\.keyHasEscapes) == [false, true, false, false, false, false, false])
        #expect(
            members.map { text(bytes, $0.value) }
                == ["1.50", #""x\u0041""#, #"{ "c" : [ ] }"#, "[1, 2]", "null", "true", "false"])
        #expect(
            members.map(\.kind)
                == [.number(isInteger: false), .string(hasEscapes: true), .object, .array, .null, .true, .false])
        #expect(text(bytes, members[1].content) == #"x\u0041"#)
    }

    @Test func `members of members are found in the same bytes`() throws {
        let bytes = Array(#"{"a":{"b":[10, {"c":"d"}]}}"#.utf8)
        let a = try #require(try JSONScanner.members(of: bytes).first)
        let b = try #require(try JSONScanner.members(of: bytes, in: a.value).first)
        let elements = try JSONScanner.elements(of: bytes, in: b.value)
        #expect(elements.map { text(bytes, $0.value) } == ["10", #"{"c":"d"}"#])
        let c = try #require(try JSONScanner.members(of: bytes, in: elements[1].value).first)
        #expect(text(bytes, c.content) == "d" && JSONScanner.text(of: bytes, in: c.key) == "c")
    }

    @Test func `errors in a part count from the first byte of the whole`() {
        let bytes = Array(#"xxxx{"a":?}"#.utf8)
        let error = #expect(throws: JSONError.self) { try JSONScanner.members(of: bytes, in: 4..<bytes.count) }
        #expect(error == JSONError(offset: 9, problem: .expectedValue))
    }

    @Test(arguments: [
        ("1", JSONKind.number(isInteger: true)), (" -1.5 ", .number(isInteger: false)),
        ("\"a\"", .string(hasEscapes: false)), ("[1,[2]]", .array),
        ("{\"a\":[]}", .object), ("true", .true), ("false", .false), ("null\n", .null),
    ])
    func `any value may be an element, whatever space is around it`(_ text: String, _ kind: JSONKind) throws {
        let bytes = Array("[\(text)]".utf8)
        let elements = try JSONScanner.elements(of: bytes)
        #expect(elements.map(\.kind) == [kind])
        #expect(self.text(bytes, elements[0].value) == text.filter { !" \n".contains($0) })
    }

    @Test(arguments: ["1 2", "nul", "[", "\u{FEFF}1", "1,"])
    func `what is no value is no element`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONScanner.elements(of: Array("[\(text)]".utf8)) }
    }

    @Test(arguments: [("[1,]", 3, JSONError.Problem.expectedValue), ("{}", 0, .expectedArray), ("", 0, .unexpectedEnd)])
    func `what is no array says where`(_ text: String, _ offset: Int, _ problem: JSONError.Problem) {
        let error = #expect(throws: JSONError.self) { try JSONScanner.elements(of: Array(text.utf8)) }
        #expect(error == JSONError(offset: offset, problem: problem))
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"\u0041\u00e9\u3042"#, "Aéあ"),
        (#"\ud83c\udf63"#, "🍣"), (#"a\uD83C\uDF63b"#, "a🍣b"), (#"\u0000"#, "\u{0}"),
        (#"\ud800"#, "\u{FFFD}"), (#"\udc00"#, "\u{FFFD}"), (#"\ud800\u0041"#, "\u{FFFD}A"),
        (#"\ud800\ud83c\udf63"#, "\u{FFFD}🍣"),
        (#"\ud800\n"#, "\u{FFFD}\n"), (#"\udc00\ud800"#, "\u{FFFD}\u{FFFD}"), ("レシピ\\n", "レシピ\n"),
    ])
    func `escapes stand for text, single surrogates for the replacement character`(_ escaped: String, _ text: String) {
        Array(escaped.utf8).withUnsafeBytes { content in
            #expect(JSONScanner.unescape(content) == Array(text.utf8))
            #expect(JSONScanner.text(of: content) == text)
            #expect(JSONScanner.unescapedCount(content) == text.utf8.count)
        }
    }

    @Test(arguments: [#"\"#, #"\u"#, #"\u12"#, #"\uXYZW"#, #"\q"#, #"\ud83c\u"#])
    func `what no scanner would pass unescapes to something all the same`(_ escaped: String) {
        Array(escaped.utf8).withUnsafeBytes { content in
            let text = JSONScanner.unescape(content)
            #expect(!text.isEmpty && text.count == JSONScanner.unescapedCount(content))
            #expect(String(validating: text, as: UTF8.self) != nil)
        }
    }
}
