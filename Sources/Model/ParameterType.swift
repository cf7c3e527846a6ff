/// The type of a parameter, or of a member of an object.
///
/// The built-in types are those of daifuku, the types of a PostgreSQL-like data warehouse. What daifuku has no words for is
/// a custom type, whose meaning the files in the folder `types` and the settings give.
package indirect enum ParameterType: Sendable, Hashable {
    case smallint, integer, bigint, real, double, boolean
    /// - Parameter maximumBytes: the most bytes (not characters) that a text may have; `nil` for any number.
    case string(maximumBytes: Int? = nil)
    case date, timestamp, timestamptz
    /// Any JSON value.
    case any
    /// An array whose elements have a type.
    /// - Parameter allowsNull: whether an element may be `null`.
    /// - Parameter maximumCount: the most elements that it may have; `nil` for any number.
    case array(of: ParameterType, allowsNull: Bool = false, maximumCount: Int? = nil)
    /// A type that the team names. Without a meaning, any JSON value that is not an object has it.
    case custom(name: ExactString, meaning: CustomType?)

    private static let builtIn: [ParameterType] = [
        .smallint, .integer, .bigint, .real, .double, .boolean, .string(), .date, .timestamp, .timestamptz, .any,
    ]

    /// Returns the built-in type with a name that is written without the `!`.
    package init?(builtIn name: some StringProtocol) {
        guard let type = Self.builtIn.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// The names of the types that daifuku has, too: all but `any`.
    package static let builtInNames = builtIn.dropLast().map(\.name)

    /// The name as it is written in definitions, without the `!`; an array has the name `[Item]`.
    package var name: String {
        switch self {
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double: "double"
        case .boolean: "boolean"
        case .string: "string"
        case .date: "date"
        case .timestamp: "timestamp"
        case .timestamptz: "timestamptz"
        case .any: "any"
        case .array(let element, let allowsNull, _): "[\(element.text(isOptional: allowsNull))]"
        case .custom(let name, _): name.text
        }
    }

    /// The limit that is written after the type: bytes of a text, or elements of an array.
    package var limit: Int? {
        switch self {
        case .string(let maximumBytes): maximumBytes
        case .array(_, _, let maximumCount): maximumCount
        default: nil
        }
    }

    /// Returns the type as definitions write it: `!string? 64`, `Device`, `[Item] 50`.
    package func text(isOptional: Bool = false) -> String {
        let mark =
            switch self {
            case .custom, .array: ""
            default: "!"
            }
        return "\(mark)\(name)\(isOptional ? "?" : "")\(limit.map { " \($0)" } ?? "")"
    }

    /// The type as which values are checked: for a custom type that means a type, that type.
    package var checked: ParameterType {
        if case .custom(_, .same(let other)?) = self { other.checked } else { self }
    }

    /// The allowed values, if it is a custom type with a list of them.
    package var listedValues: [String]? {
        if case .custom(_, .values(let values)?) = checked { values.map(\.text) } else { nil }
    }

    /// The members, if its values are objects with known members.
    package var object: ObjectType? {
        if case .custom(_, .object(let object)?) = checked { object } else { nil }
    }
}

/// The meaning of a custom type: in a file of the folder `types`, or in the settings (`dictionaries[].types`).
package indirect enum CustomType: Sendable, Hashable {
    /// Values are checked like those of another type.
    case same(as: ParameterType)
    /// Only these values are allowed, compared with the text of a JSON string or, for other values, their JSON text.
    case values([ExactString])
    /// JSON objects with these members.
    case object(ObjectType)
}

/// The members of JSON objects. All uses of a type share one object, and types do not contain themselves.
package final class ObjectType: Sendable, Hashable {
    /// In the order of the file.
    package let members: [Parameter]
    /// Whether other members are allowed.
    package let allowsExtra: Bool
    /// A hash of everything that checks depend on. A type may be used in so many places that comparing all members could
    /// take for ever.
    private let contentHash: Int

    package init(members: [Parameter], allowsExtra: Bool = false) {
        self.members = members
        self.allowsExtra = allowsExtra
        var hasher = Hasher()
        for member in members { hasher.combine(member.checked) }
        hasher.combine(allowsExtra)
        contentHash = hasher.finalize()
    }

    /// Whether both allow the same objects; texts that are only for people do not count.
    package static func == (one: ObjectType, other: ObjectType) -> Bool {
        // The hash is keyed by a random number of this process: nobody can make two types with the same one.
        one === other || (one.contentHash == other.contentHash && one.members.count == other.members.count)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }
}

/// A custom type as a file of the folder `types` defines it.
package struct TypeDefinition: Sendable, Hashable {
    @Exact package var name: String
    @Exact package var description: String
    package var meaning: CustomType
    /// The file's path in the dictionary's folder, such as `types/device.md`.
    @Exact package var file: String
    package var line: Int

    package init(name: String, description: String, meaning: CustomType, file: String, line: Int) {
        self.name = name
        self.description = description
        self.meaning = meaning
        self.file = file
        self.line = line
    }

    /// The members, if its values are objects.
    package var members: [Parameter] { if case .object(let object) = meaning { object.members } else { [] } }
}
