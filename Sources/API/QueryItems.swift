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

    static let allowedTimes =
        "a time such as 2026-11-21T01:00:00Z (RFC 3339), or microseconds since 1970"

    /// - Returns: microseconds since 1970; `nil` if the text is not one of `allowedTimes`.
    static func time(_ text: String) -> UInt64? {
        if isNumber(text) { return UInt64(text) }
        if let time = WireTime(text) { return time.microseconds }
        // The "+" of an offset that was not percent-encoded has become a space. No other space is possible near the
        // end.
        guard let space = text.lastIndex(of: " ") else { return nil }
        return WireTime("\(text[..<space])+\(Substring(text.utf8[space...].dropFirst()))")?.microseconds
    }

    /// - Parameter name: that of the parameter with the value.
    static func flag(_ text: String, of name: String) throws(QueryError) -> Bool {
        switch text {
        case "true": true
        case "false": false
        default: throw QueryError(parameter: name, description: "must be true or false")
        }
    }

    /// Whether the text consists of decimal digits.
    static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Reads a number in decimal digits, without a sign.
    static func number(_ text: String, in range: ClosedRange<Int64>) -> Int64? {
        guard isNumber(text) else { return nil }
        return Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
