import Model
import Predicates

/// A wrong query parameter, and what it should be.
package struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
    package var parameter: String
    /// A sentence without its subject, which is the parameter.
    package var description: String
    /// Whether the value is well-formed, but conflicts with the other parameters or names something that does not
    /// exist.
    package var isUnprocessable: Bool

    package init(parameter: String, description: String, isUnprocessable: Bool = false) {
        self.parameter = parameter
        self.description = description
        self.isUnprocessable = isUnprocessable
    }
}

enum QueryItems {
    /// Returns the names of all parameters, known or not.
    static func names(_ urlQuery: String?) -> [String] {
        (urlQuery ?? "").split(separator: "&").compactMap { item in
            percentDecoded((item.parts(at: "=")?.before ?? item), plusIsSpace: true)
        }
    }

    /// Returns the parameters in the part of a URL after the `?`, percent-decoded. `+` means a space, as most HTTP
    /// libraries write it.
    /// - Parameter lists: the names that may be repeated.
    static func parse(
        _ urlQuery: String?, names: [String], lists: Set<ExactString>
    ) throws(QueryError) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        for item in (urlQuery ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = percentDecoded(parts[0], plusIsSpace: true), names.contains(name) else {
                throw QueryError(
                    parameter: String(parts[0]),
                    description: "does not exist; the parameters are \(names.joined(separator: ", "))")
            }
            guard parts.count == 2, let value = percentDecoded(parts[1], plusIsSpace: true) else {
                throw QueryError(parameter: name, description: "needs a value: percent-encoded UTF-8 after a =")
            }
            guard lists.contains(name) || !items.contains(where: { $0.name == name }) else {
                throw QueryError(parameter: name, description: "may be given only once")
            }
            items.append((name, value))
        }
        return items
    }

    /// The parameters of filters that may be repeated.
    static let lists = Set(exact: FilterParameter.allCases.filter(\.isList).map(\.name))

    // MARK: values

    /// Returns a value that was read from a parameter.
    /// - Parameters:
    ///   - value: `nil` if the text of the parameter is wrong.
    ///   - allowed: what it must be.
    static func checked<Value>(_ value: Value?, of name: String, _ allowed: String) throws(QueryError) -> Value {
        guard let value else { throw QueryError(parameter: name, description: "must be \(allowed)") }
        return value
    }

    /// Returns a text that is not empty.
    static func text(_ text: String, of name: String, _ allowed: String) throws(QueryError) -> String {
        try checked(text.isEmpty ? nil : text, of: name, allowed)
    }

    static func flag(_ text: String, of name: String) throws(QueryError) -> Bool {
        try checked(text == "true" ? true : text == "false" ? false : nil, of: name, "true or false")
    }

    static func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ text: String, of name: String
    ) throws(QueryError) -> Value {
        let names = Value.allCases.map(\.rawValue)
        let allowed = names.count == 2 ? "\(names[0]) or \(names[1])" : "one of \(names.joined(separator: ", "))"
        return try checked(Value(rawValue: text), of: name, allowed)
    }

    static func number<Number: FixedWidthInteger>(
        _ text: String, of name: String, in range: ClosedRange<Number>
    ) throws(QueryError) -> Number {
        try checked(
            number(text, in: range), of: name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }

    /// Reads a number in decimal digits, without a sign.
    static func number<Number: FixedWidthInteger>(_ text: String, in range: ClosedRange<Number>) -> Number? {
        guard isNumber(text), let number = Number(text), range.contains(number) else { return nil }
        return number
    }

    /// Whether the text consists of decimal digits.
    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
    }

    static func time(_ text: String, of name: String) throws(QueryError) -> UInt64 {
        try checked(
            time(text), of: name, "a time such as 2026-11-21T01:00:00Z (RFC 3339), or microseconds since 1970")
    }

    /// - Returns: microseconds since 1970; `nil` if the text is neither RFC 3339 nor such a number.
    static func time(_ text: String) -> UInt64? {
        // The schema has 19 digits.
        if isNumber(text) { return number(text, in: 0...9_999_999_999_999_999_999) }
        if let time = WireTime(text) { return time.microseconds }
        // The "+" of an offset that was not percent-encoded has become a space. No other space is possible near the
        // end.
        guard let space = text.lastIndex(of: " ") else { return nil }
        return WireTime("\(text[..<space])+\(Substring(text.utf8[space...].dropFirst()))")?.microseconds
    }
}
