import Model

/// The names that a file gives to addresses, in lines such as `[wiki]: https://example.com "Title"`. Redcarpet makes these
/// lines empty wherever they are, before it looks for anything else.
struct LinkReferences {
    private var names: Set<[UInt8]> = []

    static let none = LinkReferences()

    /// Names are the same in upper and lower case.
    func contains(_ name: ArraySlice<UInt8>) -> Bool {
        !names.isEmpty
            && names.contains(name.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0.lowercased })
    }

    /// Takes the lines that define names, and leaves an empty line for each definition.
    /// - Parameters:
    ///   - lines: the lines before tabs are expanded.
    ///   - mayContinue: whether the address and the title may be in lines of their own. After CRLF they are not found.
    mutating func take(from lines: inout [SourceLine], mayContinue: Bool) {
        guard lines.contains(where: { $0.isLinkReference }) else { return }
        var rest: [SourceLine] = []
        var index = 0
        while index < lines.count {
            let count = define(lines[index...].prefix(mayContinue ? 3 : 1))
            rest.append(count == 0 ? lines[index] : SourceLine(number: lines[index].number, text: []))
            index += max(count, 1)
        }
        lines = rest
    }

    /// - Parameter lines: a line, and those after it that may belong to it.
    /// - Returns: the number of lines that define a name; 0 when the first does not.
    private mutating func define(_ lines: ArraySlice<SourceLine>) -> Int {
        guard let first = lines.first, first.isLinkReference else { return 0 }
        let text = first.text.dropFirst(first.indentation + 1)
        guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return 0 }
        var rest = text[(close + 2)...].drop(while: Self.isSpace)
        var next = lines.startIndex + 1
        if rest.isEmpty {
            guard next < lines.endIndex else { return 0 }
            rest = lines[next].text.drop(while: Self.isSpace)
            next += 1
        }
        if rest.first == UInt8(ascii: "<") { rest = rest.dropFirst() }
        let address = rest.prefix { $0 != UInt8(ascii: " ") }
        guard !address.isEmpty, address != [UInt8(ascii: ">")] else { return 0 }
        rest = rest[address.endIndex...].drop(while: Self.isSpace)
        if rest.isEmpty {
            let title = next < lines.endIndex ? lines[next].text.drop(while: Self.isSpace) : []
            if Self.isTitle(title) { next += 1 }
        } else if !Self.isTitle(rest) {
            return 0
        }
        names.insert(text[..<close].map(\.lowercased))
        return next - lines.startIndex
    }

    /// Whether the rest of a line is in quotes or parentheses; the closing one may be another.
    private static func isTitle(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let open = rest.first, "'\"(".utf8.contains(open) else { return false }
        let spaces = rest.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        let title = rest.dropFirst().dropLast(spaces)
        return title.count > 1 && title.last.map("'\")".utf8.contains) ?? false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension SourceLine {
    /// Whether it begins with `[name]:`.
    fileprivate var isLinkReference: Bool {
        let rest = text.dropFirst(min(indentation, 4))
        guard indentation < 4, rest.first == UInt8(ascii: "["), let close = rest.firstIndex(of: UInt8(ascii: "]"))
        else {
            return false
        }
        return close + 1 < rest.endIndex && rest[close + 1] == UInt8(ascii: ":")
    }
}
