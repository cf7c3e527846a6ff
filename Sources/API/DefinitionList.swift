package import Model

/// `GET /v1/dictionaries/{dictionary}/definitions`: those that were asked for, by category, each parameter once.
package struct DefinitionList: Sendable, Hashable, Codable {
    package struct Category: Sendable, Hashable, Codable {
        package var name: String
        package var title: String?
        package var description: String
        package var parameters: [ParameterReply]
        /// In the order of the file.
        package var definitions: [Item]
        /// Where the words of a search are, when the category itself was found by its name, title or description;
        /// absent when it was not, or a page before has said it.
        package var matches: [Match]?

        package init(_ category: DefinitionCategory, definitions: [Item], matches: [Match]? = nil) {
            name = category.name
            title = category.title
            description = category.description
            parameters = category.parameters.map(ParameterReply.init)
            self.definitions = definitions
            self.matches = matches
        }
    }

    package struct Item: Sendable, Hashable, Codable {
        package var name: String
        package var description: String
        package var obsolete: Bool
        package var state: DefinitionState
        /// How many events came, by resolution; resolutions that no event had are left out.
        package var seen: [String: Int64]
        package var lastSeen: WireTime?
        /// Its own; those of the category and the common ones are not repeated.
        package var parameters: [ParameterReply]
        /// Where the words of a search are; absent without a search.
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
    }

    /// A text that has at least one of the words of a search.
    package struct Match: Sendable, Hashable, Codable {
        package enum Place: String, Sendable, Codable, CaseIterable {
            case category
            case categoryTitle = "category-title"
            case categoryDescription = "category-description"
            case name
            /// Category and name as one text, `recipe_detail/tap_save_button`: where a word with `/` is in neither.
            case key
            case description
            case parameter
            case parameterType = "parameter-type"
            case parameterValue = "parameter-value"
            case parameterDescription = "parameter-description"
        }

        package var place: Place
        /// Which parameter, where it is in one: of the definition, of its category, or a common one.
        package var parameter: String?

        package init(_ place: Place, parameter: String? = nil) {
            self.place = place
            self.parameter = parameter
        }
    }

    package var dictionary: String
    package var version: String
    /// The payload keys of event category and event name.
    package var key: [String]
    package var commonParameters: [ParameterReply]
    /// Where the words of a search are in common parameters, of those that have all of them; absent without a search,
    /// and on pages after the first.
    package var commonMatches: [Match]?
    /// Sorted by name; only those of which there are definitions here, or that were found themselves.
    package var categories: [Category]
    /// How many definitions fit the query in all.
    package var total: Int
    /// Where the next page goes on: `after=` this. Absent when there is no more.
    package var next: String?

    package init(
        _ dictionary: EventDictionary, commonMatches: [Match]? = nil, categories: [Category], total: Int, next: String?
    ) {
        self.dictionary = dictionary.options.name
        version = dictionary.version
        key = dictionary.options.key
        commonParameters = dictionary.common.map(ParameterReply.init)
        self.commonMatches = commonMatches
        self.categories = categories
        self.total = total
        self.next = next
    }
}
