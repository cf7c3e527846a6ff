import Crypto
import JSON
package import Model

/// Replaces the values that a dictionary calls private or to be hashed, in every payload that it covers.
///
/// What counts is the parameter's name, not the definition that a payload is held against: the value of a private
/// parameter is no less private in an event that is misspelled, new, not even JSON, or within another parameter's value.
final class Redaction: Sendable {
    private let names: KeyTable
    private let kinds: [Privacy]
    private let key: SymmetricKey

    /// - Returns: `nil` when there is nothing to replace.
    init?(_ dictionary: EventDictionary, _ protection: Protection) {
        guard protection.mode == .protect else { return nil }
        let sorted = dictionary.protectedNames.sorted { $0.key < $1.key }
        guard !sorted.isEmpty else { return nil }
        names = KeyTable(sorted.map(\.key.text))
        self.kinds = sorted.map(\.value)
        key = SymmetricKey(data: protection.key)
    }

    /// The payload with other values; `nil` when none of its members is covered, at any depth. The value of one that is
    /// goes as a whole, also where it is an object or a list.
    /// - Parameter isStored: whether it has been looked at before, so that placeholders in it are ours. What a sender
    ///   writes is a value, whatever it looks like.
    func redacted(
        _ payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, isStored: Bool
    ) -> [UInt8]? {
        var edit = Edit(payload: payload)
        for (member, hash) in zip(members.members, members.hashes) {
            let index = PayloadMembers.withKey(of: member, in: payload) { names.index(of: $0, hash: hash) }
            if let index {
                replace(JSONElement(value: member.value, kind: member.kind), kinds[index], isStored: isStored, &edit)
            } else if member.kind == .object || member.kind == .array {
                replaceNested(in: member.value, isStored: isStored, &edit)
            }
        }
        return edit.result
    }

    /// A payload, some of whose values are replaced from front to back.
    private struct Edit {
        let payload: UnsafeRawBufferPointer
        private var bytes: [UInt8] = []
        private(set) var end = 0

        init(payload: UnsafeRawBufferPointer) { self.payload = payload }

        mutating func replace(_ value: Range<Int>, by placeholder: [UInt8]) {
            bytes += payload[end..<value.lowerBound]
            bytes += placeholder
            end = value.upperBound
        }

        /// `nil` when nothing was replaced.
        var result: [UInt8]? { end > 0 ? bytes + payload[end...] : nil }
    }

    /// What stands in an object or list of a parameter that is public: names count at any depth.
    private func replaceNested(in value: Range<Int>, isStored: Bool, _ edit: inout Edit) {
        do throws(JSONError) {
            try JSONScanner.forEachNestedMember(of: edit.payload, in: value) { key in
                names.index(of: key, hash: KeyHash.of(key)).map { kinds[$0] }
            } _: { kind, element in
                replace(element, kind, isStored: isStored, &edit)
            }
        } catch {
            // Not so, since the payload was scanned. Were it so, what was not looked at would be left out.
            edit.replace(max(edit.end, value.lowerBound)..<value.upperBound, by: Placeholder.hidden)
        }
    }

    private func replace(_ element: JSONElement, _ kind: Privacy, isStored: Bool, _ edit: inout Edit) {
        let text = UnsafeRawBufferPointer(rebasing: edit.payload[element.value])
        // There is nothing in null that could be private.
        guard element.kind != .null, !(isStored && isDone(text, kind)) else { return }
        let placeholder =
            kind == .hash ? Placeholder.hash(Self.content(of: text, element.kind), key) : Placeholder.hidden
        edit.replace(element.value, by: placeholder)
    }

    /// The same for bytes that are no JSON object: from the first value of a covered name on nothing is kept, since where
    /// the value ends cannot be told.
    func redacted(malformed payload: UnsafeRawBufferPointer) -> [UInt8]? {
        let start = MalformedText.firstValue(in: payload) { names.index(of: $0, hash: KeyHash.of($0)) != nil }
        guard let start, start < payload.count else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: payload[start...])
        return rest.elementsEqual(Placeholder.hidden) ? nil : payload[..<start] + Placeholder.hidden
    }

    /// A hash does not do for what has become private since.
    private func isDone(_ text: UnsafeRawBufferPointer, _ kind: Privacy) -> Bool {
        kind == .private ? text.elementsEqual(Placeholder.hidden) : Placeholder.isOne(text)
    }

    /// What is hashed: the text of a string, or else the JSON text as it is written, also of an object or a list, so that
    /// `7` and `"7"` are the same person.
    private static func content(of text: UnsafeRawBufferPointer, _ kind: JSONKind) -> [UInt8] {
        switch kind {
        case .string(hasEscapes: true): JSONScanner.unescape(text.stringContent)
        case .string(hasEscapes: false): Array(text.stringContent)
        default: Array(text)
        }
    }
}

/// What stands in the place of a value: a JSON string. Only in what is stored it is known to be one: a sender may write
/// the same.
enum Placeholder {
    static let hidden = Array(#""<private>""#.utf8)
    /// In place of a whole line.
    static let hiddenLine = Array("<private>".utf8)
    private static let hashStart = Array(#""<hash:"#.utf8)
    private static let hashEnd = Array(#">""#.utf8)
    private static let hashBytes = 16
    private static let hashCount = hashStart.count + 2 * hashBytes + hashEnd.count

    /// Whether something within a value, an object or a list, is what we write.
    static func isWithin(_ text: UnsafeRawBufferPointer) -> Bool {
        text.indices.contains { start in
            guard text[start] == UInt8(ascii: "\"") else { return false }
            return [hidden.count, hashCount].contains { count in
                start + count <= text.count && isOne(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
            }
        }
    }

    /// Whether a value is what we write.
    static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.elementsEqual(hidden) { return true }
        return text.count == hashCount && text.starts(with: hashStart)
            && text.suffix(hashEnd.count).elementsEqual(hashEnd)
            && text[hashStart.count..<text.count - hashEnd.count].allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
            }
    }

    /// - Source: RFC 2104 (HMAC) with SHA-256, of which half is enough to tell values apart.
    static func hash(_ content: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        var result = hashStart
        for byte in HMAC<SHA256>.authenticationCode(for: content, using: key).prefix(hashBytes) {
            for digit in [byte >> 4, byte & 15] { result.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
        }
        return result + hashEnd
    }
}

/// How the values of private parameters are kept from being stored and sent.
package struct Protection: Sendable {
    package var mode: PrivacyMode
    /// What hashes are keyed with: a secret of this machine, so that nobody elsewhere can try values out.
    package var key: [UInt8]

    /// Everything stays as it is.
    package static let reveal = Protection(mode: .reveal, key: [])

    /// What stands in a payload in place of a value that is hashed, without the quotes.
    package func hash(of value: String) -> String {
        let text = Placeholder.hash(Array(value.utf8), SymmetricKey(data: key))
        return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }

    package init(mode: PrivacyMode, key: [UInt8]) {
        self.mode = mode
        self.key = key
    }
}
