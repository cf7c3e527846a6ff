import Model

/// A dictionary's definitions by key, and what decides over the events that are held against them.
struct DefinitionIndex: Sendable {
    /// All that is checked of an event.
    struct Rules: Sendable, Hashable {
        var isObsolete: Bool
        /// Without what is only written for people.
        var parameters: Set<Parameter>

        var names: Set<ExactString> { Set(exact: parameters.map(\.name)) }

        var hasCustomTypes: Bool {
            parameters.contains { if case .custom = $0.type { true } else { false } }
        }
    }

    let options: DictionaryOptions
    let version: String
    /// The names whose values are replaced, wherever they stand.
    let protected: [ExactString: Privacy]
    private let common: [Parameter]
    private let ofCategory: [ExactString: [Parameter]]
    private let definitions: [EventKey: Definition]

    init(_ dictionary: EventDictionary) {
        options = dictionary.options
        version = dictionary.version
        common = dictionary.common
        ofCategory = Dictionary(
            dictionary.categories.map { (ExactString($0.name), $0.parameters) }, uniquingKeysWith: { first, _ in first }
        )
        let all = dictionary.categories.flatMap(\.definitions)
        definitions = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        protected = dictionary.confirmedNames
    }

    func defines(_ key: EventKey) -> Bool { definitions[key] != nil }

    /// `nil` when there is no such definition.
    func rules(for key: EventKey) -> Rules? {
        guard let definition = definitions[key] else { return nil }
        let parameters = definition.parameters + (ofCategory[key.category] ?? []) + common
        return Rules(isObsolete: definition.isObsolete, parameters: Set(parameters.map(\.checked)))
    }

    func covers(subsystem: String, category: String) -> Bool {
        options.subsystem.matches(subsystem) && options.category.matches(category)
    }
}

extension Parameter {
    /// What of it bears on the check of a value.
    fileprivate var checked: Parameter {
        Parameter(
            name: name, type: type, isOptional: isOptional, maximumBytes: maximumBytes, isObsolete: isObsolete,
            privacy: privacy, allowedValues: allowedValues)
    }
}
