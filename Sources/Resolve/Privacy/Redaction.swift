import Crypto
import JSON
package import Model

/// Replaces the values that a dictionary declares private or hashed, in every payload that it covers.
///
/// It goes by the parameter's name, not by the definition that a payload is validated against: the value of a private
/// parameter is just as private in an event that is misspelled, new or not JSON, and within another parameter's value.
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

    /// Returns the payload with replaced values; `nil` when no member at any depth has a protected name. The value of a
    /// protected member is replaced as a whole, even if it is an object or a list.
    /// - Parameters:
    ///   - isStored: whether the payload was redacted before, so that placeholders in it are our own. In a payload from a
    ///     sender, a text that looks like a placeholder is a value.
    ///   - kept: the key, which is not replaced.
    func redacted(
        _ payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, isStored: Bool,
        except kept: KeyPlaces
    ) -> [UInt8]? {
        var edit = Edit(payload: payload, kept: kept)
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

    /// A payload in which values are replaced from front to back.
    private struct Edit {
        let payload: UnsafeRawBufferPointer
        let kept: KeyPlaces
        private var bytes: [UInt8] = []
        private(set) var end = 0

        init(payload: UnsafeRawBufferPointer, kept: KeyPlaces) {
            self.payload = payload
            self.kept = kept
        }

        mutating func replace(_ value: Range<Int>, by placeholder: [UInt8]) {
            bytes += payload[end..<value.lowerBound]
            bytes += placeholder
            end = value.upperBound
        }

        /// The result; `nil` when nothing was replaced.
        var result: [UInt8]? { end > 0 ? bytes + payload[end...] : nil }
    }

    /// Replaces values within an object or list of a public parameter: names count at any depth.
    private func replaceNested(in value: Range<Int>, isStored: Bool, _ edit: inout Edit) {
        do throws(JSONError) {
            try JSONScanner.forEachNestedMember(of: edit.payload, in: value) { key in
                names.index(of: key, hash: KeyHash.of(key)).map { kinds[$0] }
            } _: { kind, element in
                replace(element, kind, isStored: isStored, &edit)
            }
        } catch {
            // Cannot happen, since the payload was scanned. If it did, the part that was not searched is removed.
            edit.replace(max(edit.end, value.lowerBound)..<value.upperBound, by: Placeholder.hidden)
        }
    }

    private func replace(_ element: JSONElement, _ kind: Privacy, isStored: Bool, _ edit: inout Edit) {
        let text = UnsafeRawBufferPointer(rebasing: edit.payload[element.value])
        // A null contains nothing private.
        guard element.kind != .null, !(isStored && isDone(text, kind)), !edit.kept.contains(element.value) else {
            return
        }
        let placeholder =
            kind == .hash ? Placeholder.hash(Self.content(of: text, element.kind), key) : Placeholder.hidden
        edit.replace(element.value, by: placeholder)
    }

    /// Returns the redaction of bytes that are not a JSON object. Everything from the first value with a protected name
    /// is removed, since the end of the value cannot be determined.
    func redacted(malformed payload: UnsafeRawBufferPointer) -> [UInt8]? {
        let start = MalformedText.firstValue(in: payload) { names.index(of: $0, hash: KeyHash.of($0)) != nil }
        guard let start, start < payload.count else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: payload[start...])
        return rest.elementsEqual(Placeholder.hidden) ? nil : payload[..<start] + Placeholder.hidden
    }

    /// Whether the value was replaced sufficiently. A hash is not enough if the parameter has become private since.
    private func isDone(_ text: UnsafeRawBufferPointer, _ kind: Privacy) -> Bool {
        kind == .private ? text.elementsEqual(Placeholder.hidden) : Placeholder.isOne(text)
    }

    /// Returns the bytes to hash: the text of a string, otherwise the JSON text as it is written, also of an object or
    /// a list. So `7` and `"7"` have the same hash.
    private static func content(of text: UnsafeRawBufferPointer, _ kind: JSONKind) -> [UInt8] {
        switch kind {
        case .string(hasEscapes: true): JSONScanner.unescape(text.stringContent)
        case .string(hasEscapes: false): Array(text.stringContent)
        default: Array(text)
        }
    }
}

/// The replacement for a value: a JSON string. Only in stored payloads it is certain to be a placeholder, since a
/// sender may write the same text.
enum Placeholder {
    static let hidden = Array(#""<private>""#.utf8)
    /// The replacement for a whole line.
    static let hiddenLine = Array("<private>".utf8)
    private static let hashStart = Array(#""<hash:"#.utf8)
    private static let hashEnd = Array(#">""#.utf8)
    private static let hashBytes = 16
    private static let hashCount = hashStart.count + 2 * hashBytes + hashEnd.count

    /// Whether a value, an object or a list contains a placeholder.
    static func isWithin(_ text: UnsafeRawBufferPointer) -> Bool {
        text.indices.contains { start in
            guard text[start] == UInt8(ascii: "\"") else { return false }
            return [hidden.count, hashCount].contains { count in
                start + count <= text.count && isOne(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
            }
        }
    }

    /// Whether a value is a placeholder.
    static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.elementsEqual(hidden) { return true }
        return text.count == hashCount && text.starts(with: hashStart)
            && text.suffix(hashEnd.count).elementsEqual(hashEnd)
            && text[hashStart.count..<text.count - hashEnd.count].allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
            }
    }

    /// - Source: RFC 2104 (HMAC) with SHA-256, of which half is enough to distinguish values.
    static func hash(_ content: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        var result = hashStart
        for byte in HMAC<SHA256>.authenticationCode(for: content, using: key).prefix(hashBytes) {
            for digit in [byte >> 4, byte & 15] { result.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
        }
        return result + hashEnd
    }
}

/// The protection of private parameters' values from being stored and sent.
package struct Protection: Sendable {
    package var mode: PrivacyMode
    /// The key of hashes: a secret of this machine, so that nobody elsewhere can guess values by hashing candidates.
    package var key: [UInt8]

    /// No value is replaced.
    package static let reveal = Protection(mode: .reveal, key: [])

    /// Returns the placeholder for a hashed value, without the quotes.
    package func hash(of value: String) -> String {
        let text = Placeholder.hash(Array(value.utf8), SymmetricKey(data: key))
        return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }

    package init(mode: PrivacyMode, key: [UInt8]) {
        self.mode = mode
        self.key = key
    }
}
