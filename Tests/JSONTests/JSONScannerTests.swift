@testable import JSON
import Testing

/// The verdict of the scanner on a text: `nil` when it is an object.
func verdict(_ text: [UInt8], _ limits: JSONLimits = JSONLimits()) -> String? {
    var members: [JSONMember] = []
    return text.withUnsafeBytes { JSONScanner.scanObject($0, limits: limits, into: &members) }?.description
}

struct JSONScannerTests {
    @Test(arguments: [
        "{}", " { } ", "\r\n\t{\n}\t", #"{"":""}"#, #"{"a":1,"a":2}"#, #"{"a":{"b":[{}, [], [[]]]}}"#,
        #"{"a" : true , "b" : false , "c" : null}"#, #"{"a":"\"\\\/\b\f\n\r\t\u00e9\uABCD"}"#,
        "{\"a\":\"\u{7F}\u{2028}\u{FEFF}\"}",
        #"{"a":"\u0000"}"#, #"{"a":"\ud83c\udf63"}"#, #"{"a":"🍣é\#u{10FFFF}"}"#,
        // Single surrogates are in the grammar.
        #"{"a":"\ud800"}"#, #"{"a":"\udc00\ud800"}"#, #"{"\udfff":1}"#,
    ])
    func `objects of RFC 8259`(_ text: String) {
        #expect(verdict(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "0", "-0", "1", "10", "-12", "0.0", "-0.5", "1.25", "1e1", "1E+2", "1e-2", "0e0", "-0.0e-0", "1e999", "1e-999",
        "18446744073709551616",
        String(repeating: "9", count: 10_000), "0." + String(repeating: "0", count: 10_000) + "1",
    ])
    func `numbers of any size are valid and their text is kept`(_ number: String) throws {
        for text in [#"{"a":\#(number)}"#, #"{"a": \#(number) ,"b":[\#(number)]}"#] {
            let bytes = Array(text.utf8)
            let member = try #require(try JSONScanner.members(of: bytes).first)
            #expect(String(decoding: bytes[member.value], as: UTF8.self) == number)
            let isInteger = !number.contains { ".eE".contains($0) }
            #expect(member.kind == .number(isInteger: isInteger))
        }
    }

    @Test(arguments: [
        "NaN", "Infinity", "-Infinity", "-", "+1", ".5", "5.", "01", "-01", "00", "1e", "1e+", "1.e1", "1.5.5", "0x10",
        "1_000", "1,5", "--1", "1e1.5",
        "True", "TRUE", "nul", "nulll", "undefined", "'a'", "", ",", ":", "]", "}", "[1,]", "[,1]", "[1 2]", "[1}",
        #"{"b":1]"#, #"{"b":1,}"#,
        #"{"b"}"#, #"{"b":}"#, #"{b:1}"#, #"{1:1}"#, #"{,}"#, "[", "{", #"""#, #""\"#, #""\u"#, #""\u12"#, #""\u12G4""#,
        #""\x""#, #""\u+123""#, #""\"#,
        "\"\u{0}\"", "\"\u{1F}\"", "\"\t\"", "\"a\nb\"", "\u{A0}1", "\u{FEFF}1", "1 // comment", "/* comment */ 1",
        "\u{B}1", "\u{C}1",
    ])
    func `everything else as a value is an error`(_ value: String) {
        #expect(verdict(Array(#"{"a":\#(value)}"#.utf8)) != nil)
        #expect(verdict(Array(#"{"z":[0],"a":[\#(value)]}"#.utf8)) != nil || value == "" || value == "1,5")
    }

    @Test(arguments: [
        ("", "byte 0: ends too early"), ("  ", "byte 2: ends too early"), ("{", "byte 1: ends too early"),
        ("[]", "byte 0: expected an object"), ("1", "byte 0: expected an object"),
        ("null", "byte 0: expected an object"),
        ("{} x", "byte 3: bytes after the end"), ("{}{}", "byte 2: bytes after the end"),
        ("{}\u{0}", "byte 2: bytes after the end"),
        ("\u{FEFF}{}", "byte 0: a byte order mark, which JSON must not begin with"),
        ("{\u{FEFF}}", "byte 1: expected a key in quotes"), (#"{"a" 1}"#, "byte 5: expected a colon"),
        (#"{"a":1 "b":2}"#, "byte 7: expected a comma or }"), (#"{"a":[1 2]}"#, "byte 8: expected a comma or ]"),
        (#"{"a":NaN}"#, "byte 5: expected a value"), (#"{"a":-}"#, "byte 5: not a number as JSON writes it"),
        (#"{"a":012}"#, "byte 5: not a number as JSON writes it"), (#"{"a":tru"#, "byte 8: ends too early"),
        (#"{"a":"b\q"}"#, "byte 7: no such escape"),
        ("{\"a\":\"b\u{1}\"}", "byte 7: a control character within a string"),
        (#"{"a":"b"#, "byte 7: ends too early"), (#"{"a":1"#, "byte 6: ends too early"),
    ])
    func `errors say where and what`(_ text: String, _ error: String) {
        #expect(verdict(Array(text.utf8)) == error)
    }

    @Test func `every length of string is searched to its end`() {
        for length in 0..<40 {
            let filler = String(repeating: "x", count: length)
            #expect(verdict(Array(#"{"\#(filler)":"\#(filler)"}"#.utf8)) == nil)
            #expect(verdict(Array("{\"a\":\"\(filler)\u{1F}\(filler)\"}".utf8)) != nil)
            #expect(verdict(Array("{\"a\":\"\(filler)é\(filler)\"}".utf8)) == nil)
            #expect(verdict(Array(#"{"a":"\#(filler)\"\#(filler)"}"#.utf8)) == nil)
            #expect(verdict(Array(#"{"a":"\#(filler)\"#.utf8)) != nil)
        }
    }

    @Test(
        arguments: [
            ([0xC2, 0x80], true), ([0xDF, 0xBF], true), ([0xE0, 0xA0, 0x80], true), ([0xED, 0x9F, 0xBF], true),
            ([0xEE, 0x80, 0x80], true),
            ([0xEF, 0xBF, 0xBF], true), ([0xF0, 0x90, 0x80, 0x80], true), ([0xF4, 0x8F, 0xBF, 0xBF], true),
            ([0x80], false), ([0xBF], false), ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xC2], false),
            ([0xC2, 0x41], false),
            ([0xE0, 0x9F, 0xBF], false), ([0xE3, 0x81], false), ([0xED, 0xA0, 0x80], false),
            ([0xED, 0xBF, 0xBF], false), ([0xF0, 0x8F, 0xBF, 0xBF], false),
            ([0xF0, 0x9F, 0x8D], false), ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false),
            ([0xFE], false), ([0xFF], false),
        ] as [([UInt8], Bool)])
    func `strings and keys are UTF-8`(_ bytes: [UInt8], _ isValid: Bool) {
        for filler in ["", "12345", "é"] {
            let string = [UInt8(ascii: "\"")] + Array(filler.utf8) + bytes + [UInt8(ascii: "\"")]
            #expect((verdict(Array(#"{"a":"#.utf8) + string + [UInt8(ascii: "}")]) == nil) == isValid)
            #expect((verdict([UInt8(ascii: "{")] + string + Array(":1}".utf8)) == nil) == isValid)
        }
    }

    @Test func `depth is limited, the outermost object counts`() {
        let text = Array(#"{"a":[[1]]}"#.utf8)
        #expect(verdict(text, JSONLimits(maximumDepth: 3)) == nil)
        #expect(verdict(text, JSONLimits(maximumDepth: 2)) == "byte 6: nested deeper than 2")
        #expect(verdict(text, JSONLimits(maximumDepth: 0)) == "byte 0: nested deeper than 0")
    }

    @Test func `members are counted at any depth, and elements of lists are not`() {
        let text = Array(#"{"a":{"b":1},"c":[{"d":[1,2,3]}]}"#.utf8)
        #expect(verdict(text, JSONLimits(maximumMembers: 4)) == nil)
        #expect(verdict(text, JSONLimits(maximumMembers: 3)) == "byte 22: more than 3 members")
        #expect(verdict(Array("{}".utf8), JSONLimits(maximumMembers: 0)) == nil)
        #expect(verdict(text, JSONLimits(maximumMembers: 0)) == "byte 4: more than 0 members")
    }

    @Test(arguments: [63, 64, 65, 127, 128, 129, 1000, 100_000])
    func `nesting takes no stack, and every closing mark is checked against its opening`(_ depth: Int) {
        let pairs = (0..<depth).map { $0 % 3 == 0 ? (#"{"k":"#, "}") : ("[", "]") }
        let opening = pairs.map(\.0).joined()
        let closing = pairs.reversed().map(\.1)
        let limits = JSONLimits(maximumDepth: depth + 1)
        #expect(verdict(Array(#"{"a":\#(opening)1\#(closing.joined())}"#.utf8), limits) == nil)
        #expect(verdict(Array(#"{"a":\#(opening)1\#(closing.joined())}"#.utf8), JSONLimits(maximumDepth: depth)) != nil)
        var wrong = closing
        wrong[depth / 2] = wrong[depth / 2] == "]" ? "}" : "]"
        #expect(verdict(Array(#"{"a":\#(opening)1\#(wrong.joined())}"#.utf8), limits) != nil)
    }

    @Test func `members are reused and cleared`() {
        var members = [JSONMember(key: 0..<1, value: 0..<1, keyHasEscapes: true, kind: .null)]
        let error = Array("{}".utf8).withUnsafeBytes { JSONScanner.scanObject($0, into: &members) }
        #expect(error == nil && members.isEmpty)
    }
}
