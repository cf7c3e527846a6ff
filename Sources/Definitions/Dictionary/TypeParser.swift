import Model

/// Parses the files of the folder `types`, which daifuku does not read: each h2 begins a custom type, and its list has the
/// members of an object, or the allowed values, or in one item another type.
struct TypeParser {
    /// The folder within the dictionary's folder, and the beginning of the names of its files.
    static let folder = "types"

    /// Whether a file of this name is in the folder.
    static func isOfType(_ file: String) -> Bool { file.hasPrefix("\(folder)/") && file.hasSuffix(".md") }

    /// A part of a file with one type.
    private struct Section {
        /// Its index in `files`.
        var file: Int
        var name: String
        var line: Int
        var paragraphs: [String] = []
        var annotations = TextAnnotations()
        var items: [ListItem] = []
    }

    private let options: DictionaryOptions
    /// The most problems of a file.
    private let mostProblems: Int
    private var files: [ParsedTypes.File] = []
    private var sections: [Section] = []
    private var places: [ExactString: Int] = [:]
    private var meanings: [ExactString: CustomType] = [:]
    private var definitions: [TypeDefinition] = []
    /// The types that others refer to.
    private var used: Set<ExactString> = []
    /// The types that are being read because one refers to the next.
    private var open: [ExactString] = []
    /// The deepest of what each of them refers to, so far.
    private var deepest: [Depth] = []
    /// How deep the types are that are known.
    private var depths: [ExactString: Depth] = [:]
    /// The types that have no meaning: they have an error, or are nested too deeply.
    private var refused: Set<ExactString> = []

    /// How many types are within each other in a type, itself included, and the one in it that leads to the last of them.
    private struct Depth {
        var count = 0
        var next: ExactString?
    }
    private var cycles: [ExactString: [ExactString]] = [:]
    /// The section that is being read; `nil` before the first heading, and after one that names no type.
    private var current: Int?
    private var isAfterHeading = false

    /// The most types within each other. Payloads are not nested deeper than 128, and each level takes stack.
    private static let maximumDepth = 32

    /// - Parameter files: the files of the folder, sorted by name.
    static func parse(_ files: [DefinitionFile], options: DictionaryOptions, mostProblems: Int) -> ParsedTypes {
        var parser = TypeParser(options: options, mostProblems: mostProblems)
        for file in files { parser.read(file) }
        for section in parser.sections { _ = parser.meaning(of: ExactString(section.name)) }
        return ParsedTypes(
            meanings: parser.meanings.merging(options.types) { _, setting in setting },
            definitions: parser.definitions.sorted { $0.name < $1.name }, files: parser.files, used: parser.used,
            declared: Set(parser.places.keys), cycles: parser.cycles)
    }

    private init(options: DictionaryOptions, mostProblems: Int) {
        self.options = options
        self.mostProblems = mostProblems
    }

    // MARK: files

    private mutating func read(_ file: DefinitionFile) {
        files.append(ParsedTypes.File(problems: ProblemList(file: file.name, limit: mostProblems)))
        (current, isAfterHeading) = (nil, false)
        guard SourceText.check(file.bytes, &files[files.count - 1].problems) else { return }
        for block in BlockParser.blocks(of: file.bytes) { take(block) }
    }

    private var problems: ProblemList {
        get { files[files.count - 1].problems }
        set { files[files.count - 1].problems = newValue }
    }

    private mutating func take(_ block: MarkdownBlock) {
        LostLines.check(block, &problems)
        switch block.content {
        case .heading(let level, _):
            if level == 2 { begin(block) } else { Annotations.refuse(in: block, &problems) }
        case .paragraph:
            Annotations.refuse(in: block, &problems)
            guard let current else { return }
            var annotations = sections[current].annotations
            let text = annotations.take(block, &problems)
            if !text.isEmpty { sections[current].paragraphs.append(text) }
            sections[current].annotations = annotations
        case .list(let items, isOrdered: false): list(items)
        case .list(_, isOrdered: true), .quote, .code, .html, .rule: Annotations.refuse(in: block, &problems)
        }
    }

