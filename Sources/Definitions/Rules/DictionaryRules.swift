import Model

/// Checks the rules across the files of a dictionary.
///
/// - Source: the rules of daifuku's validator: reserved names, shadowing, one type for each name.
struct DictionaryRules {
    private let layouts: [PayloadLayout]
    private let keyMembers: [MemberPath]
    /// Whether names alone may find definitions.
    private let findsByName: Bool
    private let reservedNames: Set<ExactString>
    private var findings: RuleFindings
    /// The custom types that parameters and other types have.
    private var usedTypes: Set<ExactString>
    private var names: NameRules

    static func check(
        common: ParsedCategory?, categories: [ParsedCategory], types: ParsedTypes, options: DictionaryOptions,
        mostProblems: Int, after earlier: [DefinitionProblem]
    ) -> [DefinitionProblem] {
        let findings = RuleFindings(limit: mostProblems, after: earlier)
        var rules = DictionaryRules(options: options, types: types, findings)
        let shared = common?.category.parameters ?? []
        if let common { rules.check(common: common) }
        let commonNames = rules.lines(of: shared)
        for category in categories { rules.check(category, commonNames) }
        for type in types.definitions {
            rules.check(type)
            for member in type.members { rules.checkKey(member, type.file) }
        }
        rules.checkSimilarNames(categories.map(\.category))
        rules.checkSentNames(categories.map(\.category))
        rules.names.finish(&rules.findings)
        return rules.findings.problems
    }

    private init(options: DictionaryOptions, types: ParsedTypes, _ findings: RuleFindings) {
        layouts = options.layouts
        keyMembers = options.keyMembers
        findsByName = options.findsByName
        reservedNames = Set(exact: options.reservedNames)
        self.findings = findings
        usedTypes = types.used
        names = NameRules(types: types.meanings, declared: types.declared)
    }

    private mutating func check(common: ParsedCategory) {
        let file = DictionaryParser.commonFile
        let objects = Set(exact: layouts.compactMap { $0.parametersAt?.steps.first })
        for parameter in common.category.parameters {
            checkShared(parameter, file)
            guard objects.contains(parameter.name) else { continue }
            let message = "`\(parameter.name)` has the parameters of events (`parameters_at`): it cannot be one of them"
            findings.add(.reservedName, file, parameter.line, message, at: parameter.name)
        }
        if let event = common.category.definitions.first {
            let message = "events here are ignored: move them elsewhere"
            findings.add(.ignoredEvent, file, event.line, message, at: event.key.name)
        }
    }

    private mutating func check(_ parsed: ParsedCategory, _ commonNames: [ExactString: Int]) {
        let category = parsed.category
        let file = category.file
        for parameter in category.parameters {
            checkShared(parameter, file)
            checkUnique(parameter, file, among: commonNames, of: DictionaryParser.commonFile, as: .warning)
        }
        let categoryNames = lines(of: category.parameters)
        for parameter in category.definitions.lazy.flatMap(\.parameters) {
            checkNotReserved(parameter, file)
            checkUnique(parameter, file, among: commonNames, of: DictionaryParser.commonFile)
            checkUnique(parameter, file, among: categoryNames, of: file, as: .warning)
            take(parameter, file, in: .event)
        }
        if category.definitions.isEmpty, !parsed.problems.hasErrors {
            let isMeantForAll = file.lowercased() == DictionaryParser.commonFile
            let advice =
                isMeantForAll ? "name it `common.md`, if it is for all events" : "write `## name` for each event"
            findings.add(.emptyCategory, file, 0, "no event is defined here: \(advice)")
        }
    }

    private func lines(of parameters: [Parameter]) -> [ExactString: Int] {
        Dictionary(parameters.map { (ExactString($0.name), $0.line) }) { first, _ in first }
    }

    /// Checks a shared parameter. daifuku accepts reserved names in the lists that many events share.
    private mutating func checkShared(_ parameter: Parameter, _ file: String) {
        if reservedNames.contains(parameter.name) {
            let message = "`\(parameter.name)` is reserved: no event can define it"
            findings.add(.reservedName, file, parameter.line, message, at: parameter.name, as: .warning)
        }
        checkKey(parameter, file)
        take(parameter, file, in: .shared)
    }

    private mutating func take(_ parameter: Parameter, _ file: String, in kind: NameRules.Kind) {
        if case .custom(let name, _) = parameter.type { usedTypes.insert(name) }
        names.take(parameter, file, in: kind, &findings)
    }

