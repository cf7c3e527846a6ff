import API
import FoundationEssentials
package import Model

/// The members of a payload that all events of a dictionary have.
package struct CommonNames: Sendable, Equatable {
    package var parameters: Set<ExactString> = []
    /// Those of the event's category and name.
    package var key = DictionaryOptions(name: "", path: "").key
}

/// What all events of a dictionary have in common; asked for once a run, when the first such event comes.
struct CommonParameters {
    private let client: ControlClient
    private var known: [ExactString: CommonNames] = [:]

    init(client: ControlClient) {
        self.client = client
    }

    /// Without parameters where the daemon no longer has the dictionary.
    mutating func names(_ dictionary: String) async throws -> CommonNames {
        if let names = known[dictionary] { return names }
        let names: CommonNames
        do {
            var query = DefinitionQuery()
            query.limit = 0
            let list = try await client.document(List.self, APIPath.definitions(dictionary: dictionary, query))
            names = CommonNames(parameters: Set(exact: list.commonParameters.map(\.name)), key: list.key)
        } catch ControlError.refused {
            names = CommonNames()
        }
        known[dictionary] = names
        return names
    }

    /// The part of `DefinitionList` that is of use here.
    private struct List: Decodable {
        struct Parameter: Decodable { let name: String }
        let commonParameters: [Parameter]
        let key: [String]
    }
}
