package import Model

/// `GET /v1/dictionaries/{dictionary}/definitions`: definitions by category, each parameter once.
package struct DefinitionList: Sendable, Hashable, Codable, DescribedObject {
    package struct Category: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var title: String?
        package var description: String
        package var parameters: [ParameterReply]
        package var definitions: [Item]
        package var matches: [Match]?

        package init(_ category: DefinitionCategory, definitions: [Item], matches: [Match]? = nil) {
            name = category.name
            title = category.title
            description = category.description
            parameters = category.parameters.map(ParameterReply.init)
            self.definitions = definitions
            self.matches = matches
        }

        package static let object = ObjectDescription(
            "DefinitionCategory", "A category of a dictionary and its definitions",
            [
                member("name", \.name, "Its name", "recipe_detail"),
                member("title", \.title, "Its heading", "recipe_detail"),
                member("description", \.description, "What it means", "A recipe's page."),
                member("parameters", \.parameters, "The parameters of every event of the category", showing: []),
                member("definitions", \.definitions, "Its definitions, in the order of the file"),
                member(
                    "matches", \.matches,
                    """
                    Where the words of a search were found, if the category itself was found by its name, title or \
                    description; absent if it was not, or if a previous page had it
                    """,
                    showing: nil),
            ])
    }

    package struct Item: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var description: String
        package var obsolete: Bool
        package var state: DefinitionState
        package var seen: [String: Int64]
        package var lastSeen: WireTime?
        package var parameters: [ParameterReply]
        package var matches: [Match]?

        package init(
            _ definition: Definition, state: DefinitionState, seen: [String: Int64] = [:], lastSeen: WireTime? = nil,
            matches: [Match]? = nil
        ) {
            name = definition.key.name
            description = definition.description
            obsolete = definition.isObsolete
            self.state = state
            self.seen = seen
            self.lastSeen = lastSeen
            parameters = definition.parameters.map(ParameterReply.init)
            self.matches = matches
        }

        package static let object = ObjectDescription(
            "DefinitionItem", "A definition in a list",
            [
                member("name", \.name, "Its name in the category", "tap_save_button"),
                member("description", \.description, "What it means", "When the button was tapped."),
                member("obsolete", \.obsolete, "Whether it is marked obsolete", false),
                member("state", \.state, "Whether its events are sent", .seen),
                member("seen", \.seen, "The number of its events"),
                member("last_seen", \.lastSeen, "When the latest of them was sent", .example),
                member(
                    "parameters", \.parameters, "Its own parameters, without those of the category and the common ones"),
                member(
                    "matches", \.matches, "Where the words of a search were found; absent without a search",
                    showing: nil),
            ])
    }

    /// A custom type that a search found.
    package struct FoundType: Sendable, Hashable, Codable, DescribedObject {
        package var type: TypeReply
        package var matches: [Match]

        package init(_ type: TypeReply, matches: [Match]) {
            self.type = type
            self.matches = matches
        }

        package static let object = ObjectDescription(
            "FoundType", "A custom type that a search found",
            [
                member("type", \.type, "The type"),
                member("matches", \.matches, "Where the words of the search were found"),
            ])
    }

    /// A text that has at least one of the words of a search.
    package struct Match: Sendable, Hashable, Codable, DescribedObject {
        package enum Place: String, Sendable, Codable, CaseIterable, ExampleValue {
            case type
            case typeDescription = "type-description"
            case typeValue = "type-value"
            case category
            case categoryTitle = "category-title"
            case categoryDescription = "category-description"
            case name
            /// Category and name as one text, `recipe_detail/tap_save_button`, for words with a `/`, which are in
            /// neither alone.
            case key
            case description
            case parameter
            case parameterType = "parameter-type"
            case parameterValue = "parameter-value"
            case parameterDescription = "parameter-description"
        }

        package var place: Place
        package var parameter: String?

        package init(_ place: Place, parameter: String? = nil) {
            self.place = place
            self.parameter = parameter
        }

        package static let object = ObjectDescription(
            "SearchMatch", "A text that has at least one word of a search",
            [
                member("place", \.place, "Which text it is", .parameterDescription),
                member(
                    "parameter", \.parameter, "The parameter that the text belongs to, if it belongs to one",
                    "recipe_id"),
            ])
    }

    package var dictionary: String
    package var version: String
    package var key: [String]
    package var otherKeys: Bool?
    package var parametersAt: String?
    package var commonParameters: [ParameterReply]
    package var commonMatches: [Match]?
    package var types: [FoundType]?
    package var categories: [Category]
    package var total: Int
    package var next: String?

    package init(
        _ dictionary: EventDictionary, commonMatches: [Match]? = nil, types: [FoundType]? = nil,
        categories: [Category], total: Int, next: String?
    ) {
        self.dictionary = dictionary.options.name
        version = dictionary.version
        let layout = dictionary.options.layout
        key = layout.key
        let hasOthers = dictionary.options.layouts.contains {
            ($0.category, $0.name) != (layout.category, layout.name)
        }
        otherKeys = hasOthers ? true : nil
        parametersAt = layout.parametersAt?.text
        commonParameters = dictionary.common.map(ParameterReply.init)
        self.commonMatches = commonMatches
        self.types = types
        self.categories = categories
        self.total = total
        self.next = next
    }

    package static let object = ObjectDescription(
        "DefinitionList", "Definitions of a dictionary by category",
        [
            member("dictionary", \.dictionary, "The name of the dictionary", "shop"),
            member("version", \.version, "Its version in force", "00c0ffee00c0ffee"),
            member("key", \.key, LayoutText.key, LayoutText.exampleKey),
            member(
                "other_keys", \.otherKeys, "Whether a source of its events has the key elsewhere; absent if none has",
                nil),
            member("parameters_at", \.parametersAt, LayoutText.parametersAt, nil),
            member("common_parameters", \.commonParameters, "The parameters of every event of the dictionary"),
            member(
                "common_matches", \.commonMatches,
                """
                Where the words of a search were found in common parameters that have all of them; absent without a \
                search and on later pages
                """,
                showing: nil),
            member(
                "types", \.types,
                "The custom types that a search found; absent without a search and on later pages", showing: nil),
            member(
                "categories", \.categories,
                "The categories that have definitions on this page, or were found themselves, sorted by name"),
            member("total", \.total, "The number of definitions that match the query, on all pages", 1),
            member("next", \.next, "The value of after for the next page; absent on the last page", nil),
        ])
}
