import API
import HTTPTypes
import Hummingbird

/// One method of one path: how it is answered, and what the OpenAPI document says of it.
struct Endpoint: Sendable {
    enum Reply: Sendable {
        /// One JSON document, of the schema with this name.
        case json(schema: String)
        /// Lines of NDJSON.
        case stream
        /// The OpenAPI document itself.
        case document
    }

    var method: HTTPRequest.Method
    /// With `{name}` for each path parameter.
    var path: String
    var summary: String
    var query: [QueryParameter] = []
    var reply: Reply
    /// The problems besides those that every request can have, by status.
    var problems: [Int: String] = [:]
    var needsAdmin = false
    var answer: @Sendable (Request, ControlContext) async throws -> Response

    /// Where there are query parameters, `answer` checks them.
    /// - Throws: `QueryError` where there are none, but some were sent.
    func checkQuery(of request: Request) throws(QueryError) {
        guard query.isEmpty, let first = request.uri.query?.split(separator: "&").first else { return }
        throw QueryError(
            parameter: String(first.prefix { $0 != "=" }), description: "is no parameter of this; there are none")
    }

    /// Whether a request's path is one of `path`.
    func takes(_ path: String) -> Bool {
        let (names, parts) = (self.path.split(separator: "/"), path.split(separator: "/"))
        return names.count == parts.count && zip(names, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// The names in `path`, in their order.
    var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}

/// A query parameter as the OpenAPI document describes it.
struct QueryParameter: Sendable {
    var name: String
    var description: String
    var isList = false
    var values: [String]?
}
