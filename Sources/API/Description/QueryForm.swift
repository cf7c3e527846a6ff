import Model

/// How a value is written in a URL.
package struct QueryForm<Value: Sendable>: Sendable {
    /// The schema in the OpenAPI document, as strict as `read`.
    package let schema: @Sendable () -> DocumentNode
    /// What errors say that a value must be.
    private let allowed: @Sendable () -> String
    /// Returns `nil` for a text that is no such value.
    package let read: @Sendable (String) -> Value?
    let write: @Sendable (Value) -> String

    init(
        schema: @autoclosure @escaping @Sendable () -> DocumentNode,
        allowed: @autoclosure @escaping @Sendable () -> String,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        (self.schema, self.allowed) = (schema, allowed)
        (self.read, self.write) = (read, write)
    }

    /// - Throws: `QueryError` if the text of the parameter is no such value.
    func value(_ text: String, of name: String) throws(QueryError) -> Value {
        guard let value = read(text) else { throw QueryError(parameter: name, description: "must be \(allowed())") }
        return value
    }
}

extension QueryForm<String> {
    /// Any text. What it means is found out later: `schema` may be stricter.
    static func any(_ schema: @autoclosure @escaping @Sendable () -> DocumentNode = ["type": "string"]) -> Self {
        Self(schema: schema(), allowed: "a text", read: { $0 }, write: { $0 })
    }

    /// A text that is not empty.
    static func text(_ allowed: String) -> Self {
        Self(
            schema: ["type": "string", "minLength": 1], allowed: allowed, read: { $0.isEmpty ? nil : $0 },
            write: { $0 })
    }
}

extension QueryForm<Bool> {
    static var flag: Self {
        Self(
            schema: .choice(["true", "false"]), allowed: "true or false",
            read: { $0 == "true" ? true : $0 == "false" ? false : nil }, write: { $0 ? "true" : "false" })
    }
}

extension QueryForm where Value: CaseIterable & RawRepresentable<String> {
    static var choice: Self {
        Self(
            schema: .choice(Value.allCases.map(\.rawValue)), allowed: oneOf(Value.allCases.map(\.rawValue)),
            read: { Value(rawValue: $0) }, write: { $0.rawValue })
    }

    private static func oneOf(_ names: [String]) -> String {
        names.count == 2 ? "\(names[0]) or \(names[1])" : "one of \(names.joined(separator: ", "))"
    }
}

extension QueryForm where Value: FixedWidthInteger {
    /// A number in decimal digits, without a sign.
    package static func number(_ range: ClosedRange<Value>, _ allowed: String? = nil) -> Self {
        Self(
            schema: [
                "type": "integer", "format": "int64", "minimum": .number(Int(range.lowerBound)),
                "maximum": .number(Int(range.upperBound)),
            ], allowed: allowed ?? "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { QueryItems.number($0, in: range) }, write: { String($0) })
    }
}

extension QueryForm {
    /// A number from 0, or `all`, which is `nil`.
    static func numberOrAll<Number: FixedWidthInteger & Sendable>(_ most: Number) -> Self where Value == Number? {
        Self(
            // The largest number of so many digits.
            schema: .pattern("^(all|[0-9]{1,\(String(most).count)})$"), allowed: "a number from 0 to \(most), or all",
            read: { text in text == "all" ? .some(nil) : QueryItems.number(text, in: 0...most).map { .some($0) } },
            write: { $0.map { String($0) } ?? "all" })
    }
}

extension QueryForm<UInt64> {
    /// RFC 3339, or microseconds since 1970.
    static var time: Self {
        Self(
            schema: timeSchema, allowed: "a time such as 2026-11-21T01:00:00Z (RFC 3339), or microseconds since 1970",
            read: { QueryItems.time($0) }, write: { String($0) })
    }

    /// Times of the years 1971 to 9999. In 1970 an offset may lead to a time before the first microsecond.
    private static var timeSchema: DocumentNode {
        let year = "(197[1-9]|19[89][0-9]|[2-9][0-9]{3})"
        let leapYear = "(19(7[26]|8[048]|9[26])|[2-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00)"
        let days = """
            (\(year)-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|\
            02-(0[1-9]|1[0-9]|2[0-8]))|\(leapYear)-02-29)
            """
        let time = "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?"
        let offset = "([Zz]|[-+ ]([01][0-9]|2[0-3]):[0-5][0-9])"
        return .pattern("^([0-9]{1,19}|\(days)[Tt ]\(time)\(offset))$")
    }
}

/// Schemas of texts.
extension DocumentNode {
    static func choice(_ values: [String]) -> Self { ["type": "string", "enum": .list(values.map(Self.text))] }

    static func pattern(_ pattern: String) -> Self { ["type": "string", "pattern": .text(pattern)] }
}
