import Model

/// The type of a parameter, or of the elements of an array.
struct TypeNode {
    /// What is within a value.
    indirect enum Content {
        case object(ObjectNode)
        case elements(TypeNode)
    }

    /// The type as definitions write it, such as `!string? 64`.
    let definition: String
    let base: BaseType
    /// The language's name of the type; empty if its templates have none.
    let name: String
    /// Whether the parameter may be absent, or the element may be null.
    let isOptional: Bool
    /// The most bytes of a text, or the most elements of an array.
    let limit: Int?
    let enumeration: EnumerationNode?
    var content: Content?

    /// The object type, if it is one.
    var object: ObjectNode? { if case .object(let object)? = content { object } else { nil } }

    /// The type of the elements, if it is an array.
    var element: TypeNode? { if case .elements(let element)? = content { element } else { nil } }

    /// The object type that it is, or that the elements of its arrays have.
    var innermostObject: ObjectNode? { object ?? element?.innermostObject }

    /// Whether it or the type of its elements has a limit.
    var hasLimits: Bool { limit != nil || element?.hasLimits == true }
}

/// A custom type whose values are objects with known members.
struct ObjectNode: DescribedNode {
    let name: String
    let names: Names
    let dialect: Dialect
    let description: String
    let doc: [String]
    /// In the order of the definition, with the obsolete ones.
    var members: [ParameterNode]
    /// Whether objects may have other members, too.
    let allowsExtra: Bool
    /// The names of other members that it may have, because it contains a part of the key; `nil` for the type as it is
    /// defined.
    var keyNames: [String]?

    /// Returns the object types of the parameters and of the members within them, each once, sorted by name.
    static func used(by parameters: [ParameterNode]) -> [ObjectNode] {
        var found: [ExactString: ObjectNode] = [:]
        var rest = parameters.compactMap(\.type.innermostObject)
        while let object = rest.popLast() {
            guard object.keyNames != nil || found.updateValue(object, forKey: ExactString(object.name)) == nil else {
                continue
            }
            rest += object.members.compactMap(\.type.innermostObject)
        }
        return found.values.sorted { $0.name < $1.name }
    }
}
