import API
import Model

/// A line of text with fields in braces: `{time} {level} user={payload.user_id}`. Two braces stand for one, and `\t`, `\n`
/// and `\\` for a tab, a line break and a backslash.
struct EventTemplate {
    private enum Part {
        case text(String)
        case field(EventField)
    }

    private var parts: [Part] = []

    /// - Throws: `ControlError` for a brace that is not closed, what is no field, and no text at all.
    init(_ template: String) throws(ControlError) {
        guard !template.isEmpty else {
            throw .wrongUsage("--template: the text is empty; write fields in braces, such as {time}")
        }
        var (text, rest) = ("", template.unicodeScalars[...])
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                text.unicodeScalars.append(scalar)
            case "{":
                guard let end = Self.end(of: rest) else {
                    throw .wrongUsage("--template: a { is not closed; write {{ for a brace")
                }
                if !text.isEmpty { parts.append(.text(text)) }
                text = ""
                parts.append(.field(try EventField(String(rest[..<end]))))
                rest = rest[rest.index(after: end)...]
            case "}": throw .wrongUsage("--template: a } was not opened; write }} for a brace")
            case "\\":
                let escaped = rest.first.flatMap { Self.escapes[$0] }
                if escaped != nil { rest.removeFirst() }
                text.unicodeScalars.append(escaped ?? scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        if !text.isEmpty { parts.append(.text(text)) }
    }

    /// What stands behind a backslash, and what it means. Before anything else, the backslash is one.
    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = ["t": "\t", "n": "\n", "\\": "\\"]

    /// Returns the place of the brace that ends a field: not one in quotes.
    private static func end(of field: Substring.UnicodeScalarView) -> String.Index? {
        var quotes = KeyList.Quotes()
        return field.indices.first { !quotes.contains(field[$0]) && field[$0] == "}" }
    }

    /// The members of event lines that it is made from.
    var members: [String] {
        parts.flatMap { part -> [String] in
            switch part {
            case .text: []
            case .field(let field): field.members
            }
        }
    }

    /// The line of an event; nothing stands for what it does not have.
    func line(_ event: EventLine, _ zone: Zone) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): field.plain(of: event, zone) ?? ""
            }
        }.joined() + "\n"
    }
}
