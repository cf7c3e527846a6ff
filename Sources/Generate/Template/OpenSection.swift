import Model

/// The section of a template that is not closed: the innermost one.
struct OpenSection {
    /// From 1.
    let line: Int
    /// As it is written: `{{#events}}`.
    let tag: String
    /// What would close it: `{{/events}}`.
    let end: String

    /// - Returns: `nil` where all are closed, and where the template has delimiters of its own.
    init?(in text: String) {
        var open: [(line: Int, tag: Substring)] = []
        var line = 1
        var rest = text[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            line += rest[..<start.lowerBound].count(where: \.isNewline)
            let tag = rest[start.lowerBound..<end.upperBound]
            switch rest[start.upperBound] {
            case "#", "^", "$", "<": open.append((line, tag))
            case "/": _ = open.popLast()
            case "=": return nil
            default: break
            }
            line += tag.count(where: \.isNewline)
            rest = rest[end.upperBound...]
        }
        guard let last = open.last else { return nil }
        self.line = last.line
        tag = String(last.tag)
        end = "{{/" + last.tag.dropFirst(3)
    }
}
