import Model

/// The parts of a line that defines a parameter, found exactly as daifuku finds them: the first match of
/// `(\[obsolete\])?\s*(\w+):\s*(!?\w+\??(?:\s(\d+))?)` in the text. In the folder `types`, which daifuku does not read, a
/// type may also be an array, such as `[Item]? 50`.
struct ParameterLine {
    var isObsolete: Bool
    var name: Substring
    var type: TypeText
    /// The text before and after the match, which daifuku ignores.
    var before: Substring
    var after: Substring

    /// - Parameter allowsArrays: whether the line is in the folder `types`.
    init?(_ text: String, allowsArrays: Bool = false) {
        let bytes = text.utf8
        guard bytes.contains(UInt8(ascii: ":")) else { return nil }
        var next = bytes.startIndex
        while let start = bytes[next...].firstIndex(where: \.isWordByte) {
            let end = bytes[start...].firstIndex { !$0.isWordByte } ?? bytes.endIndex
            if end < bytes.endIndex, bytes[end] == UInt8(ascii: ":"),
                let type = TypeText(text[bytes.index(after: end)...], allowsArrays: allowsArrays)
            {
                name = text[start..<end]
                self.type = type
                after = text[type.end...]
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
    var parsedText: String { "\(name): \(type.text)" }

    private static func marker(in text: String, before name: String.Index) -> (before: Substring, isObsolete: Bool) {
        let spaces = text.utf8[..<name].reversed().prefix(while: \.isWhiteSpace).count
        let before = text[..<text.utf8.index(name, offsetBy: -spaces)]
        let marker = EventHeading.marker
        return before.hasSuffix(marker) ? (Substring(before.utf8.dropLast(marker.utf8.count)), true) : (before, false)
    }
}
