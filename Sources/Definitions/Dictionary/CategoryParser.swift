import Model

/// Parses a file to a category: the part before the first h2 describes the category, and each h2 begins an event.
struct CategoryParser {
    /// The part of the category itself, or of one event.
    private struct Section {
        /// The heading; `nil` for the category itself and for an event whose heading has an error.
        var heading: EventHeading?
        var line: Int
        var paragraphs: [String] = []
        var parameters: [Parameter] = []
        var list: Int?
        var isEmpty: Bool { paragraphs.isEmpty && list == nil }
    }

    private let name: String
    private var parameterParser: ParameterParser
    private var problems: ProblemList
    private var title: String?
    private var section = Section(heading: nil, line: 1)
    private var isInCategory = true
    private var category: DefinitionCategory
    private var isCommon: Bool { problems.file == DictionaryParser.commonFile }
    private var lineOfEvent: [ExactString: Int] = [:]

    static func parse(
        _ file: DefinitionFile, name: String, types: [ExactString: CustomType]
    ) -> ParsedCategory {
        var parser = CategoryParser(file: file, name: name, types: types)
        if let fault = Name.fault(of: name) {
            parser.problems.add(fault.rule, 0, "\(fault.message) (the file's name is the category's name)")
        }
        if SourceText.check(file.bytes, &parser.problems) {
            for block in BlockParser.blocks(of: SourceLine.lines(of: file.bytes)) { parser.take(block) }
            parser.endSection()
        }
        return ParsedCategory(
            category: parser.category, problems: parser.problems.problems,
            publicLines: parser.parameterParser.publicLines)
    }

    private init(file: DefinitionFile, name: String, types: [ExactString: CustomType]) {
        self.name = name
        parameterParser = ParameterParser(types: types)
        problems = ProblemList(file: file.name)
        category = DefinitionCategory(name: name, title: nil, description: "", parameters: [], definitions: [])
    }

    private mutating func take(_ block: MarkdownBlock) {
        LostLines.check(block, &problems)
        switch block.content {
        case .heading(let level, let isUnderlined): heading(block, level: level, isUnderlined: isUnderlined)
        case .paragraph: paragraph(block)
        case .list(let items, isOrdered: false): list(items)
        case .list(_, isOrdered: true), .quote, .code, .html, .rule: Annotations.refuse(in: block, &problems)
        }
    }

    private mutating func heading(_ block: MarkdownBlock, level: Int, isUnderlined: Bool) {
        let text = block.text
        if text.isEmpty {
            let message = "a heading without text is ignored: write `## name`, or remove it"
            return problems.add(.emptyHeading, block.line, message)
        }
        if isUnderlined {
            problems.add(
                .underlinedHeading, block.line,
                "the line below makes this a heading: write `\(level == 1 ? "#" : "##") \(Name.shown(text))`,"
                    + " or put an empty line between")
        }
        switch level {
        case 1: heading(text, line: block.line)
        case 2:
            endSection()
            isInCategory = false
            section = Section(heading: EventHeading(block, &problems), line: block.line)
        default: Annotations.refuse(in: block, &problems)
        }
    }

    private mutating func heading(_ title: String, line: Int) {
        guard category.title == nil else {
            let message = "only the first `#` heading is the title: write `## name` for an event"
            return problems.add(.secondTitle, line, message)
        }
        category.title = title
        if title != name {
            let message = "the title differs from the file's name, which is what counts: write `# \(name)`"
            problems.add(.titleMismatch, line, message, at: title)
        }
    }

    private mutating func paragraph(_ block: MarkdownBlock) {
        Annotations.refuse(in: block, &problems)
        // For Redcarpet a table is only a paragraph; it has no meaning here.
        if block.lines.first?.text.first == UInt8(ascii: "|") { return }
        section.paragraphs.append(block.text)
    }

    private mutating func list(_ items: [ListItem]) {
        let line = items.first?.line ?? section.line
        if let first = section.list {
            return problems.add(
                .secondList, line,
                "only the first list of an event is read, the one at line \(first): move these lines up to it")
        }
        section.list = line
        var names: Set<ExactString> = []
        for item in items {
            guard let parameter = parameterParser.parameter(item, &problems) else { continue }
            if names.insert(parameter.name) {
                section.parameters.append(parameter)
            } else {
                let message = "`\(parameter.name)` is defined twice in this list: remove one of them"
                problems.add(.duplicateParameter, item.line, message, at: parameter.name)
            }
        }
    }

    private mutating func endSection() {
        let description = section.paragraphs.joined(separator: "\n\n")
        if isInCategory {
            category.description = description
            category.parameters = section.parameters
            return
        }
        guard let heading = section.heading else { return }
        if let line = lineOfEvent[heading.name] {
            let message = "`\(heading.name)` is defined at line \(line) already: remove one, or rename it"
            return problems.add(.duplicateEvent, section.line, message, at: heading.name)
        }
        lineOfEvent[heading.name] = section.line
        if section.isEmpty {
            let message = "daifuku drops an event without text and list: write when it is sent"
            problems.add(.droppedEvent, section.line, message, at: heading.name)
        } else if section.paragraphs.isEmpty, !heading.isObsolete, !isCommon {
            let message = "`\(heading.name)` has no description: write when it is sent"
            problems.add(.undescribedEvent, section.line, message, at: heading.name)
        }
        category.definitions.append(
            Definition(
                key: EventKey(category: name, name: heading.name), description: description,
                isObsolete: heading.isObsolete, parameters: section.parameters, line: section.line))
    }
}

/// The result of parsing one file.
struct ParsedCategory {
    var category: DefinitionCategory
    var problems: [DefinitionProblem]
    /// The lines of parameters with `privacy: public`, which differs from no annotation.
    var publicLines: Set<Int> = []
}