    private mutating func begin(_ block: MarkdownBlock) {
        (current, isAfterHeading) = (nil, true)
        guard let heading = EventHeading(block, options, &problems) else { return unnamed(block) }
        let name = heading.name
        if heading.isObsolete {
            let advice = "write `## \(Name.shown(name))`, and mark the parameters that have it"
            problems.add(
                .obsoleteMarker, block.line, "a type has no obsolete marker: \(advice)", at: EventHeading.marker)
        }
        guard name.utf8.allSatisfy(\.isWordByte), ParameterType(builtIn: name) == nil else {
            let message = "`\(Name.shown(name))` cannot be the name of a type: write letters, digits and _, such as"
            problems.add(.invalidType, block.line, "\(message) `## Device`", at: name)
            return unnamed(block)
        }
        if let first = places[name] {
            let place = "\(files[sections[first].file].problems.file):\(sections[first].line)"
            let message = "`\(name)` is defined at \(place) already: remove one, or rename it"
            problems.add(.duplicateType, block.line, message, at: name, related: place)
            guard sections[first].file != files.count - 1 else { return unnamed(block) }
            return files[files.count - 1].sections.append(FileSection(line: block.line, name: name))
        }
        places[name] = sections.count
        current = sections.count
        files[files.count - 1].sections.append(FileSection(line: block.line, name: name))
        sections.append(Section(file: files.count - 1, name: name, line: block.line))
    }

    private mutating func unnamed(_ block: MarkdownBlock) {
        files[files.count - 1].sections.append(FileSection(line: block.line, name: nil))
    }

    private mutating func list(_ items: [ListItem]) {
        let line = items.first?.line ?? 0
        guard let current else {
            guard !isAfterHeading else { return }
            let message = "this list belongs to no type: write a heading such as `## Device` above it"
            return problems.add(.invalidType, line, message)
        }
        guard let first = sections[current].items.first else { return sections[current].items = items }
        let message = "only the first list of a type is read, the one at line \(first.line): move these lines up to it"
        problems.add(.secondList, line, message)
    }

    // MARK: meanings

    /// Returns what a type means, and first what those mean that it refers to.
    private mutating func meaning(of name: ExactString) -> CustomType? {
        if let known = meanings[name] {
            note(name)
            return options.types[name] ?? known
        }
        if refused.contains(name) { return nil }
        guard let place = places[name] else { return options.types[name] }
        let section = sections[place]
        if let start = open.firstIndex(of: name) {
            let way = (open[start...] + [name]).map(\.text).joined(separator: " -> ")
            let message = "a type cannot contain itself (\(way)): remove the member, or give it the type !any"
            files[section.file].problems.add(.recursiveType, section.line, message, at: section.name)
            cycles[name, default: []] += open[start...]
            return nil
        }
        guard open.count < Self.maximumDepth else {
            refuseDepth(of: section)
            cycles[name, default: []] += open
            return nil
        }
        open.append(name)
        deepest.append(Depth())
        let meaning = read(section)
        var depth = deepest.popLast() ?? Depth()
        open.removeLast()
        guard let meaning else {
            refused.insert(name)
            return nil
        }
        // Those that it refers to may have been read before.
        depth.count += 1
        guard depth.count <= Self.maximumDepth else {
            refuseDepth(of: section)
            refused.insert(name)
            var next = depth.next
            while let within = next {
                cycles[name, default: []].append(within)
                next = depths[within]?.next
            }
            return nil
        }
        (meanings[name], depths[name]) = (meaning, depth)
        note(name)
        definitions.append(
            TypeDefinition(
                name: section.name, description: section.paragraphs.joined(separator: "\n\n"), meaning: meaning,
                file: files[section.file].problems.file, line: section.line))
        return options.types[name] ?? meaning
    }

    /// Notes that the type that is being read refers to a known one.
    private mutating func note(_ name: ExactString) {
        // Types of the settings refer to none.
        let count = options.types[name] == nil ? depths[name]?.count ?? 0 : 1
        guard let last = deepest.indices.last, count > deepest[last].count else { return }
        deepest[last] = Depth(count: count, next: name)
    }

    private mutating func refuseDepth(of section: Section) {
        let message = "types are nested deeper than \(Self.maximumDepth): use fewer levels, or the type !any"
        files[section.file].problems.add(.recursiveType, section.line, message, at: section.name)
    }

