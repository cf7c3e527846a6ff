import API
import Model

/// Chooses the definitions that a query asks for, and makes the reply of them.
struct DefinitionPage {
    private let dictionary: EventDictionary
    private let query: DefinitionQuery
    private let uses: DefinitionUses
    private let search: DefinitionSearch?

    /// A page ends early when it has this much text: definitions may be long.
    static let maximumBytes = 4 << 20

    init(_ dictionary: EventDictionary, query: DefinitionQuery, uses: DefinitionUses) {
        self.dictionary = dictionary
        self.query = query
        self.uses = uses
        search = DefinitionSearch(query.search)
    }

    private struct Found {
        /// Its place in the category.
        var index: Int
        var definition: Definition
        var state: DefinitionState
        var matches: [DefinitionList.Match]?
    }

    /// - Throws: `QueryError` when `after` is no definition.
    func list() throws(QueryError) -> DefinitionList {
        let start = try query.after.map { key throws(QueryError) in try place(of: key) } ?? (-1, -1)
        var left = (items: query.limit, bytes: Self.maximumBytes)
        var total = 0
        var last: EventKey?
        var hasMore = false
        var categories: [DefinitionList.Category] = []
        for (index, category) in dictionary.categories.enumerated() {
            let found = found(in: category)
            total += found.count
            var items: [DefinitionList.Item] = []
            for found in found where (index, found.index) > start {
                hasMore = hasMore || left.items == 0 || left.bytes <= 0
                if hasMore { break }
                left.items -= 1
                left.bytes -= found.definition.textBytes
                last = found.definition.key
                items.append(item(found))
            }
            if !items.isEmpty { categories.append(.init(category, definitions: items)) }
        }
        return DefinitionList(
            dictionary, categories: categories, total: total, next: hasMore ? last?.description : nil)
    }

    /// - Returns: the places of its category, and of the definition there.
    private func place(of key: EventKey) throws(QueryError) -> (Int, Int) {
        guard let category = dictionary.categories.firstIndex(where: { $0.name == key.category }),
            let definition = dictionary.categories[category].definitions.firstIndex(where: { $0.key == key })
        else {
            throw QueryError(
                parameter: "after", description: "is no definition of this dictionary, or no longer; begin without it")
        }
        return (category, definition)
    }

    private func found(in category: DefinitionCategory) -> [Found] {
        let shared = search.map { _ in DefinitionSearch.Category(category) }
        return category.definitions.enumerated().compactMap { index, definition in
            let state = state(of: definition)
            guard query.state == nil || query.state == state else { return nil }
            guard let search, let shared else { return Found(index: index, definition: definition, state: state) }
            return search.matches(of: definition, in: shared).map {
                Found(index: index, definition: definition, state: state, matches: $0)
            }
        }
    }

    private func state(of definition: Definition) -> DefinitionState {
        definition.state(uses[definition.key])
    }

    private func item(_ found: Found) -> DefinitionList.Item {
        let use = uses[found.definition.key]
        return DefinitionList.Item(
            found.definition, state: found.state, seen: use?.counts ?? [:], lastSeen: use?.lastSeen,
            matches: found.matches)
    }
}

extension Definition {
    /// About how much a reply has of it.
    fileprivate var textBytes: Int {
        parameters.reduce(200 + description.utf8.count) { sum, parameter in
            parameter.description.reduce(sum + 200 + parameter.name.utf8.count) { $0 + $1.utf8.count + 3 }
        }
    }
}
