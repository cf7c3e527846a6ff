import API
import Hummingbird
import Model
import Predicates

extension ControlAPI {
    /// `GET /v1/keys`
    func keys(_ request: Request, _ context: ControlContext) async throws -> Response {
        let predicates = await daemon.predicates()
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        let names = PredicateBinder.Names(dictionaries, predicates: predicates)
        let isShown = try await shownPredicates(dictionaries, to: context)
        let named = predicates.sorted { $0.key < $1.key }.map { name, text in
            PredicateReply(name: name.text, predicate: isShown(text.text) ? text.text : nil)
        }
        // Without a definition that has the role, a predicate cannot ask for it.
        let known = PredicateKey.allCases.filter { key in
            if case .role(let role) = key.meaning { !names.paths(of: role).isEmpty } else { true }
        }
        return try await documents.response(context) {
            try APICoding.encode(
                KeyCatalog(
                    keys: known.map { KeyReply(name: $0.name, description: $0.description) },
                    parameters: names.all.sorted().map(\.text),
                    users: names.paths(of: .user).sorted().map(\.text), predicates: named))
        }
    }
}
