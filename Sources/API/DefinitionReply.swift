package import Model

/// A definition with every parameter that its events may have:
/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`.
package struct DefinitionReply: Sendable, Hashable, Codable, DescribedObject {
    package var dictionary: String
    package var key: [String]
    package var parametersAt: String?
    package var sentAs: [String]
    package var category: String
    package var name: String
    package var description: String
    package var categoryDescription: String
    package var obsolete: Bool
    package var extraParameters: Bool
    package var parameters: [ParameterReply]
    package var categoryParameters: [ParameterReply]
    package var commonParameters: [ParameterReply]
    package var types: [TypeReply]
    package var columns: [ColumnReply]
    package var source: String

    /// - Parameter sender: the source of an event, whose payloads may have a layout of their own.
    /// - Returns: `nil` if the dictionary has no such definition.
    package init?(_ key: EventKey, in dictionary: EventDictionary, sentBy sender: String? = nil) {
        guard let group = dictionary.category(key.category), let definition = dictionary.definition(key) else {
            return nil
        }
        self.dictionary = dictionary.options.name
        let layout = sender.map(dictionary.options.layout) ?? dictionary.options.layout
        self.key = layout.key
        parametersAt = layout.parametersAt?.text
        sentAs =
            (layout.category.text == nil ? [] : [group.sentAs]) + (layout.name.text == nil ? [] : [definition.sentAs])
        category = key.category
        name = key.name
        description = definition.description
        categoryDescription = group.description
        obsolete = definition.isObsolete
        extraParameters = dictionary.extra(in: definition, of: group) == .all
        parameters = definition.parameters.map(ParameterReply.init)
        categoryParameters = group.parameters.map(ParameterReply.init)
        commonParameters = dictionary.common.map(ParameterReply.init)
        types = dictionary.types(of: definition.parameters + group.parameters + dictionary.common)
            .map { TypeReply($0, in: dictionary) }
        columns = dictionary.columns(of: definition, in: group, layout: layout).map(ColumnReply.init)
        source = "\(key.category).md:\(definition.line)"
    }

    package static let object = ObjectDescription(
        "Definition", "A definition with every parameter that its events may have",
        [
            member("dictionary", \.dictionary, "The dictionary that defines it", "shop"),
            member("key", \.key, LayoutText.key, LayoutText.exampleKey),
            member("parameters_at", \.parametersAt, LayoutText.parametersAt, nil),
            member(
                "sent_as", \.sentAs, "The values that the event has there",
                ["recipe_detail", "tap_save_button"]),
            member("category", \.category, "The category of the event's key", "recipe_detail"),
            member("name", \.name, "Its name in the category", "tap_save_button"),
            member("description", \.description, "What it means", "When the button was tapped."),
            member("category_description", \.categoryDescription, "What the category means", "A recipe's page."),
            member("obsolete", \.obsolete, "Whether it is marked obsolete", false),
            member(
                "extra_parameters", \.extraParameters, "Whether payloads may have parameters that are not defined",
                false),
            member("parameters", \.parameters, "Its own parameters, in the order of the file"),
            member(
                "category_parameters", \.categoryParameters, "The parameters of every event of the category",
                showing: []),
            member(
                "common_parameters", \.commonParameters, "The parameters of every event of the dictionary", showing: []),
            member("types", \.types, "The types of all these parameters that the dictionary defines, sorted by name"),
            member(
                "columns", \.columns,
                "The columns of a table with its events: those of common parameters, of the category's, and its own"),
            member("source", \.source, "Where it is written: FILE:LINE", "recipe_detail.md:12"),
        ])
}

/// A parameter of events, or a member of a type.
package struct ParameterReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var type: String
    package var written: String
    package var custom: Bool
    package var values: [String]?
    package var sameAs: String?
    package var optional: Bool
    package var maxBytes: Int?
    package var maxItems: Int?
    package var obsolete: Bool
    package var privacy: String
    package var role: String?
    package var description: [String]

    package init(_ parameter: Parameter) {
        name = parameter.name
        type = parameter.type.name
        written = parameter.typeText
        optional = parameter.isOptional
        switch parameter.type {
        case .string(let maximumBytes): maxBytes = maximumBytes
        case .array(_, _, let maximumCount): maxItems = maximumCount
        default: break
        }
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
        if case .same(let type)? = meaning { sameAs = type.text() }
    }

    package static let object = ObjectDescription(
        "Parameter", "A parameter of events",
        [
            member("name", \.name, "Its name", "recipe_id"),
            member(
                "type", \.type,
                "Its type, such as bigint, the name of a custom type, or an array with the type of its elements, such as "
                    + "[Item]", "bigint"),
            member("written", \.written, "The type as definitions write it", "!bigint"),
            member("custom", \.custom, "Whether the type is a custom one", false),
            member(
                "values", \.values,
                """
                The allowed values, if not every value of the type is: those of a custom type, those of the \
                parameter's own list, or those in both
                """,
                nil),
            member("same_as", \.sameAs, "The type that values of a custom type are validated as", nil),
            member("optional", \.optional, "Whether it may be absent or null", false),
            member("max_bytes", \.maxBytes, "The maximum length of a string", nil),
            member("max_items", \.maxItems, "The maximum number of elements of an array", nil),
            member("obsolete", \.obsolete, "Whether it is marked obsolete", false),
            member(
                "privacy", \.privacy, "What happens to its values before they are stored; public values stay", "public",
                as: .choice(of: Privacy.self)),
            member("role", \.role, "Whom its values identify", nil, as: .choice(of: ParameterRole.self)),
            member("description", \.description, "What it means, line by line", ["Id of the recipe", "Never 0"]),
        ])
}
