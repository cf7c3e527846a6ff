import API

/// A query parameter in the OpenAPI document.
struct QueryParameter: Sendable {
    var name: String
    var description: String
    /// Whether it may be repeated.
    var isList = false
    var isRequired = false
    /// The schema of one value, as strict as the parser.
    var schema: DocumentNode = ["type": "string"]
    var example: DocumentNode

    var documentation: DocumentNode {
        [
            "name": .text(name), "in": "query", "required": .flag(isRequired), "description": .text(description),
            "schema": isList ? ["type": "array", "items": schema] : schema,
            "example": isList ? [example] : example,
        ]
    }

    /// Returns the schema of a choice.
    static func choice(_ values: [String]) -> DocumentNode {
        ["type": "string", "enum": .list(values.map(DocumentNode.text))]
    }

    static func text(like pattern: String) -> DocumentNode { ["type": "string", "pattern": .text(pattern)] }

    /// - Parameter maximum: the largest number of so many digits.
    static func numberOrAll(_ maximum: Int64) -> DocumentNode {
        text(like: "^(all|[0-9]{1,\(String(maximum).count)})$")
    }

    static func number(_ range: ClosedRange<Int64>) -> DocumentNode {
        [
            "type": "integer", "format": "int64", "minimum": .number(Int(range.lowerBound)),
            "maximum": .number(Int(range.upperBound)),
        ]
    }
}

/// A parameter in a path.
enum PathParameter: String, Sendable {
    case id, dictionary, category, name, version, run, alert

    var documentation: DocumentNode {
        [
            "name": .text(rawValue), "in": "path", "required": true, "description": .text(description),
            "schema": self == .id ? QueryParameter.number(0...Int64.max) : ["type": "string", "minLength": 1],
            "example": example,
        ]
    }

    private var description: String {
        switch self {
        case .id: "The event's id"
        case .dictionary: "The name of a dictionary"
        case .category: "The category of the event's key"
        case .name: "The event's name in the category"
        case .version: "A version of the dictionary"
        case .run: "The name of a run"
        case .alert: "The name of an alert"
        }
    }

    private var example: DocumentNode {
        switch self {
        case .id: 1
        case .dictionary: "shop"
        case .category: "recipe_detail"
        case .name: "tap_save_button"
        case .version: "0123456789abcdef"
        case .run: "release-ios"
        case .alert: "checkout-errors"
        }
    }
}
