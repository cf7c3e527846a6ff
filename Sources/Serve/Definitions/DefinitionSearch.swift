import API
import Model

/// The words of a search, all of which must occur in a definition: in its category's name, its own name or description,
/// or a parameter's name or description. Common parameters do not count, since every definition has them.
struct DefinitionSearch: Sendable {
    private let words: [SearchWord]

    /// - Returns: `nil` when there are no words.
    init?(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).map { SearchWord(String($0)) }
        if words.isEmpty { return nil }
    }

    /// Where the words are; `nil` when one of them is nowhere.
    func matches(of definition: Definition, in category: Category) -> [DefinitionList.Match]? {
        let texts = category.texts + Self.texts(of: definition)
        var isMatch = [Bool](repeating: false, count: texts.count)
        for word in words {
            var isFound = false
            for (index, text) in texts.enumerated() where word.occurs(in: text.folded) {
                isFound = true
                isMatch[index] = true
            }
            guard isFound else { return nil }
        }
        var matches: [DefinitionList.Match] = []
        // A parameter's description may be many texts.
        for (text, isMatch) in zip(texts, isMatch) where isMatch && matches.last != text.place {
            matches.append(text.place)
        }
        return matches
    }

    struct Text: Sendable {
        var place: DefinitionList.Match
        var folded: FoldedText

        init(_ place: DefinitionList.Match.Place, _ text: String, parameter: String? = nil) {
            self.place = DefinitionList.Match(place, parameter: parameter)
            folded = FoldedText(text)
        }
    }

    /// What the definitions of a category share.
    struct Category: Sendable {
        fileprivate let texts: [Text]

        init(_ category: DefinitionCategory) {
            texts = [Text(.category, category.name)] + category.parameters.flatMap(DefinitionSearch.texts)
        }
    }

    private static func texts(of definition: Definition) -> [Text] {
        [Text(.name, definition.key.name), Text(.description, definition.description)]
            + definition.parameters.flatMap(texts)
    }

    private static func texts(of parameter: Parameter) -> [Text] {
        [Text(.parameter, parameter.name, parameter: parameter.name)]
            + parameter.description.map { Text(.parameterDescription, $0, parameter: parameter.name) }
    }
}
