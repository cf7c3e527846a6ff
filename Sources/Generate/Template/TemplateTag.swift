/// A tag of a template, such as `{{#events}}`.
struct TemplateTag {
    enum Kind { case opening, closing, inclusion, other }

    let kind: Kind
    /// The line where it begins, from 1.
    let line: Int
    /// As it is written.
    let text: Substring
    /// How many sections it is in that may be empty.
    let depth: Int

    /// The name of the template that it includes; `nil` if it includes none, or one that only what is rendered names.
    var included: String? {
        let name = Self.name(in: text)
        return (kind == .inclusion || text.hasPrefix("{{<")) && !name.hasPrefix("*") ? name : nil
    }

    /// The key of which it opens a section, without the objects that it is in, and what is made of it, such as
    /// `reversed(opening)`; `nil` if it opens none, or one of what is absent.
    var sectionKey: Substring? {
        guard text.hasPrefix("{{#") else { return nil }
        return Self.name(in: text).prefix { $0 != ")" }.split { $0 == "." || $0 == "(" }.last
    }

    private static func name(in tag: Substring) -> String { tag.dropFirst(3).dropLast(2).filter { !$0.isWhitespace } }

    /// Returns the tags of a template in their order; `nil` if it changes its delimiters.
    static func all(in text: String) -> [TemplateTag]? {
        var tags: [TemplateTag] = []
        var (line, depth) = (1, 0)
        // Whether each section that is open may be empty.
        var open: [Bool] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            line += rest[..<start.lowerBound].count(where: \.isNewline)
            let tag = rest[start.lowerBound..<end.upperBound]
            let kind: Kind
            switch rest[start.upperBound] {
            case "#", "^", "$", "<": kind = .opening
            case "/": kind = .closing
            case ">": kind = .inclusion
            case "=": return nil
            default: kind = .other
            }
            // A block, or the section of what there is in any case, is always rendered.
            let isOptional = "#^".contains(rest[start.upperBound]) && Self.name(in: tag) != "."
            if kind == .closing { depth -= open.popLast() ?? false ? 1 : 0 }
            tags.append(TemplateTag(kind: kind, line: line, text: tag, depth: depth))
            if kind == .opening {
                open.append(isOptional)
                depth += isOptional ? 1 : 0
            }
            line += tag.count(where: \.isNewline)
            rest = rest[end.upperBound...]
        }
        return tags
    }

    /// Returns the innermost section that is not closed; `nil` if there is none, or if it is not known.
    static func openSection(in text: String) -> TemplateTag? {
        var open: [TemplateTag] = []
        for tag in all(in: text) ?? [] {
            switch tag.kind {
            case .opening: open.append(tag)
            case .closing: _ = open.popLast()
            case .inclusion, .other: break
            }
        }
        return open.last
    }
}
