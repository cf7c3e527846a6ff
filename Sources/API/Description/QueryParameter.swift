import Model
import Predicates

/// A query parameter in the OpenAPI document.
package struct QueryParameter: Sendable {
    var name: String
    var description: String
    /// Whether it may be repeated.
    var isList = false
    var isRequired = false
    /// The schema of one value.
    var schema: DocumentNode
    var example: DocumentNode

    package var documentation: DocumentNode {
        [
            "name": .text(name), "in": "query", "required": .flag(isRequired), "description": .text(description),
            "schema": isList ? ["type": "array", "items": schema] : schema,
            "example": isList ? [example] : example,
        ]
    }
}

extension QueryParameter {
    init(_ filter: FilterParameter) {
        self.init(
            name: filter.name, description: ([filter.description] + filter.notes).joined(separator: ". "),
            isList: filter.isList, schema: filter.schema, example: filter == .pid ? 812 : .text(filter.example))
    }
}

extension FilterParameter {
    fileprivate var notes: [String] {
        switch form {
        case .like: ["In a value, * is any text and ? is one character; one of several is enough"]
        case .equal: ["One of several is enough"]
        case .member: ["All of several must match"]
        case .predicate: ["Times without a zone are in UTC. All conditions of a query must hold"]
        case .ordered where isTime:
            [
                """
                RFC 3339, microseconds since 1970, or as in docs/dictionary.md (-5m, today); in UTC if it has no zone
                """
            ]
        case .ordered where self == .level:
            [values?.joined(separator: ", ") ?? "", "Other usual spellings are known, too"]
        case .ordered, .grep: []
        }
    }

    fileprivate var schema: DocumentNode {
        switch self {
        case .boot: .pattern("^[0-9A-Fa-f]{32}$")
        case .pid: QueryForm.number(0...Int64.max).schema()
        case .where: .pattern("^\(FilterParameter.namePattern)=")
        case .event: .pattern("[/*]")
        case .grep: ["type": "string", "minLength": 1]
        case .level, .predicate: ["type": "string"]
        default: values.map(DocumentNode.choice) ?? ["type": "string"]
        }
    }
}
