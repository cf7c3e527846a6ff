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
