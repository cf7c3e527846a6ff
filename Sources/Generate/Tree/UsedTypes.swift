import Model

/// The custom types that parameters have, and the members of their objects in turn.
struct UsedTypes {
    /// Those whose values are objects with known members.
    private(set) var objects: [ExactString: ObjectType] = [:]
    /// Those with a list of values, some of them more than once.
    private(set) var listed: [ParameterType] = []

    /// The most arrays within each other. They are written out wherever they are used, and compilers have limits, too.
    private static let maximumNesting = 16

    /// - Throws: `GenerateError` when there are too many arrays within each other.
    mutating func add(_ parameters: some Sequence<Parameter>) throws(GenerateError) {
        for parameter in parameters { try add(parameter) }
    }

    private mutating func add(_ parameter: Parameter) throws(GenerateError) {
        guard parameter.type.nesting <= Self.maximumNesting else {
            throw GenerateError(
                .definitions,
                "`\(parameter.name)` (\(parameter.typeText)) has arrays more than \(Self.maximumNesting) deep within"
                    + " each other, for which no code is generated: use objects, or the type !any")
        }
        switch parameter.type.innermost {
        case .custom(let name, .object(let object)?):
            // All uses of a type share one object.
            guard objects.updateValue(object, forKey: name) == nil else { return }
            try add(object.members)
        case .custom(_, .values?) where parameter.allowedValues == nil: listed.append(parameter.type.innermost)
        default: break
        }
    }

    /// The names of `objects`. Each comes after those that its members have.
    var namesInOrder: [ExactString] {
        var order: [ExactString] = []
        var known: Set<ExactString> = []
        func visit(_ name: ExactString) {
            guard let object = objects[name], known.insert(name).inserted else { return }
            for member in object.members {
                if case .custom(let inner, .object?) = member.type.innermost { visit(inner) }
            }
            order.append(name)
        }
        for name in objects.keys.sorted() { visit(name) }
        return order
    }
}

extension ParameterType {
    /// The type as which values are checked; for an array the type of its elements, or of theirs.
    fileprivate var innermost: ParameterType {
        if case .array(let element, _, _) = checked { element.innermost } else { checked }
    }

    /// The number of arrays within each other.
    fileprivate var nesting: Int { if case .array(let element, _, _) = checked { element.nesting + 1 } else { 0 } }
}
