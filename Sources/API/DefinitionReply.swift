package import Model

/// One parameter on the wire.
package struct ParameterReply: Sendable, Hashable, Codable {
    package var name: String
    /// Such as `bigint`, or a custom type's name.
    package var type: String
    /// Whether the type is one of the team's own.
    package var custom: Bool
    /// Of a custom type that the settings define: the values it allows.
    package var values: [String]?
    /// Of a custom type that the settings define: the built-in type it is checked like.
    package var sameAs: String?
    package var optional: Bool
    /// Of a string.
    package var maxBytes: Int?
    package var obsolete: Bool
    package var description: [String]

    package init(_ parameter: Parameter) {
        name = parameter.name
        type = parameter.type.name
        optional = parameter.isOptional
        maxBytes = parameter.maximumBytes
        obsolete = parameter.isObsolete
        description = parameter.description
        guard case .custom(_, let meaning) = parameter.type else {
            custom = false
            return
        }
        custom = true
        switch meaning {
        case .same(let type)?: sameAs = type.name
        case .values(let allowed)?: values = allowed
        case nil: break
        }
    }
}

/// One definition, with every parameter that its events may have:
/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`.
package struct DefinitionReply: Sendable, Hashable, Codable {
    package var dictionary: String
    package var category: String
    package var name: String
    package var description: String
    package var categoryDescription: String
    package var obsolete: Bool
    /// The event's own, in the order of the file.
    package var parameters: [ParameterReply]
    /// Those of every event of the category.
    package var categoryParameters: [ParameterReply]
    /// Those of every event of the dictionary.
    package var commonParameters: [ParameterReply]
    /// Where it is written: `recipe_detail.md:12`.
    package var source: String

    /// - Returns: `nil` when the dictionary has no such definition.
    package init?(_ key: EventKey, in dictionary: EventDictionary) {
        guard let group = dictionary.category(key.category), let definition = dictionary.definition(key) else {
            return nil
        }
        self.dictionary = dictionary.options.name
        category = key.category
        name = key.name
        description = definition.description
        categoryDescription = group.description
        obsolete = definition.isObsolete
        parameters = definition.parameters.map(ParameterReply.init)
        categoryParameters = group.parameters.map(ParameterReply.init)
        commonParameters = dictionary.common.map(ParameterReply.init)
        source = "\(key.category).md:\(definition.line)"
    }
}

/// `GET /v1/dictionaries/{dictionary}/definitions`: all of them, each parameter once.
package struct DefinitionList: Sendable, Hashable, Codable {
    package struct Category: Sendable, Hashable, Codable {
        package var name: String
        package var title: String?
        package var description: String
        package var parameters: [ParameterReply]
        package var definitions: [Item]
    }

    package struct Item: Sendable, Hashable, Codable {
        package var name: String
        package var description: String
        package var obsolete: Bool
        package var parameters: [ParameterReply]
    }

    package var dictionary: String
    package var version: String
    package var commonParameters: [ParameterReply]
    package var categories: [Category]

    package init(_ dictionary: EventDictionary) {
        self.dictionary = dictionary.options.name
        version = dictionary.version
        commonParameters = dictionary.common.map(ParameterReply.init)
        categories = dictionary.categories.map { category in
            Category(
                name: category.name, title: category.title, description: category.description,
                parameters: category.parameters.map(ParameterReply.init),
                definitions: category.definitions.map { definition in
                    Item(
                        name: definition.key.name, description: definition.description,
                        obsolete: definition.isObsolete, parameters: definition.parameters.map(ParameterReply.init))
                })
        }
    }
}
