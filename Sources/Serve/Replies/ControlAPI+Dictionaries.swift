import API
import Hummingbird
import Model

extension ControlAPI {
    /// `GET /v1/dictionaries`
    func dictionaries(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: DictionaryList(dictionaries: await daemon.dictionaries().map(\.status)))
    }

    /// `GET /v1/dictionaries/{dictionary}/definitions`
    func definitions(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: DefinitionList(try await dictionary(context)))
    }

    /// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`
    func definition(_ request: Request, _ context: ControlContext) async throws -> Response {
        let dictionary = try await dictionary(context)
        let key = EventKey(
            category: try context.pathParameter("category"), name: try context.pathParameter("name"))
        guard let definition = DefinitionReply(key, in: dictionary) else {
            throw Problem(
                status: 404, title: "Not found",
                detail: "The dictionary \(dictionary.options.name) does not define \(key).")
        }
        return try Response(json: definition)
    }

    /// `POST /v1/reload`
    func reload(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: await daemon.reload())
    }

    private func dictionary(_ context: ControlContext) async throws -> EventDictionary {
        let name = try context.pathParameter("dictionary")
        let all = await daemon.dictionaries()
        guard let loaded = all.first(where: { $0.dictionary.options.name == name }) else {
            let names = all.map(\.dictionary.options.name).joined(separator: ", ")
            throw Problem(
                status: 404, title: "Not found",
                detail: "There is no dictionary \(name)" + (names.isEmpty ? "." : "; there are: \(names)."))
        }
        return loaded.dictionary
    }
}
