import API
import HTTPTypes
import Hummingbird
import Model

/// One method of one path: how it is answered, and what the OpenAPI document says about it.
struct Endpoint: Sendable {
    enum Reply: Sendable {
        /// One JSON object. `showing` replaces members of its example.
        case json(ObjectDescription, showing: [String: DocumentNode] = [:])
        /// Lines of NDJSON.
        case stream(StreamDescription)
        /// The OpenAPI document itself.
        case document
        /// Text of a media type.
        case text(type: String, example: String)
    }

    enum Tag: String, CaseIterable {
        case daemon, events, dictionaries, reports, checklists, alerts

        var description: String {
            switch self {
            case .daemon: "The daemon itself"
            case .events: "Events, and places where some are missing"
            case .dictionaries: "Dictionaries and their definitions"
            case .reports: "Differences between what is defined and what is sent"
            case .checklists: "Events that have to be sent, counted as they come"
            case .alerts: "Rules that say when notices about events are sent"
            }
        }
    }

    /// Its name in generated clients.
    var id: String
    var tag: Tag
    var method: HTTPRequest.Method
    /// The path, with `{name}` for each path parameter.
    var path: String
    var summary: String
    var query: [QueryParameter] = []
    /// What the body of a request is, with an example; `nil` if it has none.
    var body: (text: String, type: String, example: String, isRequired: Bool)?
    var reply: Reply
    /// The problems that not every request can have, by status.
    var problems: [Int: String] = [:]
    var needsAdmin = false
    var answer: @Sendable (Request, ControlContext) async throws -> Response

    /// Checks that a request has no query parameters if the endpoint has none. Otherwise `answer` checks them.
    /// - Throws: `QueryError` if there are some.
    func checkQuery(of request: Request) throws(QueryError) {
        guard query.isEmpty, let first = request.uri.query?.split(separator: "&").first else { return }
        throw QueryError(
            parameter: String(first.prefix { $0 != "=" }), description: "does not exist; this request has no parameters"
        )
    }

    /// Returns whether the path of a request matches `path`.
    fileprivate func takes(_ path: String) -> Bool {
        let (names, parts) = (self.path.split(separator: "/"), path.split(separator: "/"))
        return names.count == parts.count && zip(names, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    var pathParameters: [PathParameter] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.compactMap {
            PathParameter(rawValue: String($0.dropFirst().dropLast()))
        }
    }
}

extension [Endpoint] {
    /// Returns the methods that a path allows.
    func methods(of path: String) -> [HTTPRequest.Method] {
        filter { $0.takes(path) }.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }
}

/// Answers with 405 if the path exists but does not allow the method; the router would answer with 404.
struct MethodCheck: RouterMiddleware {
    let endpoints: [Endpoint]

    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        let methods = endpoints.methods(of: path)
        guard !methods.isEmpty, !methods.contains(request.method) else { return try await next(request, context) }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return Response(
            Problem(status: 405, title: "Method not allowed", detail: "\(path) allows only \(names)"),
            headers: [.allow: names])
    }
}
