import Model

/// The markers at the beginning of a line, by Redcarpet's rules. They differ from CommonMark's: a heading needs no
/// space, a list marker needs a space and not only a tab after it, and four spaces are always code.
extension SourceLine {
    /// The beginning of a list item. Its size in bytes includes the indentation and one space.
    struct ItemMarker {
        var isOrdered: Bool
        var length: Int
    }

    /// Whether it begins with `#` in the first column.
    var isHeading: Bool { text.first == UInt8(ascii: "#") }

    /// Whether it consists of three or more of the same `-`, `*` or `_`, and otherwise only spaces.
    var isRule: Bool {
        let indentation = min(indentation, 3)
        guard let mark = text.dropFirst(indentation).first, "*-_".utf8.contains(mark) else { return false }
        var count = 0
        for byte in text.dropFirst(indentation) {
            if byte == mark { count += 1 } else if byte != UInt8(ascii: " ") { return false }
        }
        return count >= 3
    }

    /// The level of the heading that a line of `=` or `-` makes of the previous line.
    var underlineLevel: Int? {
        guard let mark = text.first, mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-") else { return nil }
        guard text.drop(while: { $0 == mark }).allSatisfy({ $0 == UInt8(ascii: " ") }) else { return nil }
        return mark == UInt8(ascii: "=") ? 1 : 2
    }

    /// Whether it begins or continues a quotation.
    var isQuote: Bool { text.dropFirst(min(indentation, 3)).first == UInt8(ascii: ">") }

    /// Whether it is code because of its indentation.
    var isIndentedCode: Bool { indentation >= 4 }

    /// The marker of a list item, without regard to the next line.
    var itemMarker: ItemMarker? {
        let indentation = min(indentation, 3)
        let rest = text.dropFirst(indentation)
        guard let first = rest.first else { return nil }
        if "*+-".utf8.contains(first) {
            guard rest.dropFirst().first == UInt8(ascii: " ") else { return nil }
            return ItemMarker(isOrdered: false, length: indentation + 2)
        }
        let digits = rest.prefix(while: \.isDigit).count
        guard digits > 0, rest.dropFirst(digits).starts(with: [UInt8(ascii: "."), UInt8(ascii: " ")]) else {
            return nil
        }
        return ItemMarker(isOrdered: true, length: indentation + digits + 2)
    }
}
