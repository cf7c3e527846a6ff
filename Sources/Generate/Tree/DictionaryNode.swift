import Model
import Mustache

/// A dictionary made ready for templates: named, escaped and typed for one language, and otherwise free of it.
struct DictionaryNode {
    let name: String
    let version: String
    /// The line that says what a file is, and by which the generator knows its files again.
    let header: String
    let dialect: Dialect
    let categoryKey: String
    let nameKey: String
    /// Without the obsolete ones.
    let common: [ParameterNode]
    let obsoleteCommon: [ParameterNode]
    /// The values of custom types and of common parameters.
    let enumerations: [EnumerationNode]
    let categories: [CategoryNode]
}

/// What people have named and described.
protocol DescribedNode {
    var name: String { get }
    var names: Names { get }
    var dialect: Dialect { get }
    /// The description as it stands in the definitions.
    var description: String { get }
    /// The lines of the description, ready for a comment.
    var doc: [String] { get }
}

struct CategoryNode: DescribedNode {
    let name: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    /// The values of the parameters of its events.
    let enumerations: [EnumerationNode]
    let events: [EventNode]
}

struct EventNode: DescribedNode {
    let name: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    /// Why it must not be sent any more: the first line of its description; `nil` when it may be sent.
    let obsolete: String?
    /// Of its category and its own, without the obsolete ones.
    let parameters: [ParameterNode]
    let obsoleteParameters: [ParameterNode]
}

struct ParameterNode: DescribedNode {
    let name: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    /// As definitions write it, such as `!string? 64`.
    let definition: String
    let base: BaseType
    /// What the language calls the type; empty where its templates do not say.
    let type: String
    let isOptional: Bool
    let isObsolete: Bool
    let maximumBytes: Int?
    let privacy: Privacy
    let role: ParameterRole?
    let enumeration: EnumerationNode?
}

/// The values that a parameter may have, where they are listed.
struct EnumerationNode {
    /// Of the parameter or the custom type that has them.
    let name: String
    let names: Names
    let dialect: Dialect
    /// Whether it stands beside the common parameters rather than in a category.
    let isShared: Bool
    /// Whether the values are strings in JSON; otherwise they are numbers or booleans.
    let isText: Bool
    let values: [ValueNode]
    /// The JSON texts that stand for one of the values: for a custom type, `1` is as good as `"1"`.
    let accepted: [String]
}

struct ValueNode {
    let text: String
    let names: Names
    let dialect: Dialect
}

/// What a template is rendered with: the whole dictionary, and the category and the event that a file is for.
struct Place: MustacheParent {
    var dictionary: DictionaryNode
    var category: CategoryNode?
    var event: EventNode?

    static func all(of scope: OutputPattern.Scope, in tree: DictionaryNode) -> [Place] {
        switch scope {
        case .dictionary: [Place(dictionary: tree)]
        case .category: tree.categories.map { Place(dictionary: tree, category: $0) }
        case .event:
            tree.categories.flatMap { category in
                category.events.map { Place(dictionary: tree, category: category, event: $0) }
            }
        }
    }

    /// The keys `dictionary`, `category` and `event`, whether the file is for one event, and the keys of the dictionary.
    func child(named name: String) -> Any? {
        switch name {
        case "dictionary": dictionary
        case "category": category
        case "event": event
        case "single_event": event != nil
        default: dictionary.child(named: name)
        }
    }
}
