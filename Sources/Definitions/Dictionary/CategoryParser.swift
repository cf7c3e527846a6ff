import Model

/// Parses a file to a category: the part before the first h2 describes the category, and each h2 begins an event.
struct CategoryParser {
    /// The part of the category itself, or of one event.
    private struct Section {
        /// The heading; `nil` for the category itself and for an event whose heading has an error.
        var heading: EventHeading?
        var line: Int
        var paragraphs: [String] = []
        var annotations = TextAnnotations()
        var parameters: [Parameter] = []
        var list: Int?
    }

    private let name: String
    private let parameterParser: ParameterParser
    private var problems: ProblemList
    private var section = Section(heading: nil, line: 1)
    private var isInCategory = true
    private var category: DefinitionCategory
    /// The parts of the file, in order.
    private var sections = [FileSection()]
    private var isCommon: Bool { problems.file == DictionaryParser.commonFile }
    /// The place of each event in the category's definitions, and the line of its list; `nil` when it has none.
    private var places: [ExactString: (index: Int, list: Int?)] = [:]

    static func parse(
        _ file: DefinitionFile, name: String, options: DictionaryOptions, types: [ExactString: CustomType],
        mostProblems: Int
    ) -> ParsedCategory {
        var parser = CategoryParser(
            name: name, options: options, types: types, problems: ProblemList(file: file.name, limit: mostProblems))
        if let fault = Name.fault(of: name, longest: options.maximumNameLength) {
            parser.problems.add(fault.rule, 0, "\(fault.message) (the file's name is the category's name)")
        }
        if SourceText.check(file.bytes, &parser.problems) {
            for block in BlockParser.blocks(of: file.bytes) { parser.take(block) }
            parser.endSection()
            parser.checkTexts()
        }
        return ParsedCategory(
            category: parser.category, problems: parser.problems.problems, sections: parser.sections)
    }

    private init(
        name: String, options: DictionaryOptions, types: [ExactString: CustomType], problems: ProblemList
    ) {
        self.name = name
        parameterParser = ParameterParser(options: options, types: types)
        self.problems = problems
        category = DefinitionCategory(name: name, title: nil, description: "", parameters: [], definitions: [])
    }

