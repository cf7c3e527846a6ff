import API
import JSON
import Model

extension ControlClient {
    /// Reads all pages of the definitions of dictionaries, as the daemon wrote them.
    func definitionPages(
        of dictionaries: [String], state: DefinitionState? = nil, search: String = "", timeout: Int = documentTimeout
    ) async throws -> [[UInt8]] {
        var query = DefinitionQuery()
        (query.state, query.search, query.limit) = (state, search, DefinitionQuery.maximumLimit)
        var pages: [[UInt8]] = []
        for dictionary in dictionaries { pages += try await definitionPages(dictionary, query, timeout) }
        return pages
    }

    /// Reads the keys of all definitions of dictionaries.
    /// - Parameter timeout: how many seconds the daemon may take for each page.
    func definitionKeys(of dictionaries: [String], timeout: Int = documentTimeout) async throws -> [EventKey] {
        try await definitionPages(of: dictionaries, timeout: timeout).flatMap { page in
            try Self.decode(DefinitionKeys.self, page).categories.flatMap { category in
                category.definitions.map { EventKey(category: category.name, name: $0.name) }
            }
        }
    }

    private func definitionPages(
        _ dictionary: String, _ query: DefinitionQuery, _ timeout: Int
    ) async throws -> [[UInt8]] {
        var query = query
        var pages: [[UInt8]] = []
        while true {
            let page = try await document(APIPath.definitions(dictionary: dictionary, query), timeout: timeout)
            pages.append(page)
            // Prevents an endless loop if a page refers to itself.
            guard let next = try Self.next(page), next != query.after else { return pages }
            query.after = next
        }
    }

    /// Reads where the next page begins, without decoding thousands of definitions.
    private static func next(_ page: [UInt8]) throws(ControlError) -> EventKey? {
        let members: [JSONMember]
        do {
            members = try JSONScanner.members(of: page)
        } catch {
            throw .badReply(error.description)
        }
        let next = members.first { JSONScanner.text(of: page, in: $0.key) == "next" }
        guard let next, case .string = next.kind else { return nil }
        return EventKey(path: JSONScanner.text(of: page, in: next.content))
    }
}

/// The members of `DefinitionList` with the keys: to decode all takes longer.
private struct DefinitionKeys: Decodable {
    struct Category: Decodable {
        let name: String
        let definitions: [Item]
    }

    struct Item: Decodable { let name: String }

    let categories: [Category]
}
