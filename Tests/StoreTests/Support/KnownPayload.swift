import Model
import TestSupport

/// A JSON object whose parameters the test knows without parsing it.
struct KnownPayload {
    /// A parameter: its name, with dots after the names of the objects that it is nested in, and the text of a string
    /// or the JSON text of any other value.
    struct Parameter: Sendable {
        var name: String
        var value: String
    }

    /// Parameters by the bytes of the payload. Other payloads are not objects.
    typealias Parameters = [[UInt8]: [Parameter]]

    private let text: String
    let parameters: [Parameter]

    var bytes: [UInt8] { Array(text.utf8) }

    private typealias Spelling = (meaning: String, written: String)

    private static let keys: [Spelling] = [
        ("user", "user"), ("device", "device"), ("model", "model"), ("device.model", "device.model"), ("a.b", "a.b"),
        ("a", "a"), ("b", #"\u0062"#), ("é", "é"), ("é", #"\u00e9"#), ("say \"x\"", #"say \"x\""#),
    ]
    private static let strings: [Spelling] = [
        ("", ""), ("x", "x"), ("17", "17"), ("é", "é"), ("é", #"\u00E9"#), ("a\"b", #"a\"b"#), ("a\\\"b", #"a\\\"b"#),
        ("null", "null"), ("肉じゃが", "肉じゃが"), ("/", #"\/"#), ("{", "{"),
    ]
    private static let others = [
        "17", "-0", "1.0", "1", "null", "true", "[]", #"[1, "a\"b"]"#, "9223372036854775808", #"[{"user":"17"}]"#,
    ]

    /// - Parameter parameters: the values by the names of the parameters.
    init(_ text: String, parameters: KeyValuePairs<String, String>) {
        self.init(text, parameters.map { Parameter(name: $0, value: $1) })
    }

    private init(_ text: String, _ parameters: [Parameter]) { (self.text, self.parameters) = (text, parameters) }

    static func random(_ random: inout SeededGenerator) -> KnownPayload {
        let object = object(depth: 1, &random)
        return KnownPayload(object.text, object.parameters.filter { $0.name != "" })
    }

    private static func object(depth: Int, _ random: inout SeededGenerator) -> KnownPayload {
        var picked = Array(keys.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
        if Int.random(in: 0..<10, using: &random) == 0, let key = picked.first { picked.append(key) }
        let space = [",", ", ", " ,\t"].randomElement(using: &random) ?? ","
        // If a key occurs twice, the last one counts.
        var (members, parameters) = ([String](), [(key: String, parameters: [Parameter])]())
        for key in picked {
            let value = value(depth: depth, &random)
            members.append(#""\#(key.written)":\#(value.text)"#)
            parameters.removeAll { $0.key == key.meaning }
            parameters.append((key.meaning, value.parameters.map { $0.within(key.meaning) }))
        }
        let text = "{\(members.joined(separator: space))}"
        return KnownPayload(text, [Parameter(name: "", value: text)] + parameters.flatMap(\.parameters))
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> KnownPayload {
        switch Int.random(in: 0..<(depth < 3 ? 8 : 6), using: &random) {
        case 0...2:
            let (meaning, written) = strings.randomElement(using: &random) ?? ("", "")
            return KnownPayload("\"\(written)\"", [Parameter(name: "", value: meaning)])
        case 3:
            let number = String(Int.random(in: 0..<400, using: &random))
            return KnownPayload(number, [Parameter(name: "", value: number)])
        case 4, 5:
            let text = others.randomElement(using: &random) ?? ""
            return KnownPayload(text, [Parameter(name: "", value: text)])
        default: return object(depth: depth + 1, &random)
        }
    }
}

extension KnownPayload.Parameter {
    fileprivate func within(_ key: String) -> Self { Self(name: name == "" ? key : key + "." + name, value: value) }
}
