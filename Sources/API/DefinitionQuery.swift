package import Model

/// The query of `GET /v1/dictionaries/{dictionary}/definitions`.
package struct DefinitionQuery: Sendable, Hashable {
    package static let usualLimit = 1000
    package static let maximumLimit = 10_000
    /// The limits of `search`, in characters and in words.
    package static let maximumSearch = (characters: 256, words: 16)

    /// Words that must all occur in a definition, a category or a common parameter; empty matches everything.
    package var search = ""
    package var state: DefinitionState?
    /// The most definitions on a page, from 0. A page may be shorter although there are more: see
    /// `DefinitionList.next`.
    package var limit = usualLimit
    /// The definition before the page; without a name, the category itself.
    package var after: EventKey?

    package init() {}

    package static let parameterNames = ["search", "state", "n", "after"]

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            switch name {
            case "search":
                let most = Self.maximumSearch
                let words = value.unicodeScalars.split { $0.properties.isWhitespace }
                guard value.unicodeScalars.count <= most.characters, (1...most.words).contains(words.count) else {
                    throw QueryError(
                        parameter: name,
                        description: "must be 1 to \(most.words) words of \(most.characters) characters in all")
                }
                search = value
            case "state": state = try QueryItems.choice(value, of: name) as DefinitionState
            case "n": limit = try QueryItems.number(value, of: name, in: 0...Self.maximumLimit)
            default:
                after = try QueryItems.checked(
                    EventKey(path: value), of: name, "CATEGORY/NAME, such as next in the reply")
            }
        }
    }

    package var parameters: [(name: String, value: String)] {
        let defaults = DefinitionQuery()
        return (search.isEmpty ? [] : [("search", search)])
            + (state.map { [("state", $0.rawValue)] } ?? [])
            + (limit == defaults.limit ? [] : [("n", String(limit))])
            + (after.map { [("after", $0.description)] } ?? [])
    }
}
