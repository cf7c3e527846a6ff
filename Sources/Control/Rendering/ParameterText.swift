import JSON
import Model

/// A member of a payload as text: `name=value`.
struct ParameterText: Sendable, Equatable {
    private let member: ParameterMember
    /// The text, safe to be shown.
    let value: String

    /// The key, for looking up its definition.
    var key: String { member.key }
    /// Its path in the payload.
    var place: String { member.place }
    /// Whether it is in the object with the event's parameters, and not in the payload itself.
    var isInObject: Bool { member.isInObject }
    /// The name, safe to be shown.
    var name: String { member.name }

    /// Returns the members of a payload, in their order; `nil` if it is not an object.
    /// - Parameters:
    ///   - object: the place of the object with the event's parameters. Its members follow those beside it.
    static func list(_ payload: [UInt8], in object: MemberPath? = nil) -> [ParameterText]? {
        var known = KnownMembers()
        return list(payload, in: object, &known) { _ in true }
    }

    /// - Parameters:
    ///   - known: the members of payloads for which the answers are the same.
    ///   - isIncluded: whether a member is returned.
    static func list(
        _ payload: [UInt8], in object: MemberPath?, _ known: inout KnownMembers,
        where isIncluded: (ParameterMember) -> Bool
    ) -> [ParameterText]? {
        guard var members = members(of: payload) else { return nil }
        var outer: [ParameterText] = []
        var (json, place) = (payload, "")
        known.begin()
        for step in object?.steps ?? [] {
            let next = members.lastIndex { JSONScanner.text(of: json, in: $0.key).utf8.elementsEqual(step.utf8) }
            guard let next else { break }
            let value = Array(json[members[next].value])
            guard let inner = self.members(of: value) else { break }
            members.remove(at: next)
            outer += members.compactMap { member in
                known.member(member, of: json, at: place, isInObject: false, where: isIncluded)
                    .map { ParameterText($0, member, of: json) }
            }
            (members, json, place) = (inner, value, "\(place)\(step).")
        }
        let isInObject = object.map { place.utf8.elementsEqual("\($0).".utf8) } ?? false
        outer.reserveCapacity(outer.count + members.count)
        for member in members {
            guard let shown = known.member(member, of: json, at: place, isInObject: isInObject, where: isIncluded)
            else { continue }
            outer.append(ParameterText(shown, member, of: json))
        }
        return outer
    }

    private static func members(of object: [UInt8]) -> [JSONMember]? {
        try? JSONScanner.members(of: object)
    }

    private init(_ member: ParameterMember, _ json: JSONMember, of payload: [UInt8]) {
        self.member = member
        switch json.kind {
        case .string(hasEscapes: false):
            value = Self.plain(String(decoding: payload[json.content], as: UTF8.self))
        case .string(hasEscapes: true): value = Self.plain(JSONScanner.text(of: payload, in: json.content))
        // Numbers, in particular, are never converted, which might change them.
        default: value = SafeText.neutralised(String(decoding: payload[json.value], as: UTF8.self))
        }
    }

    /// Whether the value is the category or the name.
    func isPart(of key: EventKey) -> Bool {
        [key.category, key.name].contains { value.isExactly(Self.plain($0)) }
    }

    /// Returns the text without quotes if it cannot be mistaken for another type.
    static func plain(_ text: String) -> String {
        isUnambiguous(text) && SafeText.isSafe(text) ? text : "\"\(SafeText.neutralised(escaped(text)))\""
    }

    /// Does the same for a name.
    static func plain(name: String) -> String {
        let safe = SafeText.neutralised(name: escaped(name))
        return isUnambiguous(name) && safe == name ? name : "\"\(safe)\""
    }

    private static func escaped(_ text: String) -> String {
        let needsEscapes = text.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }
        return needsEscapes ? text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") : text
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
            scalar.isASCII || scalar.value > 0x3000 || !scalar.properties.isWhitespace
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

/// What is the same of a member in all payloads.
final class ParameterMember: Sendable, Equatable {
    let key: String
    let place: String
    let isInObject: Bool
    let name: String

    fileprivate init(key: String, in place: String, isInObject: Bool) {
        (self.key, self.place, self.isInObject) = (key, place.isEmpty ? key : place + key, isInObject)
        name = ParameterText.plain(name: key)
    }

    static func == (one: ParameterMember, other: ParameterMember) -> Bool {
        one === other
            || (ExactString(one.place) == ExactString(other.place) && one.isInObject == other.isInObject
                && ExactString(one.key) == ExactString(other.key))
    }
}

/// The members of payloads of one kind, most of which have the same ones in the same order.
struct KnownMembers: Sendable {
    private var known: [(key: [UInt8], place: String, isInObject: Bool, shown: ParameterMember?)] = []
    /// The one that probably comes next.
    private var next = 0

    /// Payloads may have any number of members, with names of any length: of the others, nothing is kept.
    private static let (most, longestKey) = (64, 64)

    mutating func begin() { next = 0 }

    /// - Parameter place: the path of the object, with a dot at its end.
    /// - Returns: `nil` if it is not included.
    mutating func member(
        _ member: JSONMember, of payload: [UInt8], at place: String, isInObject: Bool,
        where isIncluded: (ParameterMember) -> Bool
    ) -> ParameterMember? {
        func isKnown(_ number: Int) -> Bool {
            known[number].key.hasSameBytes(as: payload[member.key]) && known[number].isInObject == isInObject
                && ExactString(known[number].place) == ExactString(place)
        }
        if next < known.count, isKnown(next) {
            next += 1
            return known[next - 1].shown
        }
        let isKept = known.count < Self.most && member.key.count <= Self.longestKey
        // If there are more than are kept, looking through them takes longer than making one.
        if isKept, let number = known.indices.first(where: isKnown) {
            next = number + 1
            return known[number].shown
        }
        let made = ParameterMember(
            key: JSONScanner.text(of: payload, in: member.key), in: place, isInObject: isInObject)
        let shown = isIncluded(made) ? made : nil
        if isKept {
            known.append((Array(payload[member.key]), place, isInObject, shown))
            next = known.count
        }
        return shown
    }
}
