import Definitions
import JSON
import Model
import Resolve
import TestSupport
import Testing

/// Random texts with objects and pairs in them, some of which have private values.
struct TextFuzzTests {
    private static let secret = "hanako42"
    private static let pieces = [
        "{", "}", "[", "]", "(", ")", "<", ">", "\"", "\\", "\\\"", "=", ",", ";", ":", " ", " ", "  ", "\n", "a=1",
        " n=2",
        "email", "email=", "email: ", "email=\"", "夕食", "x", "INFO ", "fast", "a=\"x y\" ", "b=<c>", secret,
        "=\(secret)",
        "\"\(secret)\"", " email=\(secret) ", #"{"n":1}"#, #"{"email":"\#(secret)","n":2}"#,
        #"{"a":{"email":["\#(secret)"]}}"#,
        #"{"e\u006dail":"\#(secret)"}"#, "\u{0}", "7", "email= ", "(email=", ": ", "= ",
        #" device={"email":"\#(secret)","n":[1]} "#, #" device="{\"email\":\"\#(secret)\"}" "#,
        #"email=[{"a":"\#(secret)"}]"#, "email=\"\(secret) yamada7\" ", "\(secret) yamada7 ", " yamada7 ",
        " email='\(secret) yamada7' ", " email=\(secret) yamada7 ", " email=User(a=\(secret) b=yamada7) ", " -> ",
        " => ",
        " my-", "'", "user[email]=", #" {"email":{"\#(secret)":1}} "#, #"{"email":"\u0068anako42"}"#, " email=- ",
        " rhost= ",
        "email.x=", #"{"email":"\#(secret) yamada7"}"#, "email[0]=", " email=b'\(secret) a=yamada7' ",
        " email=“\(secret) a=yamada7” ", " email=/ ", " email=a=\(secret),b=yamada7 ", "/?email= ", "{w-1} ",
        #"{"a \q": 1} "#,
        #"{"email":["\#(secret) yamada7","yamada7 \#(secret)"]}"#, #" dir="C:\" "#,
    ]

    private static func resolver(_ format: PayloadFormat, _ mode: PrivacyMode) throws -> Resolver {
        var options = DictionaryOptions(name: "shop", path: "definitions")
        options.layoutOfSource = [
            "program": PayloadLayout(category: .fixed("a"), name: .fixed("event"), format: format)
        ]
        let text =
            "## event\n\nextra parameters: allowed\n\n- n: !integer?\n- device: Device?\n- email: !string?\n    - privacy: private\n"
        let type = "## Device\n\nextra parameters: allowed\n\n- n: !any?\n"
        let dictionary = try DictionaryParser.parse(
            [
                DefinitionFile(name: "a.md", bytes: Array(text.utf8)),
                DefinitionFile(name: "types/device.md", bytes: Array(type.utf8)),
            ], options: options
        ).dictionary
        return Resolver(dictionaries: [dictionary], protection: Protection(mode: mode, key: [1]))
    }

    private func stored(_ text: [UInt8], _ resolver: inout Resolver) -> Event {
        let outcome = text.withUnsafeBytes { resolver.resolve($0, from: .sample(source: "program")) }
        return Event(
            id: 1, origin: .sample(source: "program"), level: .info, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: outcome.resolution, kind: outcome.kind,
            findings: outcome.findings, payload: outcome.payload ?? text, text: outcome.text)
    }

    /// The strings in an object: those that are private, and all others with the names of members.
    private struct Strings {
        var hidden: Set<String> = []
        var shown: Set<String> = []

        init(_ object: [UInt8], in range: Range<Int>? = nil, isHidden: Bool = false) throws {
            for member in try JSONScanner.members(of: object, in: range) {
                let name = JSONScanner.text(of: object, in: member.key)
                // A word between pairs.
                if member.kind != .true, !isHidden { shown.insert(name) }
                if isHidden { hidden.insert(name) }
                try add(object, member.value, member.kind, isHidden: isHidden || name == "email")
            }
        }

        private mutating func add(_ bytes: [UInt8], _ value: Range<Int>, _ kind: JSONKind, isHidden: Bool) throws {
            switch kind {
            case .object:
                let inner = try Strings(bytes, in: value, isHidden: isHidden)
                hidden.formUnion(inner.hidden)
                shown.formUnion(inner.shown)
            case .array:
                for element in try JSONScanner.elements(of: bytes, in: value) {
                    try add(bytes, element.value, element.kind, isHidden: isHidden)
                }
            case .string:
                let text = JSONScanner.text(of: bytes, in: value.lowerBound + 1..<value.upperBound - 1)
                if isHidden { hidden.insert(text) } else { shown.insert(text) }
            case .number, .true, .false, .null: break
            }
        }

        /// The private texts that are in nothing public: of pairs, every word of them.
        func secrets(_ format: PayloadFormat) -> Set<String> {
            let texts =
                format.hasPairs
                ? Set(hidden.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) }) : hidden
            return texts.filter { secret in
                (secret.contains(TextFuzzTests.secret) || secret.contains("yamada7"))
                    && secret.allSatisfy { $0.isLetter || $0.isNumber || $0 == " " }
                    && !shown.contains { $0.contains(secret) }
            }
        }
    }

    @Test(arguments: PayloadFormat.allCases)
    func `no text stops the resolver, loses a byte or keeps a private value`(format: PayloadFormat) throws {
        var (protect, reveal) = (try Self.resolver(format, .protect), try Self.resolver(format, .reveal))
        var (withText, hidden) = (0, 0)
        for seed in FuzzBudget.seeds(4000) {
            var random = SeededGenerator(seed: seed)
            let text = Array(
                (0..<random.next() % 12).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined().utf8)
            let shown = stored(text, &reveal)
            #expect(shown.message == text, "seed \(seed)")
            let kept = stored(text, &protect)
            if !text.contains(where: { "\"'{".utf8.contains($0) }) {
                // Without quotes and objects, what follows the name is private, except within another pair.
                for bytes in [kept.payload, kept.message] {
                    let shown = String(decoding: bytes, as: UTF8.self)
                    let value = /(^|[ \n])\(?email[ \n]*[:=][ \n]*hanako[^ \n=]*($|[ \n])/
                    #expect(!shown.contains(value), "seed \(seed): \(shown)")
                }
            }
            guard kept.resolution.hasPayload else { continue }
            #expect((try? JSONScanner.members(of: kept.payload)) != nil, "seed \(seed)")
            withText += kept.text == nil ? 0 : 1
            for secret in try Strings(shown.payload).secrets(format) {
                hidden += 1
                for bytes in [kept.payload, kept.message] {
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(!text.contains(secret), "seed \(seed): \(text)")
                }
            }
            #expect(
                protect.redacted(kept) == nil,
                "seed \(seed): \(String(decoding: text, as: UTF8.self)) => \(String(decoding: kept.message, as: UTF8.self))"
            )
            let again = protect.reprocess(kept)
            let shownText = String(decoding: text, as: UTF8.self)
            #expect(again.payload ?? kept.payload == kept.payload, "seed \(seed): \(shownText)")
            #expect(again.text == kept.text && again.resolution == kept.resolution, "seed \(seed)")
        }
        #expect(hidden > 0 && (format == .json) == (withText == 0))
    }
}
