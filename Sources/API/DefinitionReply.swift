package import Model

/// One definition, with every parameter that its events may have:
/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`.
package struct DefinitionReply: Sendable, Hashable, Codable {
    package var dictionary: String
    /// The payload keys of event category and event name.
    package var key: [String]
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
        self.key = dictionary.options.key
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

/// One parameter on the wire.
package struct ParameterReply: Sendable, Hashable, Codable {
    package var name: String
    /// Such as `bigint`, or a custom type's name.
    package var type: String
    /// Whether the type is one of the team's own.
    package var custom: Bool
    /// The values that are allowed, where not all of the type are: by a custom type that the settings define, by the
    /// parameter's own `values:`, or by both.
    package var values: [String]?
    /// Of a custom type that the settings define: the built-in type it is checked like.
    package var sameAs: String?
    package var optional: Bool
    /// Of a string.
    package var maxBytes: Int?
    package var obsolete: Bool
    /// What becomes of its values before they are stored: `public` (they stay), `hash` or `private`.
    package var privacy: String
    /// Whom it names: `user` or `device`.
    package var role: String?
    package var description: [String]

    package init(_ parameter: Parameter) {
        name = parameter.name
        type = parameter.type.name
        optional = parameter.isOptional
        maxBytes = parameter.maximumBytes
        obsolete = parameter.isObsolete
        privacy = parameter.privacy.rawValue
        role = parameter.role?.rawValue
        description = parameter.description
        values = parameter.listedValues
        guard case .custom(_, let meaning) = parameter.type else {
            custom = false
            return
        }
        custom = true
        if case .same(let type)? = meaning { sameAs = type.name }
    }
}

extension Parameter {
    /// The values that are allowed, where not all of the type are.
    package var listedValues: [String]? {
        guard case .custom(_, .values(let allowed)?) = type else { return allowedValues }
        let ofType = allowed.map(\.text)
        return allowedValues.map { $0.filter { ofType.contains($0) } } ?? ofType
    }
}
