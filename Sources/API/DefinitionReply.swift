package import Model

/// A definition with every parameter that its events may have:
/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`.
package struct DefinitionReply: Sendable, Hashable, Codable, DescribedObject {
    package var dictionary: String
    package var key: [String]
    package var category: String
    package var name: String
    package var description: String
    package var categoryDescription: String
    package var obsolete: Bool
    package var parameters: [ParameterReply]
    package var categoryParameters: [ParameterReply]
    package var commonParameters: [ParameterReply]
    package var source: String

    /// - Returns: `nil` if the dictionary has no such definition.
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

    package static let object = ObjectDescription(
        "Definition", "A definition with every parameter that its events may have",
        [
            member("dictionary", \.dictionary, "The dictionary that defines it", "shop"),
            member(
                "key", \.key, "The members of payloads that have the category and the name of events",
                ["event_category", "event_name"]),
            member("category", \.category, "The category of the event's key", "recipe_detail"),
            member("name", \.name, "Its name in the category", "tap_save_button"),
            member("description", \.description, "What it means", "When the button was tapped."),
            member("category_description", \.categoryDescription, "What the category means", "A recipe's page."),
            member("obsolete", \.obsolete, "Whether it is marked obsolete", false),
            member("parameters", \.parameters, "Its own parameters, in the order of the file"),
            member(
                "category_parameters", \.categoryParameters, "The parameters of every event of the category",
                showing: []),
            member(
                "common_parameters", \.commonParameters, "The parameters of every event of the dictionary", showing: []),
            member("source", \.source, "Where it is written: FILE:LINE", "recipe_detail.md:12"),
        ])
}

/// A parameter of events.
package struct ParameterReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var type: String
    package var custom: Bool
    package var values: [String]?
    package var sameAs: String?
    package var optional: Bool
    package var maxBytes: Int?
    package var obsolete: Bool
    package var privacy: String
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

    package static let object = ObjectDescription(
        "Parameter", "A parameter of events",
        [
            member("name", \.name, "Its name", "recipe_id"),
            member("type", \.type, "Its type, such as bigint, or the name of a custom type", "bigint"),
            member("custom", \.custom, "Whether the type is a custom one", false),
            member(
                "values", \.values,
                """
                The allowed values, if not every value of the type is: those of a custom type in the settings, those \
                of the parameter's own list, or those in both
                """,
                nil),
            member("same_as", \.sameAs, "The built-in type that values of a custom type are validated as", nil),
            member("optional", \.optional, "Whether it may be absent or null", false),
            member("max_bytes", \.maxBytes, "The maximum length of a string", nil),
            member("obsolete", \.obsolete, "Whether it is marked obsolete", false),
            member(
                "privacy", \.privacy, "What happens to its values before they are stored; public values stay", "public",
                as: .choice(of: Privacy.self)),
            member("role", \.role, "Whom its values identify", nil, as: .choice(of: ParameterRole.self)),
            member("description", \.description, "What it means, line by line", ["Id of the recipe", "Never 0"]),
        ])
}
