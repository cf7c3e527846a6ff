import Model

/// A type as it is written: `!string? 64`, `Device`, `[Item]? 50`.
struct TypeText {
    /// The type without `?` and limit: `!string`, `Device`, `[Item]`.
    let base: Substring
    let isOptional: Bool
    /// The digits after it.
    let limit: Substring?
    /// Where it ends in the text.
    let end: String.Index

    /// Arrays within arrays are no types that anybody needs, and each level takes stack.
    static let maximumNesting = 8

    /// Reads the type at the beginning of a text, after white space.
    init?(_ text: Substring, allowsArrays: Bool) {
        let bytes = text.utf8
        let start = bytes.firstIndex { !$0.isWhiteSpace } ?? bytes.endIndex
        guard var end = Self.end(of: text[start...], allowsArrays: allowsArrays) else { return nil }
        base = text[start..<end]
        isOptional = bytes[end...].first == UInt8(ascii: "?")
        if isOptional { end = bytes.index(after: end) }
        let digits = bytes[end...].dropFirst().prefix(while: \.isDigit)
        if let space = bytes[end...].first, space.isWhiteSpace, !digits.isEmpty {
            limit = Substring(digits)
            end = digits.endIndex
        } else {
            limit = nil
        }
        self.end = end
    }

    /// Returns the end of `!word`, `word` or, with everything in it, `[...]`.
    private static func end(of text: Substring, allowsArrays: Bool) -> String.Index? {
        let bytes = text.utf8
        if allowsArrays, bytes.first == UInt8(ascii: "[") {
            var depth = 0
            for index in bytes.indices {
                if bytes[index] == UInt8(ascii: "[") { depth += 1 }
                if bytes[index] == UInt8(ascii: "]") { depth -= 1 }
                if depth == 0 { return bytes.index(after: index) }
                if depth > maximumNesting { return nil }
            }
            return nil
        }
        let word = bytes.first == UInt8(ascii: "!") ? bytes.dropFirst() : bytes
        let end = word.firstIndex { !$0.isWordByte } ?? word.endIndex
        return end > word.startIndex ? end : nil
    }

    /// The type with `?` and limit.
    var text: String { "\(base)\(isOptional ? "?" : "")\(limit.map { " \($0)" } ?? "")" }

    /// The type of the elements, if it is an array of something that reads as a type.
    var element: TypeText? {
        guard base.hasPrefix("[") else { return nil }
        let inner = base.dropFirst().dropLast()
        guard let element = TypeText(inner, allowsArrays: true) else { return nil }
        return inner[element.end...].allSatisfy { $0 == " " } ? element : nil
    }

    /// The custom type that it names, itself or as the type of its elements.
    var customName: Substring? {
        if base.hasPrefix("[") { return element?.customName }
        return base.hasPrefix("!") ? nil : base
    }
}
