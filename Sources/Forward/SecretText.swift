/// A secret in visible ASCII, to be taken out of text in which somebody else has put it: as it is, or with any of its
/// characters escaped as URLs, JSON (also inside a JSON text) and HTML do.
struct SecretText {
    /// A beginning of the secret that is as long as this is hidden too: the other side may have cut it.
    private static let telling = 8
    /// The longest escape of a character, such as `\\\u002b`, and some more.
    private static let longestEscape = 12
    private static let replacement = Array("…".utf8)
    private static let entities: [UInt8: String] = [
        UInt8(ascii: "&"): "amp;", UInt8(ascii: "<"): "lt;", UInt8(ascii: ">"): "gt;", UInt8(ascii: "\""): "quot;",
        UInt8(ascii: "'"): "apos;",
    ]

    private let secret: [UInt8]

    init(_ secret: String) {
        self.secret = Array(secret.utf8)
    }

    /// - Parameter isCut: whether the text went on; what may be the secret's beginning is then hidden at its end.
    func removed(from text: [UInt8], isCut: Bool) -> [UInt8] {
        guard !secret.isEmpty else { return text }
        // Behind it may be half an escape.
        let limit = isCut ? max(text.count - Self.longestEscape, 0) : text.count
        var result: [UInt8] = []
        var index = 0
        while index < limit {
            let (end, count) = match(text, at: index)
            let runsOut = isCut && count > 0 && end >= limit
            if count >= min(secret.count, Self.telling) || runsOut {
                result += Self.replacement
                index = max(end, index + 1)
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    /// How far the secret's characters follow one another from there, and how many they are.
    private func match(_ text: [UInt8], at start: Int) -> (end: Int, count: Int) {
        var ends: Set<Int> = [start]
        var furthest = start
        for (count, character) in secret.enumerated() {
            ends = Set(ends.flatMap { Self.ends(of: character, in: text, at: $0) })
            guard let end = ends.max() else { return (furthest, count) }
            furthest = end
        }
        return (furthest, secret.count)
    }

    /// Where the text goes on behind a character, in each way of writing it that is there.
    private static func ends(of character: UInt8, in text: [UInt8], at index: Int) -> [Int] {
        guard index < text.count else { return [] }
        var ends: [Int] = []
        if text[index] == character { ends.append(index + 1) }
        switch text[index] {
        case UInt8(ascii: "%"):
            if hexadecimal(text[(index + 1)...].prefix(2)) == Int(character) { ends.append(index + 3) }
        case UInt8(ascii: "\\"):
            let escaped = text[index...].firstIndex { $0 != UInt8(ascii: "\\") } ?? text.count
            // A backslash is escaped by another one.
            if character == UInt8(ascii: "\\"), escaped > index + 1 { ends += (index + 2)...escaped }
            guard escaped < text.count else { break }
            if text[escaped] == character { ends.append(escaped + 1) }
            if text[escaped] == UInt8(ascii: "u"), hexadecimal(text[(escaped + 1)...].prefix(4)) == Int(character) {
                ends.append(escaped + 5)
            }
        case UInt8(ascii: "&"):
            if let end = entity(character, in: text[(index + 1)...]) { ends.append(end) }
        default: break
        }
        return ends
    }

    /// - Parameter text: behind the `&`.
    private static func entity(_ character: UInt8, in text: ArraySlice<UInt8>) -> Int? {
        if let name = entities[character], text.starts(with: name.utf8) { return text.startIndex + name.utf8.count }
        guard text.first == UInt8(ascii: "#"), let end = text.prefix(longestEscape).firstIndex(of: UInt8(ascii: ";"))
        else { return nil }
        let digits = text[(text.startIndex + 1)..<end]
        let isHexadecimal = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let number = Int(
            String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self),
            radix: isHexadecimal ? 16 : 10)
        return number == Int(character) ? end + 1 : nil
    }

    /// - Parameter digits: of both halves or all four places; fewer are no number.
    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.count == 2 || digits.count == 4 else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
