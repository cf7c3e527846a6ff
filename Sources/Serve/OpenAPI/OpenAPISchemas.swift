import API
import Model

/// The schemas of what is sent. Properties that may be absent are those not listed as required.
enum OpenAPISchemas {
    static let all = [
        "Problem": object(
            [
                "type": text("Names the kind of problem; about:blank says no more than the status does"),
                "title": text("The kind of problem in a few words"), "status": integer("The HTTP status"),
                "detail": text("What was wrong this time, and what to do about it"),
                "parameter": text("The query parameter that is at fault"),
            ], optional: ["detail", "parameter"]),
        "Reload": object([
            "changes": array(text("One thing that is different now"), "What the reload changed"),
            "warnings": array(text("One warning"), "What to look at, although it is no error"),
            "dictionaries": list("Dictionary", "The dictionaries that are in force now"),
        ]),
    ].merging(events) { $1 }.merging(status) { $1 }.merging(dictionaries) { $1 }.merging(reports) { $1 }
        .merging(verification) { $1 }

    static func text(_ description: String) -> DocumentNode { ["type": "string", "description": .text(description)] }

    static func time(_ description: String) -> DocumentNode {
        ["type": "string", "format": "date-time", "description": .text(description)]
    }

    /// A count or an id.
    static func integer(_ description: String) -> DocumentNode {
        ["type": "integer", "format": "int64", "minimum": 0, "description": .text(description)]
    }

    static func number(_ description: String) -> DocumentNode { ["type": "number", "description": .text(description)] }
    static func flag(_ description: String) -> DocumentNode { ["type": "boolean", "description": .text(description)] }

    static func counts(_ description: String) -> DocumentNode {
        [
            "type": "object", "description": .text(description),
            "propertyNames": choice(Resolution.allCases.map(\.rawValue), "A resolution"),
            "additionalProperties": integer("How many events had this resolution"),
        ]
    }

    static func choice(_ names: [String], _ description: String) -> DocumentNode {
        ["type": "string", "enum": .list(names.map(DocumentNode.text)), "description": .text(description)]
    }

    /// A text that is always this one.
    static func constant(_ text: String, _ description: String) -> DocumentNode {
        ["type": "string", "const": .text(text), "description": .text(description)]
    }

    static func array(_ items: DocumentNode, _ description: String) -> DocumentNode {
        ["type": "array", "items": items, "description": .text(description)]
    }

    static func list(_ schema: String, _ description: String) -> DocumentNode {
        array(OpenAPIDocument.reference(schema), description)
    }

    static func reference(_ schema: String, _ description: String) -> DocumentNode {
        ["$ref": .text("#/components/schemas/\(schema)"), "description": .text(description)]
    }

    static func object(
        _ properties: [String: DocumentNode], optional: Set<String> = [], _ description: String? = nil
    ) -> DocumentNode {
        let required = properties.keys.filter { !optional.contains($0) }.sorted()
        var object: [String: DocumentNode] = [
            "type": "object", "properties": .object(properties), "required": .list(required.map(DocumentNode.text)),
        ]
        if let description { object["description"] = .text(description) }
        return .object(object)
    }
}
