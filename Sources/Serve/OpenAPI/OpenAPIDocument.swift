import API
import FoundationEssentials
import Hummingbird

/// The OpenAPI 3.1 description of the control API, made from the endpoints.
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
                (RFC 9457), streams are NDJSON: each line is an object with a `type`. HEAD is answered like GET.
                """,
            ],
            "tags": .list(
                Endpoint.Tag.allCases.map { ["name": .text($0.rawValue), "description": .text($0.description)] }),
            "servers": [["url": "http://localhost", "description": "The Unix socket, /run/gloss/control.sock"]],
            "paths": .object(paths),
            "components": ["schemas": .object(OpenAPISchemas.schemas(of: endpoints.map(\.reply)))],
        ]
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(root)
    }

    private static func operation(_ endpoint: Endpoint) -> DocumentNode {
        var responses: [String: DocumentNode] = [
            "200": ["description": .text(endpoint.summary), "content": content(endpoint)],
            "400": problem("A parameter has an invalid value, or does not exist"),
            "413": problem("The request has a body that is too large"),
            "500": problem("The daemon failed"),
            "503": problem("The store is busy"),
            "default": problem("Any other problem"),
        ]
        for (status, description) in endpoint.problems { responses[String(status)] = problem(description) }
        let parameters = endpoint.pathParameters.map(\.documentation) + endpoint.query.map(\.documentation)
        var operation: [String: DocumentNode] = [
            "operationId": .text(endpoint.id), "tags": [.text(endpoint.tag.rawValue)],
            "summary": .text(endpoint.summary), "responses": .object(responses),
        ]
        if !parameters.isEmpty { operation["parameters"] = .list(parameters) }
        if let body = endpoint.body {
            operation["requestBody"] = [
                "description": .text(body.text), "required": .flag(body.isRequired),
                "content": .object([body.type: ["schema": ["type": "string"], "example": .text(body.example)]]),
            ]
        }
        if endpoint.needsAdmin {
            operation["description"] =
                "Only for root, the user that glossd runs as, and members of the group in control.admin_group."
        }
        return .object(operation)
    }

    private static func content(_ endpoint: Endpoint) -> DocumentNode {
        let (type, schema, example): (String, DocumentNode, DocumentNode) =
            switch endpoint.reply {
            case .json(let object, let shown):
                ("application/json", OpenAPISchemas.reference(object.name), object.example(showing: shown))
            // OpenAPI 3.1 cannot describe NDJSON. As OpenAPI 3.2 does, the schema is an array of the lines.
            case .stream(let stream):
                (
                    "application/x-ndjson", ["type": "array", "items": OpenAPISchemas.reference(stream.name)],
                    stream.example
                )
            case .document:
                (
                    "application/json", ["type": "object"],
                    ["openapi": "3.1.0", "info": ["title": "Gloss control API", "version": "1"], "paths": [:]]
                )
            case .text(let type, let example): (type, ["type": "string"], .text(example))
            }
        return [type: ["schema": schema, "example": example]]
    }

    private static func problem(_ description: String) -> DocumentNode {
        [
            "description": .text(description),
            "content": .object([
                Problem.mediaType: [
                    "schema": OpenAPISchemas.reference(Problem.object.name), "example": Problem.object.example,
                ]
            ]),
        ]
    }
}

extension ControlAPI {
    /// `GET /openapi.json`
    func openAPI(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await documents.response(context) { try OpenAPIDocument(endpoints: endpoints).encoded() }
    }
}
