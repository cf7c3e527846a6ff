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
            case .string(let hasEscapes) where SecretSearch.isSearched(content):
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
                if SecretSearch.isSearched(key) { secrets.append(key) }
            }
            try collect(&walk, of: payload, into: &secrets)
            hasMore = try walk.hasMore()
        }
    }
}

/// Replaces private values in texts.
struct SecretSearch {
    private let secrets: [[UInt8]]
    /// Whether nothing of the texts is kept, because there are too many values to search for.
    let hidesAll: Bool

    /// The length from which a value is replaced within words as well, with the rest of the word, which might be a protected
    /// name without it. Shorter ones would be found by chance.
    private static let longEnough = 4
    /// The most values to search for: each is searched for in the whole text.
    private static let most = 100

    init(_ values: [[UInt8]]) {
        let distinct = Set(values)
        hidesAll = distinct.count > Self.most
        secrets = hidesAll ? [] : Array(distinct)
    }

    func replaced(in text: [UInt8]) -> [UInt8] {
        if hidesAll { return text.contains(where: Self.isInValues) ? Placeholder.hiddenLine : text }
        // Values may overlap: what is left of one that was replaced would be a part of another.
        let places = secrets.flatMap { self.places(of: $0, in: text) }.sorted { $0.lowerBound < $1.lowerBound }
        var (result, end) = ([UInt8](), 0)
        for place in places {
            if result.isEmpty || place.lowerBound >= end {
                result += text[end..<place.lowerBound] + Placeholder.hiddenLine
            }
            end = max(end, place.upperBound)
        }
        return result + text[end...]
    }

    /// Whether one of the names has one of the values. They are searched together: an entry may have very many.
    func isWithin(_ names: [Slice<UnsafeRawBufferPointer>]) -> Bool {
        // No name has white space.
        let text = Array(names.joined(separator: CollectionOfOne(UInt8(ascii: "\n"))))
        return hidesAll || secrets.contains { !places(of: $0, in: text).isEmpty }
    }

    /// Returns where a value is, with the words that it begins and ends in. The places may overlap.
    private func places(of secret: [UInt8], in text: [UInt8]) -> [Range<Int>] {
        var (places, searched, last, overlaps) = ([Range<Int>](), 0, 0, 0)
        while let place = text[searched...].firstPlace(of: secret) {
            searched = place + 1
            guard Self.isWhole(place..<place + secret.count, in: text) else { continue }
            var (start, end) = (place, place + secret.count)
            overlaps += start < last ? 1 : 0
            // Long values that repeat themselves are searched for no further.
            if overlaps > Self.mostOverlaps { return places + [place..<text.count] }
            while start > last, text[start - 1].isWordByte { start -= 1 }
            while end < text.count, text[end].isWordByte { end += 1 }
            places.append(start..<end)
            last = end
            // What ends before is covered.
            searched = max(searched, end - secret.count + 1)
        }
        return places
    }

    private static let mostOverlaps = 100

    private static func isWhole(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        if range.count >= longEnough { return true }
        let before = range.lowerBound > 0 && text[range.lowerBound - 1].isWordByte
        return !before && !(range.upperBound < text.count && text[range.upperBound].isWordByte)
    }

    /// Whether a value is searched for. Ordinary punctuation is in every text.
    static func isSearched(_ content: [UInt8]) -> Bool {
        content.contains(where: isInValues) || content.count >= longEnough && Set(content).count > 2
    }

    /// Whether a byte is more than punctuation.
    static func isInValues(_ byte: UInt8) -> Bool { byte.isWordByte || byte >= 0x80 }
}
