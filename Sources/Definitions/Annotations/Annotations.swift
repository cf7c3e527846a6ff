import Model

/// The nested list items of a parameter: its annotations, and its description.
struct Annotations {
    private(set) var privacy: (privacy: Privacy, line: Int)?
    private(set) var values: (list: [String], line: Int)?
    private(set) var role: (role: ParameterRole, line: Int)?
    private(set) var description: [String] = []

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
        /// Reports the second annotation of a kind, which contradicts or repeats the first.
        func repeats(_ line: Int?, _ kind: String, _ rule: LintRule = .repeatedAnnotation) -> Bool {
            guard let line else { return false }
            let message = "line \(line) says the \(kind) of this parameter already: remove one of them"
            problems.add(rule, item.line, message, at: text)
            return true
        }
        switch annotation {
        case .privacy(let privacy):
            if !repeats(self.privacy?.line, "privacy") { self.privacy = (privacy, item.line) }
        case .values(let list):
            guard !repeats(values?.line, "values") else { return }
            values = (list, item.line)
            let texts = list.filter { !$0.isEmpty }
            if let changed = Name.firstUnwritten(texts, after: "values", in: item.lines) {
                let message = "Markdown reads a value here as `\(Name.shown(changed))`: write it in `` ` ``"
                problems.add(.invalidValues, item.line, message, at: changed)
            }
        case .role(let role):
            if !repeats(self.role?.line, "role", .roleConflict) { self.role = (role, item.line) }
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
