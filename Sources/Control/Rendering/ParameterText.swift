import JSON
package import Model

/// A member of a payload as text: `name=value`.
package struct ParameterText: Sendable, Equatable {
    /// The key, for looking up its definition.
    package let key: String
    /// Its path in the payload.
    package let place: String
    /// Whether it is in the object with the event's parameters, and not in the payload itself.
    package let isInObject: Bool
    /// The text, safe to be shown.
    package let name: String
    package let value: String

    /// Returns the members of a payload, in their order; `nil` if it is not an object.
    /// - Parameters:
    ///   - object: the place of the object with the event's parameters. Its members follow those beside it.
    ///   - isIncluded: says of a member's key, its place, and whether it is in that object, whether it is returned.
    package static func list(
        _ payload: [UInt8], in object: MemberPath? = nil,
        where isIncluded: (_ key: String, _ place: String, _ isInObject: Bool) -> Bool = { _, _, _ in true }
    ) -> [ParameterText]? {
        guard var members = members(of: payload) else { return nil }
        var outer: [ParameterText] = []
        var (json, place) = (payload, "")
        for step in object?.steps ?? [] {
            let next = members.lastIndex { JSONScanner.text(of: json, in: $0.key).utf8.elementsEqual(step.utf8) }
            guard let next else { break }
            let value = Array(json[members[next].value])
            guard let inner = self.members(of: value) else { break }
            members.remove(at: next)
            outer += members.compactMap { ParameterText($0, of: json, at: place, isInObject: false, where: isIncluded) }
            (members, json, place) = (inner, value, "\(place)\(step).")
        }
        let isInObject = object.map { place.utf8.elementsEqual("\($0).".utf8) } ?? false
        return outer
            + members.compactMap {
                ParameterText($0, of: json, at: place, isInObject: isInObject, where: isIncluded)
            }
    }

    private static func members(of object: [UInt8]) -> [JSONMember]? {
        try? JSONScanner.members(of: object, limits: JSONLimits(maximumDepth: 1024))
    }

    private init?(
        _ member: JSONMember, of payload: [UInt8], at place: String, isInObject: Bool,
        where isIncluded: (_ key: String, _ place: String, _ isInObject: Bool) -> Bool
    ) {
        key = JSONScanner.text(of: payload, in: member.key)
        self.place = place.isEmpty ? key : place + key
        self.isInObject = isInObject
        guard isIncluded(key, self.place, isInObject) else { return nil }
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
        let needsEscapes = text.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }
        let escaped = needsEscapes ? text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") : text
        return "\"\(SafeText.neutralised(escaped))\""
    }

    private static func isUnambiguous(_ text: String) -> Bool {
        guard let first = text.utf8.first, isWord(text), text != "true", text != "false", text != "null" else {
            return false
        }
        // A string that looks like a number keeps its quotes: it is a common mistake for `bigint` parameters.
        return !mayBeginNumber(first) || !text.utf8.allSatisfy(isInNumber)
    }

    private static func isWord(_ text: String) -> Bool {
        // Looking up properties of Unicode takes long. The last white space is the ideographic space, U+3000.
        var bytes = text
        guard bytes.withUTF8({ $0.allSatisfy { $0 >= 0x80 || isInWord($0) } }) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                || (scalar.value > 0x3000 || !scalar.properties.isWhitespace) && !SafeText.isUnsafe(scalar)
        }
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "="), UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    private static func mayBeginNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func isInNumber(_ byte: UInt8) -> Bool {
        mayBeginNumber(byte) || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
    }
}
