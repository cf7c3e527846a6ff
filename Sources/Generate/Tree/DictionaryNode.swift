import Model
import Mustache

/// A dictionary prepared for templates: named, escaped and typed for one language, and otherwise independent of it.
struct DictionaryNode {
    let name: String
    let version: String
    /// The line that marks a file as generated, and by which the generator recognizes it.
    let header: String
    let dialect: Dialect
    /// The members of the payload itself that have the category and the name; `nil` for one that is elsewhere.
    let categoryKey: String?
    let nameKey: String?
    /// What a payload begins with, up to its event's parameters, and what comes after them.
    let opening: [WriteStep]
    let closing: [WriteStep]
    /// The reason why there is no code that writes payloads of this layout; `nil` if there is.
    let writingFault: GenerateError?
    /// The common parameters that are not obsolete.
    let common: [ParameterNode]
    let obsoleteCommon: [ParameterNode]
    /// The values of custom types, of common parameters and of members.
    let enumerations: [EnumerationNode]
    /// The object types that are used, sorted by name.
    let types: [ObjectNode]
    let categories: [CategoryNode]
}

/// A node with a name.
protocol NamedNode {
    var name: String { get }
    var names: Names { get }
    var dialect: Dialect { get }
}

/// A node with a name and a description.
protocol DescribedNode: NamedNode {
    /// The description as it is in the definitions.
    var description: String { get }
    /// The lines of the description, escaped for a comment.
    var doc: [String] { get }
}

extension NamedNode {
    /// The name in a form that a URL can have after `#`: what is not an ASCII letter, digit, `-` or `_` is written as `=2E`.
    var anchor: String { Self.anchor(of: name) }

    static func anchor(of name: String) -> String {
        name.utf8.map { byte in
            byte.isNameByte
                ? String(UnicodeScalar(byte)) : (byte < 16 ? "=0" : "=") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

struct CategoryNode: DescribedNode {
    let name: String
    /// What payloads call it.
    let sentAs: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    /// The values of the parameters of its events.
    let enumerations: [EnumerationNode]
    let events: [EventNode]
}

struct EventNode: DescribedNode {
    /// The name of its category.
    let category: String
    let name: String
    /// What payloads call it.
    let sentAs: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    /// The reason why it must not be sent any more, from the first line of its description; `nil` when it may be sent.
    let obsolete: String?
    /// The parameters of its category and its own, without the obsolete ones.
    let parameters: [ParameterNode]
    let obsoleteParameters: [ParameterNode]
    /// The common parameters that it may have, with the obsolete ones.
    let common: [ParameterNode]
    /// The names of common parameters that the event has itself in the same object: its own count.
    let shadowed: [String]
    /// The name of a table with its events.
    let table: String
    /// The columns of that table. Few templates have them.
    let columns: () -> [ColumnNode]
    let payload: PayloadNode
    /// Whether payloads may have any other parameters.
    let allowsExtra: Bool
    /// The names of other parameters that payloads may have.
    let extraNames: [String]
}

/// A parameter of an event, or a member of an object.
struct ParameterNode: DescribedNode {
    let name: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    var type: TypeNode
    let isObsolete: Bool
    let privacy: Privacy
    let role: ParameterRole?
    /// Whether it is a common parameter that some event has itself.
    var isShadowed = false
}

/// The list of values that a parameter may have.
struct EnumerationNode: NamedNode {
    /// The name of the parameter or the custom type that has the values.
    let name: String
    let names: Names
    let dialect: Dialect
    /// Whether its place is beside the common parameters and the object types rather than in a category.
    let isShared: Bool
    /// Whether the values are strings in JSON; otherwise they are numbers or booleans.
    let isText: Bool
    let values: [ValueNode]
    /// The JSON texts of the values: for a custom type, `1` and `"1"` are both accepted.
    let accepted: [String]
}

struct ValueNode {
    let text: String
    let names: Names
    let dialect: Dialect
}

/// The events that payloads call the same, in different categories.
struct SentName {
    let text: String
    let events: [EventNode]
    let dialect: Dialect
}

/// The context in which a template is rendered: the whole dictionary, and the category and the event of the file.
struct Place: TemplateNode {
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

    /// Returns the value for the keys `dictionary`, `category` and `event`, whether the file is for one event, and the
    /// values for the keys of the dictionary.
    func value(named name: String) -> Any? {
        switch name {
        case "dictionary": dictionary
        case "category": category
        case "event": event
        case "single_event": event != nil
        default: dictionary.value(named: name)
        }
    }
}
