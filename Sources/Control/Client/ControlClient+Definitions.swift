import API
import JSON
import Model

extension ControlClient {
    /// The pages of what a dictionary defines, as the daemon wrote them.
    func definitionPages(_ dictionary: String, _ query: DefinitionQuery) async throws -> [[UInt8]] {
        var query = query
        var pages: [[UInt8]] = []
        while true {
            let page = try await document(APIPath.definitions(dictionary: dictionary, query))
            pages.append(page)
            // A page that led to itself would be asked for for ever.
            guard let next = try Self.next(page), next != query.after else { return pages }
            query.after = next
        }
    }

    /// Where the next page begins, read without decoding what may be thousands of definitions.
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
