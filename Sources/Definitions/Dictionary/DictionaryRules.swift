import Model

/// What must hold across the files of a dictionary.
///
/// - Source: the rules of daifuku's validator: reserved names, shadowing, one type for each name.
struct DictionaryRules {
    /// What a warehouse adds to every event by itself.
    static let reservedNames: Set<String> = ["event_name", "event_category", "log_id", "id"]

    private static let limit = 1000

    private let options: DictionaryOptions
    private var problems: [DefinitionProblem] = []
    private var firstOfName: [String: (parameter: Parameter, file: String)] = [:]

    static func check(
        common: DefinitionCategory?, categories: [DefinitionCategory], options: DictionaryOptions
    ) -> [DefinitionProblem] {
        var rules = DictionaryRules(options: options)
        let commonNames = rules.lines(of: common?.parameters ?? [])
        if let common {
            for parameter in common.parameters { rules.shared(parameter, DictionaryParser.commonFile) }
            if let event = common.definitions.first {
                rules.add(
                    .warning, DictionaryParser.commonFile, event.line, "events here are ignored: move them elsewhere")
            }
        }
        for category in categories {
            let file = "\(category.name).md"
            for parameter in category.parameters {
                rules.shared(parameter, file)
                rules.unique(parameter, file, among: commonNames, of: DictionaryParser.commonFile)
            }
            let categoryNames = rules.lines(of: category.parameters)
            for parameter in category.definitions.lazy.flatMap(\.parameters) {
                rules.notReserved(parameter, file)
                rules.unique(parameter, file, among: commonNames, of: DictionaryParser.commonFile)
                rules.unique(parameter, file, among: categoryNames, of: file)
                rules.sameType(parameter, file)
            }
        }
        return rules.problems
    }

    private init(options: DictionaryOptions) {
        self.options = options
    }

    private func lines(of parameters: [Parameter]) -> [String: Int] {
        Dictionary(parameters.map { ($0.name, $0.line) }) { first, _ in first }
    }

    /// daifuku lets reserved names pass in the lists that many events share.
    private mutating func shared(_ parameter: Parameter, _ file: String) {
        if Self.reservedNames.contains(parameter.name) {
            add(.warning, file, parameter.line, "`\(parameter.name)` is reserved, no event may define it itself")
        }
        sameType(parameter, file)
    }

    private mutating func notReserved(_ parameter: Parameter, _ file: String) {
        if Self.reservedNames.contains(parameter.name) {
            add(.error, file, parameter.line, "`\(parameter.name)` is reserved: choose another name")
        } else if parameter.name == options.categoryKey || parameter.name == options.nameKey {
            add(
                .error, file, parameter.line,
                "`\(parameter.name)` is the key that finds definitions: choose another name")
        }
    }

    private mutating func unique(
        _ parameter: Parameter, _ file: String, among names: [String: Int], of other: String
    ) {
        guard let line = names[parameter.name] else { return }
        add(
            .error, file, parameter.line,
            "`\(parameter.name)` is a parameter of every event by \(other):\(line): remove it here")
    }

    private mutating func sameType(_ parameter: Parameter, _ file: String) {
        guard let first = firstOfName[parameter.name] else {
            firstOfName[parameter.name] = (parameter, file)
            return
        }
        guard first.parameter.type != parameter.type || first.parameter.maximumBytes != parameter.maximumBytes else {
            return
        }
        add(
            .error, file, parameter.line,
            "`\(parameter.name)` is \(parameter.typeText) here and \(first.parameter.typeText) at "
                + "\(first.file):\(first.parameter.line): give both the same type and length, or another name")
    }

    private mutating func add(
        _ severity: DefinitionProblem.Severity, _ file: String, _ line: Int, _ message: String
    ) {
        // Enough to work with; one error more must always get in, since it decides.
        guard problems.count < Self.limit || (severity == .error && !problems.contains { $0.severity == .error }) else {
            return
        }
        problems.append(DefinitionProblem(severity, file: file, line: line, message: message))
    }
}

extension Parameter {
    /// Type and length as definitions write them.
    var typeText: String {
        let name =
            switch type {
            case .custom(let name, _): name
            default: "!\(type.name)"
            }
        return maximumBytes.map { "\(name) \($0)" } ?? name
    }
}
