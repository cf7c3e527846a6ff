import Foundation
import TestSupport
import Testing

@testable import Forward

@Suite struct ReplyExcerptTests {
    private func clean(_ text: String, without secret: String?) -> String {
        ReplyExcerpt.clean(Array(text.utf8), without: [secret].compactMap(\.self))
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

    @Test(arguments: [
        ("user=ops&password=p%40ss%2Fw0rd%21x%23y", "p@ss/w0rd!x#y"),
        ("password=p%40ss%2Fw0rd%21x%23y", "p%40ss%2fw0rd!x%23y"),
        ("password=one+two%2Bthree", "one two+three"), ("password=one+two%2Bthree", "one+two%2Bthree"),
        ("password=one+two%2Bthree", "one+two+three"), ("password=p%2540ss%252Fw0rd", "p@ss/w0rd"),
        ("password=%C3%A9%C3%A8secret99", "éèsecret99"), ("user=ops&password=p%40ss", "user=ops&password=p@ss"),
    ])
    func `the query of an address is found decoded`(query: String, value: String) {
        let text = "unknown: \(value) !"
        #expect(ReplyExcerpt.clean(Array(text.utf8), without: SecretText.spellings(query)) == ReplyExcerpt.hidden)
    }

    @Test func `a character of many scalars is cut`() {
        let accents = String(repeating: "\u{301}", count: 30_000)
        #expect(clean("e\(accents)", without: nil).unicodeScalars.count == 201)
        #expect(clean(String(repeating: "é", count: 201), without: nil) == String(repeating: "é", count: 200) + "…")
    }

    @Test(arguments: forms) func `a secret is found in each way of writing it`(form: String) {
        #expect(clean("a \(form) b \(form)", without: Self.token) == ReplyExcerpt.hidden)
        // It stands where the text is cut for showing.
        let filler = String(repeating: "f", count: 190)
        #expect(clean("\(filler) \(form) tail", without: Self.token) == ReplyExcerpt.hidden)
    }

    /// Ways of writing text in which its characters do not follow one another as they are.
    private static let disguises: [String: @Sendable (String) -> String] = [
        "as it is": { $0 },
        "wrapped at 16 columns": { wrapped($0, at: 16, by: "\n") },
        "wrapped at 7 columns": { wrapped($0, at: 7, by: "\r\n    ") },
        "spaces": { wrapped($0, at: 3, by: "\u{3000} ") },
        "control and zero-width characters": { wrapped($0, at: 1, by: "\u{200B}\u{0}\u{2060}") },
        "line breaks in JSON": { wrapped($0, at: 7, by: #"\n"#) },
        "zero-width characters in JSON": { wrapped($0, at: 2, by: #"\u200b"#) },
        "quoted-printable soft breaks": { wrapped($0, at: 5, by: "=\r\n") },
        "quoted-printable soft breaks in JSON": { wrapped($0, at: 5, by: #"=\n"#) },
        "lines that go on": { wrapped($0, at: 5, by: "\\\n") },
        "base64": { base64($0) },
        "base64, one more before": { base64("T" + $0) },
        "base64, two more before": { base64("To" + $0) },
        "base64 of the header": { base64("Bearer \($0)\r\n") },
        "base64 of URLs": { base64("Bearer \($0)").replacing("+", with: "-").replacing("/", with: "_") },
        "base64 in lines": { wrapped(base64("authorization: Bearer \($0)"), at: 9, by: "\n") },
        "base64 in JSON": { base64("?>~?>~" + $0).replacing("/", with: #"\/"#) },
        "base64 in URLs": { base64("?>~?>~" + $0).replacing("/", with: "%2F").replacing("+", with: "%2B") },
        #"\x"#: { escaped($0) { #"\x"# + $0 } },
        #"\u"#: { escaped($0) { #"\u00"# + $0 } },
        #"\u{}"#: { escaped($0) { #"\u{"# + $0 + "}" } },
        "octal": { escaped($0, radix: 8) { #"\"# + $0 } },
        "hexadecimal": { escaped($0) { $0 } },
        "hexadecimal in capitals, half a byte behind": { "a" + escaped($0) { $0 }.uppercased() },
        "hexadecimal in groups": { wrapped(escaped($0) { $0 }, at: 4, by: " ") },
        "numbers of HTML": { escaped($0, radix: 10) { "&#\($0);" } },
        "percent": { escaped($0) { "%" + $0 } },
        "percent of percent": { escaped($0) { "%25" + $0 } },
        "percent of percent of percent, wrapped": { wrapped(escaped($0) { "%2525" + $0 }, at: 11, by: "\n") },
        "JSON in JSON in JSON": { escaped($0) { #"\\\\u00"# + $0 } },
    ]

    private static func wrapped(_ text: String, at columns: Int, by separator: String) -> String {
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: columns)
            .map { String(characters[$0..<min($0 + columns, characters.count)]) }.joined(separator: separator)
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func escaped(_ text: String, radix: Int = 16, _ escape: (String) -> String) -> String {
        text.utf8.map { escape(String($0, radix: radix)) }.joined()
    }

    @Test(arguments: disguises.keys.sorted()) func `a run of a secret is found in each disguise`(name: String) throws {
        let disguise = try #require(Self.disguises[name])
        let secret = "Zq7-kLmN0pQ_rS.tUv~Wx+Yz/1aB2cD3eF4gH5iJ6kL=="
        for part in [
            secret, String(secret.dropFirst(4)), String(secret.dropFirst(13).prefix(8)), String(secret.suffix(11)),
        ] {
            #expect(clean("refused: ***|\(disguise(part))|*** so", without: secret) == ReplyExcerpt.hidden, "\(part)")
        }
        #expect(clean("a|\(disguise("s3cRt"))|b", without: "s3cRt") == ReplyExcerpt.hidden, "a short one, as a whole")
        #expect(clean("a|\(disguise("Zq7-kLm"))|b", without: secret) != ReplyExcerpt.hidden, "too little")
    }

    @Test func `text that is like no secret stays, whatever its escapes`() {
        let secret = "Zq7-kLmN0pQ_rS.tUv~Wx+Yz/1aB2cD3eF4gH5iJ6kL=="
        for text in [
            #"{"error":"caf\u00e9 \ud83d\ude00 \x \u{ \u{110000} \u{ffffffff} \8 \777"}"#,
            "%", "%2", "% 41 &#; &#x; &#99999999999; &amp", "deadbeefcafebabe0123456789abcdef",
            "QmVhcmVyIG5vdGhpbmctb2YteW91cnM=", "\\", "=", "&#1114112;",
        ] {
            #expect(clean(text, without: secret) == text)
        }
    }

    @Test func `a long secret is found in a long text full of escapes`() {
        var random = SeededGenerator(seed: 7)
        let characters = (0..<16_384).map { _ in UInt8.random(in: 0x21...0x7E, using: &random) }
        let secret = String(decoding: characters, as: UTF8.self)
        let pieces = ["%25", #"\\"#, "&#37;", "=\n", "41", "Z", String(secret.prefix(9))]
        let text = (0..<65_536).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
        #expect(ReplyExcerpt.clean(Array(text.utf8.prefix(65_536)), without: [secret]) == ReplyExcerpt.hidden)
    }

    @Test func `a secret that the other side has cut is not shown either, and other text is`() {
        #expect(
            clean("token 'eyJhbGciOiJ...' is unknown", without: "eyJhbGciOiJIUzI1NiJ9.e30") == ReplyExcerpt.hidden)
        #expect(
            clean("eyJ is unknown, 100% & \\ u %zz &#; &#x;", without: "eyJhbGciOiJIUzI1NiJ9.e30")
                == "eyJ is unknown, 100% & \\ u %zz &#; &#x;")
        #expect(clean("aaaaaaaab", without: "aaaaaaaac") == ReplyExcerpt.hidden)
        #expect(clean("ab", without: "abc") == "ab")
    }

    @Test func `control characters and line breaks become single spaces`() {
        #expect(clean("bad\r\n\u{1B}[31mtoken\u{202E} x\u{0}\u{85}y ", without: nil) == "bad [31mtoken x y")
    }

    @Test func `a secret that comes back is not shown`() {
        #expect(clean("you sent Bearer abc123 and abc123", without: "abc123") == ReplyExcerpt.hidden)
    }

    @Test func `a secret that comes back with a combining mark behind it is not shown`() {
        #expect(clean("you sent abc123\u{301}", without: "abc123") == ReplyExcerpt.hidden)
    }

    @Test func `long text is cut`() {
        let text = clean(String(repeating: "e\u{301}", count: 5000), without: nil)
        #expect(text.unicodeScalars.count == 201)
        #expect(text.hasSuffix("…"))
    }
}
