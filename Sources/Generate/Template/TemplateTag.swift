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

    /// The name in it, without its mark.
    var name: String { text.dropFirst(3).dropLast(2).filter { !$0.isWhitespace } }

    /// Returns the tags of a template in their order; `nil` if it changes its delimiters.
    static func all(in text: String) -> [TemplateTag]? {
        var tags: [TemplateTag] = []
        var (line, depth) = (1, 0)
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
            // The section of what there is in any case decides nothing.
            let mayEnd = tag.dropFirst(3).dropLast(2) != "."
            if kind == .closing, mayEnd { depth = max(0, depth - 1) }
            tags.append(TemplateTag(kind: kind, line: line, text: tag, depth: depth))
            if kind == .opening, mayEnd { depth += 1 }
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
