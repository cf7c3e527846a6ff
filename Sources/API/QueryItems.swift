import Model

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
    static func parse<Query>(
        _ urlQuery: String?, _ fields: [QueryField<Query>]
    ) throws(QueryError) -> [(field: QueryField<Query>, value: String)] {
        var items: [(field: QueryField<Query>, value: String)] = []
        for item in (urlQuery ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = percentDecoded(parts[0], plusIsSpace: true),
                let field = fields.first(where: { $0.name == name })
            else {
                throw QueryError(
                    parameter: String(parts[0]),
                    description: "does not exist; the parameters are \(fields.map(\.name).joined(separator: ", "))")
            }
            guard parts.count == 2, let value = percentDecoded(parts[1], plusIsSpace: true) else {
                throw QueryError(parameter: name, description: "needs a value: percent-encoded UTF-8 after a =")
            }
            guard field.isList || !items.contains(where: { $0.field.name == name }) else {
                throw QueryError(parameter: name, description: "may be given only once")
            }
            items.append((field, value))
        }
        return items
    }

    // MARK: values

    /// Reads a number in decimal digits, without a sign.
    static func number<Number: FixedWidthInteger>(_ text: String, in range: ClosedRange<Number>) -> Number? {
        guard isNumber(text), let number = Number(text), range.contains(number) else { return nil }
        return number
    }

    /// Whether the text consists of decimal digits.
    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
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
