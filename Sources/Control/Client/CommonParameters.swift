import API
import Model

/// The payload members that every event of a dictionary has. The text output leaves them out.
struct CommonNames: Sendable, Equatable {
    var parameters: Set<ExactString> = []
    /// Where the category and the name of the event are.
    var key = PayloadLayout.usual.key
    /// Whether some events have something else there, since their sources have another key.
    var hasOtherKeys = false
    /// Where the event's own parameters are; `nil` if they are in the payload itself.
    var parametersAt: MemberPath?
}

/// The common parameters of dictionaries, requested once in a run, when the first event of a dictionary is shown.
struct CommonParameters {
    private let client: ControlClient
    private var known: [ExactString: CommonNames] = [:]

    init(client: ControlClient) {
        self.client = client
    }

    /// Returns no parameters if the daemon no longer has the dictionary. If it has a problem, showing the event matters
    /// more: no parameters are returned, and the next lines ask again.
    mutating func names(_ dictionary: String) async throws -> CommonNames {
        if let names = known[dictionary] { return names }
        let names: CommonNames
        do {
            var query = DefinitionQuery()
            query.limit = 0
            let list = try await client.document(List.self, APIPath.definitions(dictionary: dictionary, query))
            names = CommonNames(
                parameters: Set(exact: list.commonParameters.map(\.name)), key: list.key,
                hasOtherKeys: list.otherKeys ?? false, parametersAt: list.parametersAt.map { MemberPath($0) })
        } catch ControlError.refused(let problem) {
            guard problem.status == 404 else { return CommonNames() }
            names = CommonNames()
        }
        known[dictionary] = names
        return names
    }

    /// The members of `DefinitionList` that are needed here.
    private struct List: Decodable {
        struct Parameter: Decodable { let name: String }
        let commonParameters: [Parameter]
        let key: [String]
        let otherKeys: Bool?
        let parametersAt: String?
    }
}
