import Model

/// Payloads for one event: one that keeps to its definition, and everything that differs from it in one place.
struct PayloadSamples {
    struct Payload {
        var text: String
        /// The parameter that is not as it was.
        var changed: Parameter?
        /// What it has become, as JSON.
        var value: String?
    }

    private let key: EventKey
    private let parameters: [Parameter]
    /// Those that are changed one by one.
    private let tried: [Parameter]

    /// - Parameter tried: names of parameters that need no trying any more; those of this event are added.
    init(
        _ definition: Definition, of category: DefinitionCategory, in dictionary: EventDictionary,
        tried: inout Set<String>
    ) {
        key = definition.key
        parameters = definition.parameters + category.parameters + dictionary.common
        self.tried = parameters.filter { tried.insert("\($0.name) \($0.type) \($0.isOptional)").inserted }
    }

    var all: [Payload] {
        let base = parameters.filter { !$0.isOptional && !$0.isObsolete }.map { ($0.name, Self.fitting($0)) }
        let full = parameters.map { ($0.name, Self.fitting($0)) }
        var payloads = [Payload(text: text(base)), Payload(text: text(full))]
        payloads.append(Payload(text: text(base + [("unknown", "1")])))
        payloads.append(Payload(text: text(base + [("unknown", "null")])))
        payloads.append(Payload(text: text(base, name: "no_such_event")))
        payloads.append(Payload(text: text(base, name: nil)))
        payloads.append(Payload(text: "[\(text(base))]"))
        for parameter in tried {
            let others = base.filter { $0.0 != parameter.name }
            payloads.append(Payload(text: text(others), changed: parameter))
            for value in Self.values(for: parameter) {
                payloads.append(
                    Payload(text: text(others + [(parameter.name, value)]), changed: parameter, value: value))
            }
        }
        return payloads
    }

    private func text(_ members: [(String, String)], name: String?) -> String {
        func literal(_ text: String) -> String {
            "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        let names = [("event_category", literal(key.category))] + (name.map { [("event_name", literal($0))] } ?? [])
        return "{" + (names + members).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private func text(_ members: [(String, String)]) -> String { text(members, name: key.name) }

    private static func fitting(_ parameter: Parameter) -> String {
        let values = parameter.allowedValues
        switch parameter.type.checkedAs {
        case .custom(_, .values(let ofType)?): return quoted(values?[0] ?? ofType[0].text)
        case .string, .custom: return quoted(values?[0] ?? "x")
        case .boolean: return values?[0] ?? "true"
        case .date: return "\"2026-11-21\""
        case .timestamp, .timestamptz: return "\"2026-11-21T08:15:00Z\""
        default: return values?[0] ?? "1"
        }
    }

    /// The same for every type, and the listed values, and texts around the length.
    private static func values(for parameter: Parameter) -> [String] {
        var listed = parameter.allowedValues ?? []
        if case .custom(_, .values(let values)?) = parameter.type { listed += values.map(\.text) }
        let bytes = parameter.maximumBytes ?? 100
        let long = [
            String(repeating: "x", count: bytes), String(repeating: "x", count: bytes + 1),
            String(repeating: "\u{3042}", count: bytes / 3), String(repeating: "\u{3042}", count: bytes / 3 + 1),
            String(repeating: "\u{3042}", count: bytes),
        ]
        return anything + long.map(quoted) + listed.map(quoted) + listed.filter { $0 != "" && Int($0) != nil }
    }

    private static let anything = [
        "null", "true", "false", "0", "-0", "1", "-1", "32767", "32768", "-32768", "-32769", "2147483647", "2147483648",
        "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "123456789012345678901234567890", "1.5", "1.0", "1e3", "-0.0", "3.4028234e38", "3.5e38",
        "-3.5e38", "1e-400", "1.7976931348623157e308", "1e400", "-1e400", #""""#, #""1""#, #""true""#, #""null""#,
        #""x\u0000y""#, #""\u3042""#, #""2026-11-21""#, #""2026-02-30""#, #""2026-11-21 08:15:00+09""#, #""now""#, "[]",
        "[1,[2]]", "[{}]", "{}", #"{"a":1}"#,
    ]

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension ParameterType {
    /// What the settings say that a custom type is.
    var checkedAs: ParameterType {
        if case .custom(_, .same(let other)?) = self { other } else { self }
    }

    var isWhole: Bool { checkedAs == .smallint || checkedAs == .integer || checkedAs == .bigint }
}
