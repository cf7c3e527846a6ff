import Model

/// Builds the tree that templates are rendered with.
struct TreeBuilder {
    private let dictionary: EventDictionary
    private let language: Language
    private var shared = EnumerationScope(isShared: true)

    static func tree(of dictionary: EventDictionary, for language: Language, header: String) -> DictionaryNode {
        var builder = TreeBuilder(dictionary: dictionary, language: language)
        return builder.tree(header: header)
    }

    private mutating func tree(header: String) -> DictionaryNode {
        let common = used(dictionary.common).firstOfEachName
        let ofCategories = dictionary.categories.map { $0.parameters + $0.definitions.flatMap(\.parameters) }
        shared.add(common.map { EnumerationScope.Use($0) })
        shared.add((common + ofCategories.joined()).map { EnumerationScope.Use(customType: $0) })
        shared.assignNames(language, besides: [])
        var noOwn = EnumerationScope(isShared: false)
        noOwn.assignNames(language, besides: [])
        let names = language.scope(.categories).names(for: dictionary.categories.map(\.name))
        return DictionaryNode(
            name: dictionary.options.name, version: dictionary.version, header: header, dialect: language.dialect,
            categoryKey: dictionary.options.categoryKey, nameKey: dictionary.options.nameKey,
            common: nodes(common.filter { !$0.isObsolete }, noOwn),
            obsoleteCommon: nodes(common.filter(\.isObsolete), noOwn),
            enumerations: shared.enumerations,
            categories: dictionary.categories.map { category($0, names[$0.name]) })
    }

    /// Returns the parameters without the two that the definition's key replaces.
    private func used(_ parameters: [Parameter]) -> [Parameter] {
        parameters.filter { $0.name != dictionary.options.categoryKey && $0.name != dictionary.options.nameKey }
    }

    private func category(_ category: DefinitionCategory, _ names: Names?) -> CategoryNode {
        let eventNames = language.scope(.events).names(for: category.definitions.map(\.key.name))
        var own = EnumerationScope(isShared: false)
        own.add(used(category.parameters).map { EnumerationScope.Use($0) })
        for definition in category.definitions {
            own.add(used(definition.parameters).map { EnumerationScope.Use($0, event: definition.key.name) })
        }
        own.assignNames(language, besides: Set(eventNames.values.flatMap { [$0.camel, $0.pascal] }))
        return CategoryNode(
            name: category.name, names: names ?? Names(unnamed: category.name), dialect: language.dialect,
            description: category.description, doc: language.dialect.comment(category.description),
            enumerations: own.enumerations,
            events: category.definitions.map { definition in
                event(definition, of: category, eventNames[definition.key.name], own)
            })
    }

    private func event(
        _ definition: Definition, of category: DefinitionCategory, _ names: Names?, _ enumerations: EnumerationScope
    ) -> EventNode {
        let own = definition.parameters.firstOfEachName
        let ownNames = Set(exact: own.map(\.name))
        let shared = category.parameters.firstOfEachName.filter { !ownNames.contains($0.name) }
        let parameters = used(shared + own)
        let firstLine = definition.description.split(whereSeparator: \.isNewline).first.map(String.init)
        return EventNode(
            category: category.name, name: definition.key.name, names: names ?? Names(unnamed: definition.key.name),
            dialect: language.dialect,
            description: definition.description, doc: language.dialect.comment(definition.description),
            obsolete: definition.isObsolete ? firstLine ?? "obsolete" : nil,
            parameters: nodes(parameters.filter { !$0.isObsolete }, enumerations, event: definition.key.name),
            obsoleteParameters: nodes(parameters.filter(\.isObsolete), enumerations, event: definition.key.name))
    }

    private func nodes(
        _ parameters: [Parameter], _ own: EnumerationScope, event: String = ""
    ) -> [ParameterNode] {
        let names = language.scope(.parameters).names(for: parameters.map(\.name))
        return parameters.map { parameter in
            let base = BaseType(parameter.type)
            return ParameterNode(
                name: parameter.name, names: names[parameter.name] ?? Names(unnamed: parameter.name),
                dialect: language.dialect, description: parameter.description.joined(separator: "\n"),
                doc: parameter.description.flatMap(language.dialect.comment),
                definition: parameter.definitionText, base: base, type: language.types[base] ?? "",
                isOptional: parameter.isOptional, isObsolete: parameter.isObsolete,
                maximumBytes: parameter.maximumBytes, privacy: parameter.privacy, role: parameter.role,
                enumeration: shared.enumeration(of: parameter, event: event)
                    ?? own.enumeration(of: parameter, event: event))
        }
    }
}

extension Names {
    /// Creates the names of something outside any scope; every name of the tree is in one.
    fileprivate init(unnamed name: String) {
        self.init(camel: name, pascal: name, snake: name, constant: name)
    }
}

extension Parameter {
    /// Type, `?` and length as definitions write them.
    fileprivate var definitionText: String {
        let name =
            switch type {
            case .custom(let name, _): name.text
            default: "!\(type.name)"
            }
        return name + (isOptional ? "?" : "") + (maximumBytes.map { " \($0)" } ?? "")
    }
}
