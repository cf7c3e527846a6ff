/// A payload key as a dictionary defines it.
package struct Parameter: Sendable, Hashable {
    @Exact package var name: String
    package var type: ParameterType
    package var isOptional: Bool
    /// The most bytes (not characters) that a `string` may have.
    package var maximumBytes: Int?
    package var isObsolete: Bool
    /// How its values are protected before they are stored or sent: `privacy: private` in the description.
    package var privacy: Privacy
    /// The allowed values, compared with the text of a JSON string or, for other values, their JSON text:
    /// `values: new, popular` in the description. `nil` allows all values of its type.
    @Exact package var allowedValues: [String]?
    /// Whether it identifies a user or a device: `user` or `device` in the description.
    package var role: ParameterRole?
    /// The nested list items except annotations, one string each.
    @Exact package var description: [String]
    /// The line in the definition file, from 1.
    package var line: Int

    package init(
        name: String, type: ParameterType, isOptional: Bool = false, maximumBytes: Int? = nil,
        isObsolete: Bool = false, privacy: Privacy = .public, allowedValues: [String]? = nil,
        role: ParameterRole? = nil, description: [String] = [], line: Int = 0
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.maximumBytes = maximumBytes
        self.isObsolete = isObsolete
        self.privacy = privacy
        self.allowedValues = allowedValues
        self.role = role
        self.description = description
        self.line = line
    }
}

extension Sequence<Parameter> {
    /// The first parameter of each name, which is the one that counts.
    package var firstOfEachName: [Parameter] {
        var names: Set<ExactString> = []
        return filter { names.insert($0.name) }
    }
}

/// How a parameter's values are protected before anything is stored, logged or sent.
package enum Privacy: String, Sendable, CaseIterable {
    /// The values are kept unchanged.
    case `public`
    /// Each value is replaced by a keyed hash: equal values have equal hashes.
    case hash
    /// Each value is replaced by `<private>`.
    case `private`
}

/// What a parameter identifies.
package enum ParameterRole: String, Sendable, CaseIterable {
    case user, device
}

/// The type of a parameter. The built-in types are those of daifuku: the types of a PostgreSQL-like data warehouse.
package enum ParameterType: Sendable, Hashable {
    case smallint, integer, bigint, real, double, boolean, string, date, timestamp, timestamptz
    /// A type that the team defines: any JSON value that is not an object, unless the settings restrict it.
    case custom(name: ExactString, meaning: CustomType?)

    /// Returns the built-in type with a name that is written without the `!`.
    package init?(builtIn name: some StringProtocol) {
        switch name {
        case "smallint": self = .smallint
        case "integer": self = .integer
        case "bigint": self = .bigint
        case "real": self = .real
        case "double": self = .double
        case "boolean": self = .boolean
        case "string": self = .string
        case "date": self = .date
        case "timestamp": self = .timestamp
        case "timestamptz": self = .timestamptz
        default: return nil
        }
    }

    package static let builtInNames = [
        "smallint", "integer", "bigint", "real", "double", "boolean", "string", "date", "timestamp", "timestamptz",
    ]

    /// The name as it is written in definitions, without the `!`.
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
        case .custom(let name, _): name.text
        }
    }
}

/// The meaning of a custom type in the settings (`dictionaries[].types`).
package indirect enum CustomType: Sendable, Hashable {
    /// Values are checked like those of a built-in type.
    case same(as: ParameterType)
    /// Only these values are allowed, compared with the text of a JSON string or, for other values, their JSON text.
    case values([ExactString])
}

/// One event as a dictionary defines it.
package struct Definition: Sendable, Hashable {
    package var key: EventKey
    @Exact package var description: String
    package var isObsolete: Bool
    /// The event's own parameters, in the order of the file, without common parameters and those of its category.
    package var parameters: [Parameter]
    package var line: Int

    package init(key: EventKey, description: String, isObsolete: Bool, parameters: [Parameter], line: Int) {
        self.key = key
        self.description = description
        self.isObsolete = isObsolete
        self.parameters = parameters
        self.line = line
    }
}

/// One event category, which is one Markdown file.
package struct DefinitionCategory: Sendable, Hashable {
    /// The file's base name without `.md`.
    @Exact package var name: String
    /// The text of the first-level heading.
    @Exact package var title: String?
    @Exact package var description: String
    /// The parameters that every event of the category has.
    package var parameters: [Parameter]
    package var definitions: [Definition]

    package init(
        name: String, title: String?, description: String, parameters: [Parameter], definitions: [Definition]
    ) {
        self.name = name
        self.title = title
        self.description = description
        self.parameters = parameters
        self.definitions = definitions
    }
}

/// A dictionary as it was loaded: all definitions of one folder, and the rule that says which events it covers.
package struct EventDictionary: Sendable {
    package var options: DictionaryOptions
    /// 16 hexadecimal digits, a hash of the files' names and contents and of the options that affect checks.
    @Exact package var version: String
    /// The parameters that all events have, from `common.md`.
    package var common: [Parameter]
    /// Sorted by name.
    package let categories: [DefinitionCategory]
    /// Names that earlier versions protected and that no definition has made public since: see `inherit(from:)`.
    package var inherited: [ExactString: Privacy]
    /// Names that seem to be protected in files that cannot be parsed.
    package var suspected: [ExactString: Privacy]
    private let indexOfCategory: [ExactString: Int]
    private let places: [EventKey: Place]

    private struct Place {
        var category: Int
        var definition: Int
    }

    package init(
        options: DictionaryOptions, version: String, common: [Parameter], categories: [DefinitionCategory],
        inherited: [ExactString: Privacy] = [:], suspected: [ExactString: Privacy] = [:]
    ) {
        self.options = options
        self.version = version
        self.common = common
        self.categories = categories
        self.inherited = inherited
        self.suspected = suspected
        indexOfCategory = Dictionary(zip(categories.map { ExactString($0.name) }, categories.indices)) { first, _ in
            first
        }
        var places: [EventKey: Place] = [:]
        places.reserveCapacity(categories.reduce(0) { $0 + $1.definitions.count })
        for (category, group) in categories.enumerated() {
            for (definition, event) in group.definitions.enumerated() where places[event.key] == nil {
                places[event.key] = Place(category: category, definition: definition)
            }
        }
        self.places = places
    }

    package func category(_ name: String) -> DefinitionCategory? {
        indexOfCategory[name].map { categories[$0] }
    }

    package func definition(_ key: EventKey) -> Definition? {
        places[key].map { categories[$0.category].definitions[$0.definition] }
    }
}

extension EventDictionary {
    /// Calls `body` with every parameter of every definition, the common ones first. It copies none: there may be tens
    /// of thousands.
    package func forEachParameter(_ body: (borrowing Parameter) -> Void) {
        for parameter in common { body(parameter) }
        for category in categories {
            for parameter in category.parameters { body(parameter) }
            for definition in category.definitions {
                for parameter in definition.parameters { body(parameter) }
            }
        }
    }
}

/// One file of a dictionary's folder, as it was read.
package struct DefinitionFile: Sendable, Hashable {
    /// The name without folders, such as `recipe_detail.md`: the part before `.md` is the event category's name.
    @Exact package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

extension Parameter {
    /// The allowed values: those of the parameter's own list and of its custom type, or those in both. `nil` if every value
    /// of the type is allowed.
    package var listedValues: [String]? {
        guard case .custom(_, .values(let allowed)?) = type else { return allowedValues }
        let ofType = allowed.map(\.text)
        return allowedValues.map { $0.filter { ofType.contains($0) } } ?? ofType
    }
}
