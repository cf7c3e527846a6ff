import Model

/// What the nested list items of a parameter say: annotations, and what is left to describe it.
struct Annotations {
    private(set) var privacy: Privacy?
    private(set) var values: (list: [String], line: Int)?
    private(set) var role: (role: ParameterRole, line: Int)?
    private(set) var isIndexed = false
    private(set) var description: [String] = []
    private var lineOfKind: [String: Int] = [:]

    init(_ item: ListItem, _ problems: inout ProblemList) {
        read(item.children, &problems)
    }

    private mutating func read(_ blocks: [MarkdownBlock], _ problems: inout ProblemList) {
        for block in blocks {
            switch block.content {
            case .list(let items, isOrdered: false):
                for item in items {
                    take(item, &problems)
                    read(item.children, &problems)
                }
            case .list(let items, isOrdered: true):
                for item in items { Self.refuse(item.text, item.line, &problems) }
            case .paragraph, .code:
                for line in block.lines { Self.refuse(line.string, line.number, &problems) }
            case .heading, .quote, .html, .rule: break
            }
        }
    }

    private mutating func take(_ item: ListItem, _ problems: inout ProblemList) {
        let text = item.text
        guard let annotation = AnnotationLine(text) else {
            if let misspelling = AnnotationLine.misspelling(text) {
                let message = "`\(Name.shown(text))` is only a description: write `- \(misspelling.suggestion)`"
                problems.add(.misspelledAnnotation, item.line, message, at: text, as: misspelling.severity)
            }
            return description.append(text)
        }
        if let line = lineOfKind.updateValue(item.line, forKey: annotation.kind) {
            let rule: LintRule = annotation.kind == "role" ? .roleConflict : .repeatedAnnotation
            let message = "line \(line) says the \(annotation.kind) of this parameter already: remove one of them"
            problems.add(rule, item.line, message, at: text)
            return
        }
        switch annotation {
        case .privacy(let privacy): self.privacy = privacy
        case .values(let list): values = (list, item.line)
        case .role(let role): self.role = (role, item.line)
        case .indexed: isIndexed = true
        }
    }

    /// Says that a `privacy` has no effect where it stands: what was to be protected would not be.
    /// - Returns: whether the text is one.
    @discardableResult
    static func refuse(_ text: some StringProtocol, _ line: Int, _ problems: inout ProblemList) -> Bool {
        let text = text.drop { $0 == " " }
        guard text.utf8.count < 32, case .privacy? = AnnotationLine(text.lowercased()) else { return false }
        let message = "`\(text)` has no effect here: write it as an indented list item below its parameter"
        problems.add(.misplacedAnnotation, line, message, at: text)
        return true
    }
}
