import API
import Model

/// A search. All of its words must occur in a definition, a category or a common parameter.
///
/// Texts that many definitions share find none of them alone, only together with a word in a definition's own texts.
struct DefinitionSearch: Sendable {
    private struct Word: Sendable {
        let search: SearchWord
        /// Whether it may match across category and name.
        let hasSlash: Bool
    }

    private let words: [Word]

    /// - Returns: `nil` when there are no words.
    init?(_ text: String) {
        words = text.unicodeScalars.split { $0.properties.isWhitespace }.map {
            Word(search: SearchWord(String($0)), hasSlash: $0.contains("/"))
        }
        if words.isEmpty { return nil }
    }

    /// Returns where the words occur in a definition's own texts, the name and parameters of its category, or, for words in none of
    /// these, in texts that it shares. `nil` when a word is missing, or all are in shared texts.
    func matches(of definition: Definition, in category: Category) -> [DefinitionList.Match]? {
        places(of: category.texts + Self.texts(of: definition), sharing: category.shared)
    }

    /// Returns where the words occur in the name, title and description of a category; `nil` when one is missing.
    func matches(of category: DefinitionCategory) -> [DefinitionList.Match]? {
        places(of: [Text(.category, category.name)] + Self.texts(about: category))
    }

    /// Returns where the words occur in those parameters that have all of them.
    func matches(of parameters: [Parameter]) -> [DefinitionList.Match] {
        parameters.flatMap { places(of: Self.texts(of: $0)) ?? [] }
    }

    /// Returns where the words occur in the name, description, values and members of a type; `nil` when one is missing.
    func matches(of type: TypeDefinition) -> [DefinitionList.Match]? {
        var texts = [Text(.type, type.name), Text(.typeDescription, type.description)]
        if case .values(let values) = type.meaning { texts += values.map { Text(.typeValue, $0.text) } }
        return places(of: texts + type.members.flatMap(Self.texts))
    }

    private func places(of own: [Text], sharing shared: [Text] = []) -> [DefinitionList.Match]? {
        let texts = own + shared
        var isMatch = [Bool](repeating: false, count: texts.count)
        func find(_ word: Word, _ indices: Range<Int>) -> Bool {
            var isFound = false
            for index in indices where word.search.occurs(in: texts[index].folded) {
                guard texts[index].place.place != .key || word.hasSlash else { continue }
                isFound = true
                isMatch[index] = true
            }
            return isFound
        }
        var isOwn = false
        for word in words {
            if find(word, own.indices) {
                isOwn = true
            } else if !find(word, own.count..<texts.count) {
                return nil
            }
        }
        guard isOwn else { return nil }
        var matches: [DefinitionList.Match] = []
        // A parameter's description may be many texts.
        for (text, isMatch) in zip(texts, isMatch) where isMatch && matches.last != text.place {
            matches.append(text.place)
        }
        return matches
    }
}

extension DefinitionSearch {
    struct Text: Sendable {
        var place: DefinitionList.Match
        var folded: FoldedText

        init(_ place: DefinitionList.Match.Place, _ text: String, parameter: String? = nil) {
            self.place = DefinitionList.Match(place, parameter: parameter)
            folded = FoldedText(text)
        }
    }

    /// The texts that the definitions of a category have besides their own.
    struct Category: Sendable {
        fileprivate let texts: [Text]
        fileprivate let shared: [Text]

        /// - Parameter common: texts of the common parameters.
        init(_ category: DefinitionCategory, common: [Text] = []) {
            texts = [Text(.category, category.name)] + category.parameters.flatMap(DefinitionSearch.texts)
            shared = DefinitionSearch.texts(about: category) + common
        }
    }

    static func texts(of parameter: Parameter) -> [Text] {
        let name = parameter.name
        var texts = [Text(.parameter, name, parameter: name)]
        switch parameter.type {
        case .custom, .array: texts.append(Text(.parameterType, parameter.type.name, parameter: name))
        default: break
        }
        texts += (parameter.listedValues ?? []).map { Text(.parameterValue, $0, parameter: name) }
        return texts + parameter.description.map { Text(.parameterDescription, $0, parameter: name) }
    }

    fileprivate static func texts(of definition: Definition) -> [Text] {
        let key = definition.key
        return [Text(.name, key.name), Text(.key, key.description), Text(.description, definition.description)]
            + definition.parameters.flatMap(texts)
    }

    /// A title that equals the name, as it should, is not searched twice.
    fileprivate static func texts(about category: DefinitionCategory) -> [Text] {
        let title = category.title.flatMap { $0 == category.name ? nil : $0 }
        return (title.map { [Text(.categoryTitle, $0)] } ?? [])
            + [Text(.categoryDescription, category.description)]
    }
}
