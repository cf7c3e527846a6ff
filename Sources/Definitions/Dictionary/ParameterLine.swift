import Model

/// The parts of a line that defines a parameter, found exactly as daifuku finds them: the first match of
/// `(\[obsolete\])?\s*(\w+):\s*(!?\w+\??(?:\s(\d+))?)` in the text.
struct ParameterLine {
    var isObsolete: Bool
    var name: Substring
    /// The type as it is written, without the length: `!` marks a built-in type, `?` an optional parameter.
    var type: Substring
    /// The digits of the length.
    var length: Substring?
    /// The text before and after the match, which daifuku ignores.
    var before: Substring
    var after: Substring

    init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.contains(UInt8(ascii: ":")) else { return nil }
        var next = bytes.startIndex
        while let start = bytes[next...].firstIndex(where: Name.isWordByte) {
            let end = bytes[start...].firstIndex { !Name.isWordByte($0) } ?? bytes.endIndex
            if end < bytes.endIndex, bytes[end] == UInt8(ascii: ":"),
                let typed = Self.type(in: text, after: bytes.index(after: end))
            {
                name = text[start..<end]
                (type, length, after) = typed
                (before, isObsolete) = Self.marker(in: text, before: start)
                return
            }
            next = end
        }
        return nil
    }

    /// The line as it should be written.
    var canonicalText: String { "\(isObsolete ? "[obsolete] " : "")\(parsedText)" }

    /// The part that daifuku reads, without the marker.
    var parsedText: String { "\(name): \(type)\(length.map { " \($0)" } ?? "")" }

    private static func marker(in text: String, before name: String.Index) -> (before: Substring, isObsolete: Bool) {
        let spaces = text.utf8[..<name].reversed().prefix(while: isSpace).count
        let before = text[..<text.utf8.index(name, offsetBy: -spaces)]
        let marker = "[obsolete]"
        return before.hasSuffix(marker) ? (Substring(before.utf8.dropLast(marker.utf8.count)), true) : (before, false)
    }

    private static func type(
        in text: String, after colon: String.Index
    ) -> (type: Substring, length: Substring?, after: Substring)? {
        let bytes = text.utf8
        let start = bytes[colon...].firstIndex { !isSpace($0) } ?? bytes.endIndex
        let word = bytes[start...].first == UInt8(ascii: "!") ? bytes.index(after: start) : start
        var end = bytes[word...].firstIndex { !Name.isWordByte($0) } ?? bytes.endIndex
        guard end > word else { return nil }
        if bytes[end...].first == UInt8(ascii: "?") { end = bytes.index(after: end) }
        let type = text[start..<end]
        guard let space = bytes[end...].first, isSpace(space) else { return (type, nil, text[end...]) }
        let digits = bytes[bytes.index(after: end)...].prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return (type, nil, text[end...]) }
        return (type, Substring(digits), text[digits.endIndex...])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
