internal import CLinux
import JSON
import Model

extension Redaction {
    /// Returns the texts of the protected values in a payload, and of the values and names within them.
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
            case .string(let hasEscapes) where content.contains(where: SecretSearch.isInValues):
                secrets.append(content)
                // Another value may be written in the same way.
                if hasEscapes { secrets.append(Array(payload[value.content])) }
            case .number: secrets.append(content)
            case .string, .true, .false, .null, .object, .array: break
            }
            return
        }
        var hasMore = try walk.enter()
        while hasMore {
            if first == UInt8(ascii: "{") {
                let key = JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: payload[try walk.key().range]))
                if key.contains(where: SecretSearch.isInValues) { secrets.append(key) }
            }
            try collect(&walk, of: payload, into: &secrets)
            hasMore = try walk.hasMore()
        }
    }
}

/// Replaces private values in texts.
struct SecretSearch {
    /// The values, the longer ones first: these may contain shorter ones.
    private let secrets: [[UInt8]]
    /// Whether nothing of the texts is kept, because there are too many values to search for.
    private let hidesAll: Bool

    /// The length from which a value is replaced within words as well, with the rest of the word, which might be a protected
    /// name without it. Shorter ones would be found by chance.
    private static let longEnough = 4
    /// The most values to search for: each is searched for in the whole text.
    private static let most = 100

    init(_ values: [[UInt8]]) {
        let distinct = Set(values)
        hidesAll = distinct.count > Self.most
        secrets = hidesAll ? [] : distinct.sorted { $0.count > $1.count }
    }

    func replaced(in text: [UInt8]) -> [UInt8] {
        if hidesAll { return text.contains(where: Self.isInValues) ? Placeholder.hiddenLine : text }
        return secrets.reduce(text) { Self.replaced($1, in: $0) }
    }

    /// Whether a text has one of the values.
    func isWithin(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        let text = Array(text)
        return replaced(in: text) != text
    }

    private static func replaced(_ secret: [UInt8], in text: [UInt8]) -> [UInt8] {
        var (result, end, searched) = ([UInt8](), 0, 0)
        while let place = firstPlace(of: secret, in: text, from: searched) {
            searched = place + 1
            guard isWhole(place..<place + secret.count, in: text) else { continue }
            result += text[end..<place]
            while let last = result.last, isWordByte(last) { result.removeLast() }
            result += Placeholder.hiddenLine
            end = place + secret.count
            while end < text.count, isWordByte(text[end]) { end += 1 }
            searched = end
        }
        return end == 0 ? text : result + text[end...]
    }

    /// In linear time, whatever the bytes are.
    private static func firstPlace(of secret: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = memmem(base + start, bytes.count - start, secret, secret.count)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private static func isWhole(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        if range.count >= longEnough { return true }
        let before = range.lowerBound > 0 && isWordByte(text[range.lowerBound - 1])
        return !before && !(range.upperBound < text.count && isWordByte(text[range.upperBound]))
    }

    /// Whether a byte is more than punctuation, which is in every text.
    static func isInValues(_ byte: UInt8) -> Bool { isWordByte(byte) || byte >= 0x80 }

    private static func isWordByte(_ byte: UInt8) -> Bool { MalformedText.isWordByte(byte) }
}
