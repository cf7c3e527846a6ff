import JSON
import Model

/// A member of a payload as text: `name=value`.
package struct ParameterText: Sendable, Equatable {
    /// The key, for looking up its definition.
    package let key: String
    /// The text, safe to be shown.
    package let name: String
    package let value: String

    /// Returns the members of a payload, in their order; `nil` if it is not an object.
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
            // Numbers, in particular, are never converted, which might change them.
            value = SafeText.neutralised(String(decoding: payload[member.value], as: UTF8.self))
        }
    }

    /// Returns the text without quotes if it cannot be mistaken for another type.
    static func plain(_ text: String) -> String {
        isUnambiguous(text) ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(SafeText.neutralised(escaped))\""
    }

    private static func isUnambiguous(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !["true", "false", "null"].contains(text) else { return false }
        // A string that looks like a number keeps its quotes: it is a common mistake for `bigint` parameters.
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
        // Most characters are ASCII, and looking up properties of Unicode takes long.
        case "!"..."~": true
        default: !scalar.properties.isWhitespace && !SafeText.isUnsafe(scalar)
        }
    }
}
