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
    /// The names that have other characters than words of a text: a definition with an error may have them.
    private let unusualNames: [(name: [UInt8], kind: Privacy)]

    /// - Returns: `nil` when there is nothing to replace.
    init?(_ dictionary: EventDictionary, _ protection: Protection) {
        guard protection.mode == .protect else { return nil }
        let sorted = dictionary.protectedNames.sorted { $0.key < $1.key }
        guard !sorted.isEmpty else { return nil }
        names = KeyTable(sorted.map(\.key.text))
        self.kinds = sorted.map(\.value)
        key = SymmetricKey(data: protection.key)
        unusualNames = sorted.map { (Array($0.key.utf8), $0.value) }.filter {
            !$0.0.isEmpty && !$0.0.allSatisfy(\.isWordByte)
        }
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
        var edit = Edit(payload: payload, of: payload.indices, kept: kept)
        forEachProtected(in: payload, members) { replace($0, $1, isStored: isStored, &edit) }
        return edit.result
    }

    /// Returns an object or array in the payload with replaced values; `nil` if nothing in it has a protected name.
    func redacted(
        _ payload: UnsafeRawBufferPointer, within value: Range<Int>, isStored: Bool, except kept: KeyPlaces
    ) -> [UInt8]? {
        var edit = Edit(payload: payload, of: value, kept: kept)
        forEachProtected(in: payload, within: value) { replace($0, $1, isStored: isStored, &edit) }
        return edit.result
    }

    /// Calls `body` with each value of a member that has a protected name, from front to back, at any depth.
    func forEachProtected(
        in payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, _ body: (JSONElement, Privacy) -> Void
    ) {
        for (member, hash) in zip(members.members, members.hashes) {
            let kind = PayloadMembers.withKey(of: member, in: payload) { protection(of: $0, hash: hash) }
            if let kind {
                body(JSONElement(value: member.value, kind: member.kind), kind)
            } else if member.kind == .object || member.kind == .array {
                forEachProtected(in: payload, within: member.value, body)
            }
        }
    }

    /// A payload, or a part of it, in which values are replaced from front to back.
    private struct Edit {
        let payload: UnsafeRawBufferPointer
        let kept: KeyPlaces
        private let range: Range<Int>
        private var bytes: [UInt8] = []
        private var end: Int

        init(payload: UnsafeRawBufferPointer, of range: Range<Int>, kept: KeyPlaces) {
            (self.payload, self.range, self.kept) = (payload, range, kept)
            end = range.lowerBound
        }

        mutating func replace(_ value: Range<Int>, by placeholder: [UInt8]) {
            if value.lowerBound > end { bytes += payload[end..<value.lowerBound] }
            bytes += placeholder
            end = value.upperBound
        }

        /// The result; `nil` when nothing was replaced.
        var result: [UInt8]? { end > range.lowerBound ? bytes + payload[end..<range.upperBound] : nil }
    }

    /// Calls `body` with the protected values within an object or list of a public parameter: names count at any depth.
    private func forEachProtected(
        in payload: UnsafeRawBufferPointer, within value: Range<Int>, _ body: (JSONElement, Privacy) -> Void
    ) {
        do throws(JSONError) {
            try JSONScanner.forEachNestedMember(of: payload, in: value) { key in
                privacy(of: key)
            } _: { kind, element in
                body(element, kind)
            }
        } catch {
            // Cannot happen, since the payload was scanned. If it did, nothing of the value is kept.
            body(JSONElement(value: value, kind: .array), .private)
        }
    }

    /// Returns how the values of members with a name are protected; `nil` if they are not.
    func privacy(of name: UnsafeRawBufferPointer) -> Privacy? { protection(of: name, hash: KeyHash.of(name)) }

    @inline(__always)
    private func protection(of name: UnsafeRawBufferPointer, hash: UInt64) -> Privacy? {
        if let index = names.index(of: name, hash: hash) { return kinds[index] }
        return name.hasDot ? protection(ofPartsOf: name) : nil
    }

    /// Returns the strictest protection of a part of a name: `user.email` is what others send as an object.
    private func protection(ofPartsOf name: UnsafeRawBufferPointer) -> Privacy? {
        var (strictest, start) = (Privacy?.none, 0)
        // Without memory for the parts: there are programs whose names all have dots.
        for end in 0...name.count where end == name.count || name[end] == UInt8(ascii: ".") {
            let part = UnsafeRawBufferPointer(rebasing: name[start..<end])
            start = end + 1
            guard !part.isEmpty, let index = names.index(of: part, hash: KeyHash.of(part)) else { continue }
            strictest = max(strictest ?? kinds[index], kinds[index])
        }
        return strictest
    }

    /// Returns what replaces a value.
    /// - Parameter content: the text of a string, or the JSON text of another value.
    func placeholder(for content: @autoclosure () -> [UInt8], _ kind: Privacy) -> [UInt8] {
        kind == .hash ? Placeholder.hash(content(), key) : Placeholder.hidden
    }

    private func replace(_ element: JSONElement, _ kind: Privacy, isStored: Bool, _ edit: inout Edit) {
        let text = UnsafeRawBufferPointer(rebasing: edit.payload[element.value])
        // A null contains nothing private.
        guard element.kind != .null, !(isStored && isDone(text, kind)), !edit.kept.contains(element.value) else {
            return
        }
        guard edit.kept.areWithin(element.value), var walk = JSONWalk(of: edit.payload, in: element.value) else {
            return edit.replace(element.value, by: placeholder(for: Self.content(of: text, element.kind), kind))
        }
        // Around the key, everything is replaced by itself. It was scanned with the payload: there is no error.
        try? replaceParts(&walk, kind, isStored: isStored, &edit)
    }

    private func replaceParts(
        _ walk: inout JSONWalk, _ kind: Privacy, isStored: Bool, _ edit: inout Edit
    ) throws(JSONError) {
        let isObject = try walk.firstByte() == UInt8(ascii: "{")
        var hasMore = try walk.enter()
        while hasMore {
            var strictest = kind
            if isObject {
                let name = JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: edit.payload[try walk.key().range]))
                strictest = max(kind, name.withUnsafeBytes(privacy) ?? kind)
            }
            replace(try walk.value(), strictest, isStored: isStored, &edit)
            hasMore = try walk.hasMore()
        }
    }

    /// Returns the redaction of bytes that are not a JSON object. Everything from the first value with a protected name
    /// is removed, since the end of the value cannot be determined.
    /// - Parameter hasObject: whether they may have an object within text.
    func redacted(malformed payload: UnsafeRawBufferPointer, hasObject: Bool = false) -> [UInt8]? {
        // A placeholder at the end may be our own, and says nothing about what stands before it.
        let isCut = payload.suffix(Placeholder.hidden.count).elementsEqual(Placeholder.hidden)
        let text = UnsafeRawBufferPointer(rebasing: payload.dropLast(isCut ? Placeholder.hidden.count : 0))
        let json = MalformedText.startOfJSON(in: text, isWithin: hasObject)
        guard let start = firstValue(in: text, json: json), start < text.count else { return nil }
        return text[..<start] + Placeholder.hidden
    }

    /// A value behind a protected name in bytes that are not a JSON object.
    struct NamedValue {
        var place: Int
        var kind: Privacy
    }

    /// Returns the start of the first value with a protected name.
    /// - Parameter json: where what should be JSON begins in the text.
    func firstValue(in text: UnsafeRawBufferPointer, json: Int? = nil) -> Int? {
        values(in: text, json: json).first?.place
    }

    /// Returns all values with a protected name, in the order of the text.
    /// - Parameter json: where what should be JSON begins in the text.
    func values(in text: UnsafeRawBufferPointer, json: Int? = nil) -> [NamedValue] {
        var (values, kind) = ([NamedValue](), Privacy?.none)
        MalformedText.forEachValue(in: text, json: json) { name in
            kind = privacy(of: name)
            return kind != nil
        } _: { value in
            values.append(NamedValue(place: value, kind: kind ?? .private))
        }
        for (name, kind) in unusualNames {
            MalformedText.forEachValue(in: text, json: json, of: name) {
                values.append(NamedValue(place: $0, kind: kind))
            }
        }
        return values.sorted { $0.place < $1.place }
    }

    /// Whether a value in a stored text was replaced sufficiently.
    func isDone(_ value: NamedValue, in text: UnsafeRawBufferPointer) -> Bool {
        let rest = text[value.place...]
        let counts = [Placeholder.hidden.count] + (value.kind == .hash ? [Placeholder.hashCount] : [])
        return counts.contains { count in
            // Nothing follows it that may belong to it.
            let isEnd = rest.dropFirst(count).first.map { $0 <= 0x20 || ",;)]}".utf8.contains($0) } ?? true
            return isEnd && Placeholder.isOne(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
        }
    }

    /// Whether the value was replaced sufficiently. A hash is not enough if the parameter has become private since.
    func isDone(_ text: UnsafeRawBufferPointer, _ kind: Privacy) -> Bool {
        kind == .private ? text.elementsEqual(Placeholder.hidden) : Placeholder.isOne(text)
    }

    /// Returns the bytes to hash: the text of a string, otherwise the JSON text as it is written, also of an object or
    /// a list. So `7` and `"7"` have the same hash.
    static func content(of text: UnsafeRawBufferPointer, _ kind: JSONKind) -> [UInt8] {
        switch kind {
        case .string(hasEscapes: true): JSONScanner.unescape(text.stringContent)
        case .string(hasEscapes: false): Array(text.stringContent)
        default: Array(text)
        }
    }
}

extension Placeholder {
    /// - Source: RFC 2104 (HMAC) with SHA-256, of which half is enough to distinguish values.
    static func hash(_ content: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        hash(HMAC<SHA256>.authenticationCode(for: content, using: key).prefix(hashBytes))
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
