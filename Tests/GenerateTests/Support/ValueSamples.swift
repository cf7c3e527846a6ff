import Model

/// JSON values for parameters, members and elements.
enum ValueSamples {
    typealias Change = PayloadSamples.Payload

    /// The most bytes and elements where the definition says no number.
    private static let manyBytes = 100
    private static let manyElements = 3

    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\(quoted($0.name)):\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Returns the parameters with a value that fits.
    static func members(_ parameters: [Parameter]) -> [(name: String, value: String)] {
        parameters.map { ($0.name, fitting($0)) }
    }

    private static func fitting(_ parameter: Parameter) -> String {
        let values = parameter.listedValues
        switch parameter.type.checked {
        case .array(let element, _, let maximum):
            let count = min(maximum ?? manyElements, manyElements)
            return array(Array(repeating: fitting(Parameter(name: "", type: element)), count: count))
        case .custom(_, .object(let object)?): return Self.object(members(object.members.filter(\.isRequired)))
        case .any: return "{\"any\":[null]}"
        case .string, .custom: return quoted(values?[0] ?? "x")
        case .boolean: return values?[0] ?? "true"
        case .date: return "\"2026-11-21\""
        case .timestamp, .timestamptz: return "\"2026-11-21T08:15:00Z\""
        default: return values?[0] ?? "1"
        }
    }

    private static func array(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

    /// Returns what a value may become, and what it cannot: itself, or one place within it. An empty text removes it.
    static func changes(of parameter: Parameter, tried: inout Set<String>) -> [Change] {
        var changes = [Change(text: "", changed: parameter)]
        changes += values(for: parameter).map { Change(text: $0, changed: parameter, value: $0) }
        switch parameter.type.checked {
        case .custom(let name, .object(let object)?): changes += self.changes(in: object, named: name.text, &tried)
        case .array(let element, let allowsNull, let maximum):
            let element = Parameter(name: "", type: element, isOptional: allowsNull)
            changes += self.changes(inArrayOf: element, maximum, &tried)
        default: break
        }
        return changes
    }

    private static func changes(in object: ObjectType, named name: String, _ tried: inout Set<String>) -> [Change] {
        let base = members(object.members.filter(\.isRequired))
        let full = members(object.members)
        let others = [
            full, base + [("unknown", "1")], base + [("unknown", "null")], full + [("", "{}")],
            base + [("log_id", "1")],
            base + [("event_name", "\"show\"")],
        ]
        var changes = others.map { Change(text: Self.object($0)) }
        for member in object.members where tried.insert("\(name).\(member.name)").inserted {
            let others = base.filter { $0.name != member.name }
            for change in self.changes(of: member, tried: &tried) {
                let changed = change.text.isEmpty ? [] : [(member.name, change.text)]
                changes.append(
                    Change(text: Self.object(others + changed), changed: change.changed, value: change.value))
            }
        }
        return changes
    }

    private static func changes(
        inArrayOf element: Parameter, _ maximum: Int?, _ tried: inout Set<String>
    ) -> [Change] {
        let fitting = fitting(element)
        let count = maximum ?? manyElements
        var changes = [0, count, count + 1].map { Change(text: array(Array(repeating: fitting, count: $0))) }
        changes += [["null"], [fitting, "null"]].map { Change(text: array($0)) }
        for change in self.changes(of: element, tried: &tried) where !change.text.isEmpty {
            changes.append(Change(text: array([change.text]), changed: change.changed, value: change.value))
        }
        return changes
    }

    /// The same for every type, and the listed values, and texts around the length.
    private static func values(for parameter: Parameter) -> [String] {
        let listed = (parameter.allowedValues ?? []) + (parameter.type.listedValues ?? [])
        var bytes = manyBytes
        if case .string(let maximum?) = parameter.type.checked { bytes = maximum }
        let long = [
            String(repeating: "x", count: bytes), String(repeating: "x", count: bytes + 1),
            String(repeating: "\u{3042}", count: bytes / 3), String(repeating: "\u{3042}", count: bytes / 3 + 1),
            String(repeating: "\u{3042}", count: bytes),
        ]
        return anything + numbersByValue + long.map(quoted) + listed.map(quoted)
            + listed.filter { $0 != "" && Int($0) != nil }
    }

    /// Returns a value that fits, except for a few; in objects and arrays, each within them alike.
    static func random(_ parameter: Parameter, using generator: inout some RandomNumberGenerator) -> String {
        func chance(_ count: Int) -> Bool { .random(in: 0..<count, using: &generator) == 0 }
        if chance(25) { return anything.randomElement(using: &generator) ?? "" }
        if parameter.isOptional, chance(10) { return "null" }
        switch parameter.type.checked {
        case .array(let element, let allowsNull, let maximum):
            let most = maximum ?? manyElements
            let count = chance(15) ? most + 1 : .random(in: 0...most, using: &generator)
            let element = Parameter(name: "", type: element, isOptional: allowsNull)
            return array((0..<count).map { _ in random(element, using: &generator) })
        case .custom(_, .object(let object)?):
            var members: [(name: String, value: String)] = []
            for member in object.members where member.isRequired ? !chance(20) : !chance(3) {
                members.append((member.name, random(member, using: &generator)))
            }
            if chance(20) { members.append(("unknown", "1")) }
            return Self.object(members)
        case .any: return anything.randomElement(using: &generator) ?? ""
        default:
            let listed = (parameter.listedValues ?? []).map(quoted)
            return chance(3) ? listed.randomElement(using: &generator) ?? fitting(parameter) : fitting(parameter)
        }
    }

    private static let anything = [
        "null", "true", "false", "0", "1", "-1", "32767", "32768", "-32768", "-32769", "2147483647", "2147483648",
        "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "123456789012345678901234567890", "1.5", "3.4028234e38", "3.5e38", "-3.5e38",
        "1.7976931348623157e308", "1e400", "-1e400", #""""#, #""1""#, #""true""#, #""null""#, #""x\u0000y""#,
        #""\u3042""#, #""2026-11-21""#, #""2026-02-30""#, #""2026-11-21 08:15:00+09""#, #""now""#, "[]", "[1,[2]]",
        "[{}]", "{}", #"{"a":1}"#, #"[null]"#,
    ]

    /// Numbers of which JSON Schema compares the value, and Gloss the text.
    private static let numbersByValue = ["-0", "1.0", "1e3", "-0.0", "1e-400"]
}