    private mutating func check(_ type: TypeDefinition) {
        for member in type.members { names.take(member, type.file, in: .type, &findings) }
        guard !usedTypes.contains(type.name) else { return }
        let message = "no parameter has the type `\(type.name)`: use it, as in `- name: \(type.name)`, or remove it"
        findings.add(.unusedType, type.file, type.line, message, at: type.name)
    }

    private mutating func checkNotReserved(_ parameter: Parameter, _ file: String) {
        if reservedNames.contains(parameter.name) {
            let message = "`\(parameter.name)` is reserved: choose another name"
            findings.add(.reservedName, file, parameter.line, message, at: parameter.name)
            return
        }
        if layouts.contains(where: { $0.members.contains($0.place(ofParameter: parameter.name)) }) {
            let message = "`\(parameter.name)` is the key that finds definitions: choose another name"
            findings.add(.reservedName, file, parameter.line, message, at: parameter.name)
        }
        checkKey(parameter, file)
    }

    /// Checks that a parameter, or a member of a type, does not hide the key: privacy goes by name, at any depth.
    private mutating func checkKey(_ parameter: Parameter, _ file: String) {
        guard parameter.privacy != .public,
            let key = keyMembers.first(where: { $0.objects.contains(parameter.name) })
        else { return }
        let message = "`\(parameter.name)` contains `\(key)`, the key that finds definitions: it cannot be private"
        findings.add(.reservedName, file, parameter.line, message, at: parameter.name)
    }

    /// Checks a name against the parameters that the event has anyway. daifuku refuses only a common parameter that an event
    /// repeats.
    private mutating func checkUnique(
        _ parameter: Parameter, _ file: String, among names: [ExactString: Int], of other: String,
        as severity: DefinitionProblem.Severity = .error
    ) {
        guard !names.isEmpty, let line = names[parameter.name] else { return }
        // They stand in different objects.
        if other == DictionaryParser.commonFile, layouts.allSatisfy({ $0.parametersAt != nil }) { return }
        let place = "\(other):\(line)"
        let events = other == DictionaryParser.commonFile ? "every event" : "every event of this category"
        let message = "`\(parameter.name)` is already a parameter of \(events) (\(place)): remove it here"
        findings.add(
            .shadowedParameter, file, parameter.line, message, at: parameter.name, as: severity, related: place)
    }

    /// Checks that each name in payloads belongs to one category, and in it to one event; or to one event of all, if names alone
    /// find definitions.
    private mutating func checkSentNames(_ categories: [DefinitionCategory]) {
        var files: [ExactString: String] = [:]
        var events: [ExactString: String] = [:]
        for category in categories {
            let file = category.file
            if let other = files.updateValue("\(file):1", forKey: ExactString(category.sentAs)) {
                let sent = Name.shown(category.sentAs)
                let message = "`\(category.name)` is sent as `\(sent)`, as is the category at \(other): rename one"
                findings.add(.sentNameConflict, file, 0, message, related: other)
            }
            if !findsByName { events = [:] }
            for definition in category.definitions {
                let place = "\(file):\(definition.line)"
                guard let other = events.updateValue(place, forKey: ExactString(definition.sentAs)) else { continue }
                let sent = EventKey(category: category.sentAs, name: definition.sentAs)
                let text = findsByName ? sent.name : "\(sent)"
                let message = "`\(definition.key.name)` is sent as `\(text)`, as is the event at \(other): rename one"
                findings.add(
                    .sentNameConflict, file, definition.line, message, at: definition.key.name, related: other)
            }
        }
    }

    /// Checks for categories and events whose names some file systems and warehouses treat as equal.
    private mutating func checkSimilarNames(_ categories: [DefinitionCategory]) {
        var files: [ExactString: String] = [:]
        for category in categories {
            let file = category.file
            if let other = files.updateValue(file, forKey: ExactString(category.name.lowercased())) {
                let message = "differs from \(other) only in case: rename one"
                findings.add(.similarName, file, 0, message, related: other)
            }
            var events: [ExactString: String] = [:]
            for definition in category.definitions {
                let name = definition.key.name
                guard let other = events.updateValue(name, forKey: ExactString(name.lowercased())) else { continue }
                let message = "`\(name)` differs from `\(other)` only in case: rename one"
                findings.add(.similarName, file, definition.line, message, at: name)
            }
        }
    }
}
