import Model

/// The nested list items of a parameter: its annotations, and its description.
struct Annotations {
    private(set) var privacy: Privacy?
    private(set) var values: (list: [String], line: Int)?
    private(set) var role: (role: ParameterRole, line: Int)?
    private(set) var description: [String] = []
    private var lineOfKind: [ExactString: Int] = [:]

    init(_ item: ListItem, _ problems: inout ProblemList) {
        read(item.children, &problems)
    }

    /// - Parameter isInList: whether the blocks are in a bulleted list below the parameter. Numbered items only count there.
    private mutating func read(_ blocks: [MarkdownBlock], isInList: Bool = false, _ problems: inout ProblemList) {
        for block in blocks {
            switch block.content {
            case .list(let items, let isOrdered):
                for item in items {
                    if !isOrdered || isInList {
                        take(item, &problems)
                    } else {
                        Self.refuse(item.lines, &problems)
                    }
                    read(item.children, isInList: !isOrdered || isInList, &problems)
                }
            case .paragraph, .code, .quote, .heading, .html, .rule: Self.refuse(in: block, &problems)
            }
        }
    }

    private mutating func take(_ item: ListItem, _ problems: inout ProblemList) {
        let text = item.text
        if item.lines.count > 1, Self.refuse(item.lines, &problems) { return }
        guard let annotation = AnnotationLine(text) else {
            if let misspelling = AnnotationLine.misspelling(text) {
                let message = "`\(Name.shown(text))` is only a description: write `- \(misspelling.suggestion)`"
                problems.add(.misspelledAnnotation, item.line, message, at: text, as: misspelling.severity)
            }
            return description.append(text)
        }
        if let line = lineOfKind.updateValue(item.line, forKey: ExactString(annotation.kind)) {
            let rule: LintRule = annotation.kind == "role" ? .roleConflict : .repeatedAnnotation
            let message = "line \(line) says the \(annotation.kind) of this parameter already: remove one of them"
            problems.add(rule, item.line, message, at: text)
            return
        }
        switch annotation {
        case .privacy(let privacy): self.privacy = privacy
        case .values(let list):
            values = (list.wrappedValue, item.line)
            let texts = list.wrappedValue.filter { !$0.isEmpty }
            if let changed = Name.firstUnwritten(texts, after: "values", in: item.lines) {
                let message = "Markdown reads a value here as `\(Name.shown(changed))`: write it in `` ` ``"
                problems.add(.invalidValues, item.line, message, at: changed)
            }
        case .role(let role): self.role = (role, item.line)
        }
    }

    /// Reports a `privacy` that has no effect at its place, since a value would not be protected as intended.
    /// - Returns: whether the text is one.
    @discardableResult
    static func refuse(_ text: String, _ line: Int, _ problems: inout ProblemList) -> Bool {
        guard AnnotationLine.saysPrivacy(text), !text.trimmed.hasPrefix("<!--") else { return false }
        let message = "`\(text.trimmed)` has no effect here: write it as an indented list item of its own, below its"
        problems.add(.misplacedAnnotation, line, "\(message) parameter", at: text.trimmed)
        return true
    }

    /// - Returns: whether any of the lines is one.
    @discardableResult
    static func refuse(_ lines: some Sequence<SourceLine>, _ problems: inout ProblemList) -> Bool {
        lines.reduce(false) { refuse($1.string, $1.number, &problems) || $0 }
    }

    /// Does the same for everything in a block. Comments are meant to be ignored.
    static func refuse(in block: MarkdownBlock, _ problems: inout ProblemList) {
        switch block.content {
        case .paragraph, .code, .quote, .heading: refuse(block.lines, &problems)
        case .list(let items, _):
            for item in items {
                refuse(item.lines, &problems)
                for child in item.children { refuse(in: child, &problems) }
            }
        case .html, .rule: break
        }
    }
}
