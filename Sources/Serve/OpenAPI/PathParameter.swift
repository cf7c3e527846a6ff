import API

/// A parameter in a path.
enum PathParameter: String, Sendable {
    case id, dictionary, category, name, version, run, alert

    var documentation: DocumentNode {
        [
            "name": .text(rawValue), "in": "path", "required": true, "description": .text(description),
            "schema": self == .id ? EventQuery.id.schema() : ["type": "string", "minLength": 1],
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
