import JSON
import Model

/// One payload key and its value as a person reads them: `name=value`.
package struct ParameterText: Sendable, Equatable {
    /// The key itself, to look up what the dictionary says of it.
    package let key: String
    /// Fit to be shown.
    package let name: String
    package let value: String

    /// The members of a payload, in their order; `nil` when it is not an object.
    package static func list(_ payload: [UInt8]) -> [ParameterText]? {
        guard let members = try? JSONScanner.members(of: payload, limits: JSONLimits(maximumDepth: 1024)) else {
            return nil
        }
        return members.map { ParameterText($0, of: payload) }
    }

    private init(_ member: JSONMember, of payload: [UInt8]) {
        key = JSONScanner.text(of: payload, in: member.key)
        name = Self.plain(key)
        if case .string = member.kind {
            value = Self.plain(JSONScanner.text(of: payload, in: member.content))
        } else {
            // Numbers above all: never through a type that might change them.
            value = SafeText.neutralised(String(decoding: payload[member.value], as: UTF8.self))
        }
    }

    /// The text without quotes where nobody could take it for anything else.
    static func plain(_ text: String) -> String {
        isUnambiguous(text) ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(SafeText.neutralised(escaped))\""
    }

    private static func isUnambiguous(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !["true", "false", "null"].contains(text) else { return false }
        // A string that looks like a number is just what a `bigint` parameter is wrongly sent as.
        if ("0"..."9").contains(first) || "-+.{[".unicodeScalars.contains(first) { return looksUnlikeANumber(text) }
        return text.unicodeScalars.allSatisfy(isWordLike)
    }

    private static func looksUnlikeANumber(_ text: String) -> Bool {
        guard text.unicodeScalars.allSatisfy(isWordLike) else { return false }
        return !text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
        }
    }

    private static func isWordLike(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "=", "\\", "{", "}", "[", "]": false
        // Most are these, and Unicode's properties are searched for each.
        case "!"..."~": true
        default: !scalar.properties.isWhitespace && !SafeText.isUnsafe(scalar)
        }
    }
}
