import API
import FoundationEssentials

/// Which parameters all events of a dictionary have in common; asked for once a run, when the first such event comes.
struct CommonParameters {
    private let client: ControlClient
    private var known: [String: Set<String>] = [:]

    init(client: ControlClient) {
        self.client = client
    }

    /// Empty where the daemon no longer has the dictionary.
    mutating func names(_ dictionary: String) async throws -> Set<String> {
        if let names = known[dictionary] { return names }
        let names: Set<String>
        do {
            var query = DefinitionQuery()
            query.limit = 0
            let list = try await client.document(List.self, APIPath.definitions(dictionary: dictionary, query))
            names = Set(list.commonParameters.map(\.name))
        } catch ControlError.refused {
            names = []
        }
        known[dictionary] = names
        return names
    }

    /// The part of `DefinitionList` that is of use here.
    private struct List: Decodable {
        struct Parameter: Decodable { let name: String }
        let commonParameters: [Parameter]
    }
}
