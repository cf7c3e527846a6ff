import Crypto
import JSON
import Model

/// Replaces the values that a dictionary calls private or to be hashed, in every payload that it covers.
///
/// What counts is the parameter's name, not the definition that a payload is held against: the value of a private
/// parameter is no less private in an event that is misspelled, new, or not even JSON.
final class Redaction: Sendable {
    private let names: KeyTable
    private let kinds: [Privacy]
    private let key: SymmetricKey

    /// - Returns: `nil` when there is nothing to replace.
    init?(_ dictionary: EventDictionary, _ protection: Protection) {
        guard protection.mode == .protect else { return nil }
        let sorted = dictionary.protectedNames.sorted { $0.key < $1.key }
        guard !sorted.isEmpty else { return nil }
        names = KeyTable(sorted.map(\.key))
        self.kinds = sorted.map(\.value)
        key = SymmetricKey(data: protection.key)
    }

    /// The payload with other values; `nil` when none of its members is covered.
    /// - Parameter isStored: whether it has been looked at before, so that placeholders in it are ours. What a sender
    ///   writes is a value, whatever it looks like.
    func redacted(
        _ payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, isStored: Bool
    ) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        for (member, hash) in zip(members.members, members.hashes) where member.kind != .null {
            let index = PayloadMembers.withKey(of: member, in: payload) { names.index(of: $0, hash: hash) }
            guard let index else { continue }
            let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
            if isStored, isDone(text, kinds[index]) { continue }
            result += payload[copied..<member.value.lowerBound]
            append(kinds[index], instead: text, member.kind, to: &result)
            copied = member.value.upperBound
        }
        guard copied > 0 else { return nil }
        result += payload[copied...]
        return result
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

    private func append(
        _ kind: Privacy, instead text: UnsafeRawBufferPointer, _ value: JSONKind, to result: inout [UInt8]
    ) {
        if kind == .hash {
            result += Placeholder.hash(Self.content(of: text, value), key)
        } else {
            result += Placeholder.hidden
        }
    }

    /// What is hashed: the text of a string, or else the JSON text, so that `7` and `"7"` are the same person.
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

    /// Whether a value is what we write.
    static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.elementsEqual(hidden) { return true }
        return text.count == hashStart.count + 2 * hashBytes + hashEnd.count && text.starts(with: hashStart)
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
