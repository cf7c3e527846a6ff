import JSON
import Model

extension Redaction {
    /// Returns the texts of the protected values in a payload, and of those within them.
    func secrets(
        of payload: UnsafeRawBufferPointer, _ members: borrowing PayloadMembers, isStored: Bool, except kept: KeyPlaces
    ) -> [[UInt8]] {
        var secrets: [[UInt8]] = []
        forEachProtected(in: payload, members) { element, kind in
            let text = UnsafeRawBufferPointer(rebasing: payload[element.value])
            guard !kept.contains(element.value), !(isStored && isDone(text, kind)),
                var walk = JSONWalk(of: payload, in: element.value)
            else { return }
            // It was scanned with the payload: there is no error.
            try? Self.collect(&walk, of: payload, into: &secrets)
        }
        return secrets
    }

    private static func collect(
        _ walk: inout JSONWalk, of payload: UnsafeRawBufferPointer, into secrets: inout [[UInt8]]
    ) throws(JSONError) {
        let first = try walk.firstByte()
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            let value = try walk.value()
            let content = content(of: UnsafeRawBufferPointer(rebasing: payload[value.value]), value.kind)
            switch value.kind {
            case .string where content.contains { SecretSearch.isWordByte($0) || $0 >= 0x80 }, .number:
                secrets.append(content)
            // Punctuation is in every text.
            case .string, .true, .false, .null, .object, .array: break
            }
            return
        }
        var hasMore = try walk.enter()
        while hasMore {
            if first == UInt8(ascii: "{") { _ = try walk.key() }
            try collect(&walk, of: payload, into: &secrets)
            hasMore = try walk.hasMore()
        }
    }
}

/// Replaces private values in a text.
enum SecretSearch {
    /// The length from which a value is replaced within words as well, with the rest of the word, which might be a protected
    /// name without it. Shorter ones would be found by chance.
    private static let longEnough = 4

    static func replaced(_ secrets: [[UInt8]], in text: [UInt8]) -> [UInt8] {
        // A longer value may contain a shorter one.
        secrets.sorted { $0.count > $1.count }.reduce(text) { replaced($1, in: $0) }
    }

    private static func replaced(_ secret: [UInt8], in text: [UInt8]) -> [UInt8] {
        guard text.count >= secret.count, !text.isEmpty else { return text }
        var (result, at) = ([UInt8](), 0)
        while at < text.count {
            if text[at...].starts(with: secret), isWhole(at..<at + secret.count, in: text) {
                while let last = result.last, isWordByte(last) { result.removeLast() }
                result += Placeholder.hiddenLine
                at += secret.count
                while at < text.count, isWordByte(text[at]) { at += 1 }
            } else {
                result.append(text[at])
                at += 1
            }
        }
        return result
    }

    private static func isWhole(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        if range.count >= longEnough { return true }
        let before = range.lowerBound > 0 && isWordByte(text[range.lowerBound - 1])
        return !before && !(range.upperBound < text.count && isWordByte(text[range.upperBound]))
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
