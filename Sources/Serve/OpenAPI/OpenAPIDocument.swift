import API
import FoundationEssentials
import Hummingbird

/// The OpenAPI 3.1 description of the control API, made from the endpoints themselves.
/// - Source: https://spec.openapis.org/oas/v3.1.0
struct OpenAPIDocument {
    let root: DocumentNode

    init(endpoints: [Endpoint]) {
        let paths = Dictionary(grouping: endpoints, by: \.path).mapValues { endpoints in
            DocumentNode.object(
                Dictionary(
                    uniqueKeysWithValues: endpoints.map { ($0.method.rawValue.lowercased(), Self.operation($0)) }))
        }
        root = [
            "openapi": "3.1.0",
            "info": [
                "title": "Gloss control API", "version": "1",
                "description": """
                HTTP/1.1 on a Unix socket. Times are RFC 3339 in UTC with microseconds. Errors are problem documents \
                (RFC 9457), streams are NDJSON: one line, one object, whose `type` says what it is.
                """,
            ],
            "servers": [["url": "http://localhost", "description": "The Unix socket, /run/gloss/control.sock"]],
            "paths": .object(paths),
            "components": ["schemas": .object(OpenAPISchemas.all)],
        ]
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(root)
    }

    private static func operation(_ endpoint: Endpoint) -> DocumentNode {
        var responses: [String: DocumentNode] = [
            "200": ["description": "\(endpoint.summary)", "content": content(endpoint.reply)],
            "default": problem("Any other problem"),
        ]
        for (status, description) in endpoint.problems { responses[String(status)] = problem(description) }
        let parameters = endpoint.pathParameters.map(pathParameter) + endpoint.query.map(queryParameter)
        var operation: [String: DocumentNode] = [
            "summary": .text(endpoint.summary), "responses": .object(responses),
        ]
        if !parameters.isEmpty { operation["parameters"] = .list(parameters) }
        if endpoint.needsAdmin {
            operation["description"] =
                "Only for root, the user that glossd runs as, and members of the group in control.admin_group."
        }
        return .object(operation)
    }

    private static func content(_ reply: Endpoint.Reply) -> DocumentNode {
        switch reply {
        case .json(let schema): ["application/json": ["schema": reference(schema)]]
        case .stream: ["application/x-ndjson": ["schema": reference("StreamLine")]]
        case .document: ["application/json": ["schema": ["type": "object"]]]
        }
    }

    private static func problem(_ description: String) -> DocumentNode {
        [
            "description": .text(description),
            "content": .object([Problem.mediaType: ["schema": reference("Problem")]]),
        ]
    }

    private static func pathParameter(_ name: String) -> DocumentNode {
        ["name": .text(name), "in": "path", "required": true, "schema": ["type": name == "id" ? "integer" : "string"]]
    }

    private static func queryParameter(_ parameter: QueryParameter) -> DocumentNode {
        var value: [String: DocumentNode] = ["type": "string"]
        if let values = parameter.values { value["enum"] = .list(values.map(DocumentNode.text)) }
        let schema: DocumentNode = parameter.isList ? ["type": "array", "items": .object(value)] : .object(value)
        return [
            "name": .text(parameter.name), "in": "query", "description": .text(parameter.description),
            "schema": schema,
        ]
    }

    static func reference(_ schema: String) -> DocumentNode { ["$ref": "#/components/schemas/\(schema)"] }
}

extension ControlAPI {
    /// `GET /openapi.json`
    func openAPI(_ request: Request, _ context: ControlContext) async throws -> Response {
        Response(jsonText: try OpenAPIDocument(endpoints: endpoints).encoded())
    }
}