    private mutating func read(_ section: Section) -> CustomType? {
        if let (_, line) = section.annotations.sentName {
            let message = "`sent as` is for events and their categories: write it there"
            files[section.file].problems.add(.misplacedAnnotation, line, message, at: "sent as")
        }
        guard let first = section.items.first else {
            let message = "`\(section.name)` has no list: write its members (`- os: !string`), its values (`- ios`), or"
            files[section.file].problems.add(
                .invalidType, section.line, "\(message) a type (`- [Item] 50`)", at: section.name)
            return nil
        }
        let isObject = section.items.contains { ParameterLine($0.text, allowsArrays: true) != nil }
        let isType = first.text.hasPrefix("!") || first.text.hasPrefix("[") || isName(ofType: first, of: section)
        let meaning = isObject ? object(section) : isType ? other(section, first) : values(section)
        if !isObject, section.annotations.allowsExtra != nil {
            let message = "`\(section.name)` has no members: remove `extra parameters`"
            files[section.file].problems.add(.misplacedAnnotation, section.line, message, at: section.name)
        }
        return meaning
    }

    /// Whether the only item of a section is the name of another type.
    private func isName(ofType item: ListItem, of section: Section) -> Bool {
        let name = ExactString(item.text)
        return section.items.count == 1 && item.text != section.name
            && (places[name] != nil || options.types[name] != nil)
    }

    /// Returns a parser that knows the types to which some texts refer.
    private mutating func parser(for texts: [TypeText]) -> ParameterParser {
        let names = Set(exact: texts.compactMap { $0.customName.map(String.init) })
        var parser = ParameterParser(options: options, types: [:], isOfType: true)
        for name in names.sorted() {
            used.insert(name)
            parser.types[name] = meaning(of: name)
        }
        return parser
    }

    private mutating func object(_ section: Section) -> CustomType {
        let parser = parser(
            for: section.items.compactMap { ParameterLine($0.text, allowsArrays: true)?.type })
        var members: [Parameter] = []
        var names: Set<ExactString> = []
        for item in section.items {
            guard let member = parser.parameter(item, isShared: false, &files[section.file].problems) else { continue }
            guard names.insert(member.name) else {
                let message = "`\(member.name)` is defined twice in this list: remove one of them"
                files[section.file].problems.add(
                    .duplicateParameter, item.line, message, at: member.name, as: .error)
                continue
            }
            members.append(member)
        }
        return .object(ObjectType(members: members, allowsExtra: section.annotations.allowsExtra ?? false))
    }

    private mutating func other(_ section: Section, _ item: ListItem) -> CustomType? {
        func refuse(_ line: Int, _ message: String, at text: String) -> CustomType? {
            files[section.file].problems.add(.invalidType, line, message, at: text)
            return nil
        }
        for child in item.children { Annotations.refuse(in: child, &files[section.file].problems) }
        guard let text = TypeText(item.text[...], allowsArrays: true), item.text[text.end...].isEmpty, !text.isOptional
        else {
            let message = "`\(Name.shown(item.text))` is no type: write, for example, `!string 64` or `[Item] 50`"
            return refuse(item.line, message, at: item.text)
        }
        if section.items.count > 1 {
            let message = "a type that means another has one item: remove this one, or write members (`name: !string`)"
            return refuse(section.items[1].line, message, at: section.items[1].text)
        }
        let parser = parser(for: [text])
        return parser.type(text, item.line, &files[section.file].problems).map { .same(as: $0) }
    }

    private mutating func values(_ section: Section) -> CustomType? {
        var values: [ExactString] = []
        var known: Set<ExactString> = []
        for item in section.items {
            for child in item.children { Annotations.refuse(in: child, &files[section.file].problems) }
            let value = ExactString(item.text)
            if item.text.isEmpty || !known.insert(value).inserted {
                let message =
                    item.text.isEmpty ? "a value is missing" : "`\(Name.shown(item.text))` is listed twice: remove one"
                files[section.file].problems.add(.invalidValues, item.line, message, at: item.text)
                continue
            }
            if !Name.isWritten(item.text[...], in: item.lines) {
                let message = "Markdown reads a value here as `\(Name.shown(item.text))`: write it in `` ` ``"
                files[section.file].problems.add(.invalidValues, item.line, message, at: item.text)
            }
            values.append(value)
        }
        return values.isEmpty ? nil : .values(values)
    }
}
