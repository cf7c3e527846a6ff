import API
import Model

/// The schemas of the OpenAPI document, made from the descriptions of the API's objects.
enum OpenAPISchemas {
    /// Returns the schemas of the replies and of all objects in them, by name.
    static func schemas(of replies: [Endpoint.Reply]) -> [String: DocumentNode] {
        var schemas: [String: DocumentNode] = [:]
        func add(_ object: ObjectDescription) {
            guard schemas[object.name] == nil else { return }
            schemas[object.name] = object.schema
            for member in object.members { member.type.object.map(add) }
        }
        add(Problem.object)
        for reply in replies {
            switch reply {
            case .json(let object, showing: _): add(object)
            case .stream(let stream):
                schemas[stream.name] = stream.schema
                stream.lines.forEach(add)
            case .document, .text: break
            }
        }
        return schemas
    }

    static func reference(_ schema: String) -> DocumentNode { ["$ref": "#/components/schemas/\(schema)"] }
}

extension StreamDescription {
    fileprivate var schema: DocumentNode {
        [
            "oneOf": .list(lines.map { OpenAPISchemas.reference($0.name) }), "description": .text(summary),
        ]
    }
}

extension ObjectDescription {
    fileprivate var schema: DocumentNode {
        let required = members.filter { !$0.type.isOptional }.map(\.name).sorted()
        return [
            "type": "object", "description": .text(summary),
            "properties": .object(
                Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema) })),
            "required": .list(required.map(DocumentNode.text)),
        ]
    }
}

extension MemberDescription {
    fileprivate var schema: DocumentNode {
        .object(type.schema.merging(["description": .text(text)]) { $1 })
    }
}

extension ValueType {
    /// The object that a value is or contains.
    fileprivate var object: ObjectDescription? {
        switch self {
        case .object(let object): object
        case .list(let type), .optional(let type): type.object
        default: nil
        }
    }

    fileprivate var schema: [String: DocumentNode] {
        switch self {
        case .text: ["type": "string"]
        case .time: ["type": "string", "format": "date-time"]
        case .url: ["type": "string", "format": "uri"]
        case .integer: ["type": "integer", "format": "int64", "minimum": 0]
        case .number: ["type": "number"]
        case .flag: ["type": "boolean"]
        case .choice(let values): ["type": "string", "enum": .list(values.map(DocumentNode.text))]
        case .counts:
            [
                "type": "object", "propertyNames": .object(Resolution.valueType.schema),
                "additionalProperties": .object(ValueType.integer.schema),
            ]
        case .scalar: ["type": ["string", "number", "null"]]
        case .anyObject: ["type": "object"]
        case .object(let object): ["$ref": "#/components/schemas/\(object.name)"]
        case .list(let element): ["type": "array", "items": .object(element.schema)]
        case .optional(let type): type.schema
        }
    }
}
