package import API
package import Model

/// Makes one page of the list of definitions for a query.
package struct DefinitionPage {
    private let dictionary: EventDictionary
    private let query: DefinitionQuery
    private let uses: DefinitionUses
    private let search: DefinitionSearch?
    /// The texts of the common parameters, if the query has a search.
    private let common: [DefinitionSearch.Text]

    /// A page ends early when it has this much text: definitions may be long.
    static let maximumBytes = 4 << 20

    package init(_ dictionary: EventDictionary, query: DefinitionQuery, uses: DefinitionUses) {
        self.dictionary = dictionary
        self.query = query
        self.uses = uses
        search = DefinitionSearch(query.search)
        common = search == nil ? [] : dictionary.common.flatMap(DefinitionSearch.texts)
    }

    /// What still fits into the page.
    private struct Room {
        var items: Int
        var bytes = DefinitionPage.maximumBytes
        /// The last item of the page.
        var last: EventKey?
        /// Whether there was an item too many.
        var isExceeded = false

        /// - Returns: whether the item is in the page.
        mutating func take(_ key: EventKey, bytes count: Int) -> Bool {
            isExceeded = isExceeded || items == 0 || bytes <= 0
            if isExceeded { return false }
            items -= 1
            bytes -= count
            last = key
            return true
        }
    }

    private struct Found {
        /// Its place in the category.
        var index: Int
        var definition: Definition
        var state: DefinitionState
        var matches: [DefinitionList.Match]?
    }

    /// - Throws: `QueryError` when `after` is no definition.
    package func list() throws(QueryError) -> DefinitionList {
        let start = try query.after.map { key throws(QueryError) in try place(of: key) } ?? (-1, Self.beforeDefinitions)
        var room = Room(items: query.limit)
        var total = 0
        var categories: [DefinitionList.Category] = []
        for (index, category) in dictionary.categories.enumerated() {
            let found = found(in: category)
            total += found.count
            let itself = EventKey(category: category.name, name: "")
            let matches = (index, Self.beforeDefinitions) > start ? search(category) : nil
            let isTaken = matches != nil && room.take(itself, bytes: 0)
            var items: [DefinitionList.Item] = []
            for found in found where (index, found.index) > start {
                guard room.take(found.definition.key, bytes: found.definition.textBytes) else { break }
                items.append(item(found))
            }
            if !items.isEmpty || isTaken {
                room.bytes -= category.textBytes
                categories.append(.init(category, definitions: items, matches: isTaken ? matches : nil))
            }
        }
        let isFirst = query.after == nil && query.state == nil
        return DefinitionList(
            dictionary, commonMatches: isFirst ? search?.matches(of: dictionary.common) : nil,
            types: isFirst ? search.map(types) : nil, categories: categories, total: total,
            next: room.isExceeded ? room.last?.description : nil)
    }

    private func types(_ search: DefinitionSearch) -> [DefinitionList.FoundType] {
        dictionary.types.compactMap { type in
            search.matches(of: type).map { .init(TypeReply(type, in: dictionary), matches: $0) }
        }
    }

    /// The place of a category is before its definitions.
    private static let beforeDefinitions = -1

    /// The matches in the category itself. A category has no state, so queries for a state ask for definitions only.
    private func search(_ category: DefinitionCategory) -> [DefinitionList.Match]? {
        query.state == nil ? search?.matches(of: category) : nil
    }

    /// - Returns: the index of the category, and of the definition in it.
    private func place(of key: EventKey) throws(QueryError) -> (Int, Int) {
        let category = dictionary.categories.firstIndex { $0.name == key.category }
        // The last item of a page may be a category.
        if let category, key.name.isEmpty { return (category, Self.beforeDefinitions) }
        guard let category,
            let definition = dictionary.categories[category].definitions.firstIndex(where: { $0.key == key })
        else {
            throw QueryError(
                parameter: "after",
                description: "is not, or is no longer, a definition of this dictionary; start again without it",
                isUnprocessable: true)
        }
        return (category, definition)
    }

    private func found(in category: DefinitionCategory) -> [Found] {
        let shared = search.map { _ in DefinitionSearch.Category(category, common: common) }
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
        DefinitionState(isObsolete: definition.isObsolete, uses[definition.key])
    }

    private func item(_ found: Found) -> DefinitionList.Item {
        let use = uses[found.definition.key]
        return DefinitionList.Item(
            found.definition, state: found.state, seen: use?.counts ?? [:], lastSeen: use?.lastSeen,
            matches: found.matches)
    }
}

extension DefinitionCategory {
    /// About the size of its part of a reply, without its definitions.
    fileprivate var textBytes: Int { parameters.textBytes + description.utf8.count }
}

extension Definition {
    /// About the size of its part of a reply.
    fileprivate var textBytes: Int { parameters.textBytes + description.utf8.count }
}

extension [Parameter] {
    /// About the size of an object with them. Each repeats the allowed values of its type.
    fileprivate var textBytes: Int {
        reduce(200) { sum, parameter in
            let texts = parameter.description + (parameter.listedValues ?? [])
            return texts.reduce(sum + 200 + parameter.name.utf8.count) { $0 + $1.utf8.count + 3 }
        }
    }
}
