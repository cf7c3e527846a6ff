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
}

extension DefinitionQuery: APIQuery {
    package static let fields: [QueryField<Self>] = [
        .value(
            "search", { $1(&$0.search) }, search,
            """
            Words that must all occur, in upper or lower case, in the names, descriptions and allowed values of an \
            event and its parameters. Categories and common parameters are also found on their own: see matches and \
            common_matches
            """, example: "recipe save"),
        .optional("state", { $1(&$0.state) }, .choice, "Only definitions in this state", example: "seen"),
        .value(
            "n", { $1(&$0.limit) }, .number(0...maximumLimit),
            "The maximum number of definitions; \(usualLimit) by default. A page may have fewer", example: 10),
        .optional(
            "after", { $1(&$0.after) },
            QueryForm(
                schema: .pattern("/"), allowed: "CATEGORY/NAME, such as next in the reply",
                read: { EventKey(path: $0) }, write: { $0.description }),
            "Only definitions after CATEGORY/NAME, or after CATEGORY/; see next in the reply",
            example: "recipe_detail/"),
    ]

    private static let search = QueryForm<String>(
        schema: searchSchema,
        allowed: "1 to \(maximumSearch.words) words of \(maximumSearch.characters) characters in all",
        read: { text in
            let words = text.unicodeScalars.split { $0.properties.isWhitespace }
            let isShort = text.unicodeScalars.count <= maximumSearch.characters
            return isShort && (1...maximumSearch.words).contains(words.count) ? text : nil
        }, write: { $0 })

    private static var searchSchema: DocumentNode {
        // The white space of Unicode, listed here since the meaning of \s differs between validators.
        let space = #"[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"#
        let other = space.replacing("[", with: "[^")
        return [
            "type": "string", "maxLength": .number(maximumSearch.characters),
            "pattern": .text("^\(space)*\(other)+(\(space)+\(other)+){0,\(maximumSearch.words - 1)}\(space)*$"),
        ]
    }
}
