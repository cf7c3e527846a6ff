import Definitions
import Model
import Resolve
import TestSupport
import Testing

/// What is replaced in texts that nobody wrote down: nothing private is left, and everything else stands byte by byte.
struct RedactionSearchTests {
    private static let hidden = #""<private>""#
    private var generator = SeededGenerator(seed: 7)

    private func resolver() throws -> Resolver {
        let text = "# a\n\n## event\n\n- email: !string?\n    - privacy: private\n"
        let dictionary = try DictionaryParser.parse(
            [DefinitionFile(name: "a.md", bytes: Array(text.utf8))],
            options: DictionaryOptions(name: "shop", path: "definitions")
        ).dictionary
        return Resolver(
            dictionaries: [dictionary],
            protection: Protection(mode: .protect, key: Array("the machine's secret, 32 bytes..".utf8)))
    }

    private func resolve(_ payload: String, _ resolver: inout Resolver) -> Resolver.Outcome {
        Array(payload.utf8).withUnsafeBytes { resolver.resolve($0, from: .sample()) }
    }

    @Test mutating func `of bytes of any kind what is before a private value stays, and nothing from there on`() throws
    {
        var resolver = try resolver()
        let pieces = ["\"", "\\", "email", "\"email\"", ":", "=", ",", "}", "{", " ", "secret", "日本", "\u{0}"]
        var (hidden, kept) = (0, 0)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...30, using: &generator)
            // No JSON follows such a beginning.
            let payload = "{:" + (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let outcome = resolve(payload, &resolver)
            #expect(outcome.resolution == .malformed)
            let start = try Self.hiddenPart(of: payload)
            let expected = start < payload.endIndex ? payload[..<start] + Self.hidden : nil
            #expect(outcome.payload == expected.map { Array($0.utf8) }, "\(payload)")
            if expected == nil { kept += 1 } else { hidden += 1 }
        }
        #expect(hidden > 100 && kept > 100)
    }

    /// Returns where the first private value begins; the end if there is none.
    private static func hiddenPart(of payload: String) throws -> String.Index {
        func regex(_ text: String) throws -> Regex<AnyRegexOutput> {
            try Regex(text).asciiOnlyWordCharacters().wordBoundaryKind(.simple).matchingSemantics(.unicodeScalar)
        }
        let separator = try regex(#"["'`\\]*[ \t-\r]*[:=][ \t-\r]*"#)
        let quotes = try regex(#"[^\\]""$|"\\"$|\\"\\$"#)
        let value = try regex(#"[\w"][ \t-\r]*:[ \t-\r]*"\\?email"[ \t-\r]*([,}]|$)"#)
        for name in payload.matches(of: try regex(#"\bemail\b"#)).map(\.range) {
            if let match = payload[name.upperBound...].prefixMatch(of: separator) { return match.range.upperBound }
            let isQuoted = (payload[..<name.lowerBound].suffix(2) + payload[name.upperBound...].prefix(1)).contains(
                quotes)
            let isValue = payload.matches(of: value).contains { $0.range.contains(name.lowerBound) }
            if isQuoted, !isValue { return name.upperBound }
        }
        return payload.endIndex
    }

    @Test mutating func `of any object the private values go at any depth, and every other byte stays`() throws {
        var resolver = try resolver()
        var hidden = 0
        for _ in 0..<1000 {
            let (sent, expected) = object(depth: 0)
            let outcome = resolve(sent, &resolver)
            #expect(outcome.resolution != .malformed && outcome.resolution != .plain, "\(sent)")
            #expect(outcome.payload == (sent == expected ? nil : Array(expected.utf8)), "\(sent)")
            if sent != expected { hidden += 1 }
        }
        #expect(hidden > 100 && hidden < 1000)
    }

    // MARK: objects, as they are sent and as they should be stored

    private typealias Text = (sent: String, expected: String)

    private mutating func object(depth: Int) -> Text {
        let count = Int.random(in: 0...3, using: &generator)
        let members: [Text] = (0..<count).map { _ in
            let isPrivate = Int.random(in: 0..<5, using: &generator) == 0
            let name = pick(isPrivate ? ["email", #"e\u006dail"#] : ["emails", "e-mail", "日本", "", #"\"email\":"#])
            let key = "\"\(name)\"" + pick(["", " ", "\n"]) + ":" + pick(["", "  ", "\t"])
            let value = value(depth: depth + 1)
            // There is nothing in null that could be private.
            let expected = isPrivate && value.sent != "null" ? Self.hidden : value.expected
            return (key + value.sent, key + expected)
        }
        return joined(members, "{", "}")
    }

    private mutating func value(depth: Int) -> Text {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 6), using: &generator) {
        case 6: return object(depth: depth)
        case 7:
            let count = Int.random(in: 0...3, using: &generator)
            return joined((0..<count).map { _ in value(depth: depth + 1) }, "[", "]")
        default:
            let text = pick(["null", "true", "-1.5e3", #""""#, #""email: secret""#, #""\"email\":\"secret\"""#, "7"])
            return (text, text)
        }
    }

    private mutating func joined(_ parts: [Text], _ start: String, _ end: String) -> Text {
        let space = pick(["", " ", "\r\n"])
        func joined(_ part: (Text) -> String) -> String {
            start + space + parts.map(part).joined(separator: space + "," + space) + space + end
        }
        return (joined(\.sent), joined(\.expected))
    }

    private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }
}
