import API
import Hummingbird
import Model
import Predicates

extension ControlAPI {
    /// `GET /v1/keys`
    func keys(_ request: Request, _ context: ControlContext) async throws -> Response {
        let predicates = await daemon.predicates()
        let names = PredicateBinder.Names(await daemon.dictionaries().map(\.dictionary))
        return try await documents.response(context) {
            try APICoding.encode(
                KeyCatalog(
                    keys: PredicateKey.allCases.map { KeyReply(name: $0.name, description: $0.description) },
                    parameters: names.all.sorted().map(\.text),
                    users: names.paths(of: .user).sorted().map(\.text),
                    predicates: predicates.sorted { $0.key < $1.key }.map {
                        PredicateReply(name: $0.key.text, predicate: $0.value.text)
                    }))
        }
    }
}