    /// - Parameter isReadAgain: whether it is of a paragraph that is read again.
    private mutating func take(_ block: MarkdownBlock, isReadAgain: Bool = false) {
        LostLines.check(block, &problems)
        switch block.content {
        case .heading(let level, let isUnderlined): heading(block, level: level, isUnderlined: isUnderlined)
        case .paragraph:
            if !isReadAgain, let list = LostLines.firstOfLostList(block.lines) {
                readAgain(block, from: list)
            } else {
                paragraph(block)
            }
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
            let isLost = block.lines.first.map(LostLines.isParameter) ?? false
            problems.add(
                .underlinedHeading, block.line,
                "the line below makes this a heading: write `\(level == 1 ? "#" : "##") \(Name.shown(text))`,"
                    + " or put an empty line between", as: isLost ? .error : nil)
        }
        switch level {
        case 1: heading(text, line: block.line)
        case 2:
            endSection()
            isInCategory = false
            section = Section(heading: EventHeading(block, parameterParser.options, &problems), line: block.line)
            sections.append(FileSection(line: block.line, name: section.heading?.name))
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

    /// Reads a paragraph with a list in it as it is meant, so that the other problems in it are found at the same time. The rest may
    /// be a paragraph with a list again. That one stays text: to read it again each time would take quadratic time and memory.
    private mutating func readAgain(_ block: MarkdownBlock, from list: Int) {
        paragraph(MarkdownBlock(content: .paragraph, lines: Array(block.lines[..<list]), links: block.links))
        for part in BlockParser.blocks(of: Array(block.lines[list...]), depth: 0, links: block.links) {
            take(part, isReadAgain: true)
        }
    }

    private mutating func paragraph(_ block: MarkdownBlock) {
        Annotations.refuse(in: block, &problems)
        let text = section.annotations.take(block, &problems)
        if !text.isEmpty || block.text.isEmpty { section.paragraphs.append(text) }
    }

    private mutating func list(_ items: [ListItem]) {
        let line = items.first?.line ?? section.line
        if let first = section.list { return refuseList(line, after: first) }
        section.list = line
        var names: Set<ExactString> = []
        for item in items {
            guard let parameter = parameterParser.parameter(item, isShared: isInCategory, &problems) else { continue }
            section.parameters.append(parameter)
            if !names.insert(parameter.name) {
                let message =
                    "`\(parameter.name)` is defined twice in this list, and the first counts: remove one of them"
                problems.add(.duplicateParameter, item.line, message, at: parameter.name)
            }
        }
    }

    private mutating func refuseList(_ line: Int, after first: Int) {
        let message = "only the first list of an event is read, the one at line \(first): move these lines up to it"
        problems.add(.secondList, line, message)
    }

    private mutating func endSection() {
        let description = section.paragraphs.joined(separator: "\n\n")
        let annotations = section.annotations
        if isInCategory {
            category.description = description
            category.sentName = annotations.sentName?.name
            category.allowsExtra = annotations.allowsExtra
            category.parameters = section.parameters
            if isCommon, let (_, line) = annotations.sentName {
                let message = "`sent as` is for events and their categories: write it there"
                problems.add(.misplacedAnnotation, line, message, at: "sent as")
            }
            return
        }
        guard let heading = section.heading else { return }
        if let place = places[heading.name] { return merge(heading, description, place.index, list: place.list) }
        places[heading.name] = (category.definitions.count, section.list)
        category.definitions.append(
            Definition(
                key: EventKey(category: name, name: heading.name), description: description,
                isObsolete: heading.isObsolete, sentName: annotations.sentName?.name,
                allowsExtra: annotations.allowsExtra, parameters: section.parameters, line: section.line))
    }
}

extension CategoryParser {
    /// Reports events without a description.
    private mutating func checkTexts() {
        for definition in category.definitions where definition.description.isEmpty {
            let name = definition.key.name
            if places[name]?.list == nil, definition.sentName == nil, definition.allowsExtra == nil {
                let message = "daifuku drops an event without text and list: write when it is sent"
                problems.add(.droppedEvent, definition.line, message, at: name)
            } else if !definition.isObsolete, !isCommon {
                let message = "`\(name)` has no description: write when it is sent"
                problems.add(.undescribedEvent, definition.line, message, at: name)
            }
        }
    }

    /// Adds the section to the event of the same heading: the texts of both, and the first list.
    private mutating func merge(_ heading: EventHeading, _ description: String, _ index: Int, list: Int?) {
        let name = heading.name
        let first = category.definitions[index].line
        guard category.definitions[index].isObsolete == heading.isObsolete else {
            let message = "`\(name)` is defined at line \(first) already: remove one, or rename it"
            return problems.add(.duplicateEvent, section.line, message, at: name, as: .error)
        }
        let message = "`\(name)` goes on here from line \(first): write both together, or rename one"
        problems.add(.duplicateEvent, section.line, message, at: name)
        if !description.isEmpty {
            // In place: to join the texts each time would take quadratic time.
            let separator = category.definitions[index].description.isEmpty ? "" : "\n\n"
            category.definitions[index].description += separator + description
        }
        let annotations = section.annotations
        category.definitions[index].sentName = category.definitions[index].sentName ?? annotations.sentName?.name
        category.definitions[index].allowsExtra = category.definitions[index].allowsExtra ?? annotations.allowsExtra
        guard let line = section.list else { return }
        if let list { return refuseList(line, after: list) }
        category.definitions[index].parameters = section.parameters
        places[name]?.list = line
    }
}

/// The result of parsing one file.
struct ParsedCategory {
    var category: DefinitionCategory
    var problems: [DefinitionProblem]
    var sections: [FileSection]
}
