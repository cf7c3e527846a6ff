/// What a dictionary says of one payload key.
package struct Parameter: Sendable, Hashable {
    @Exact package var name: String
    package var type: ParameterType
    package var isOptional: Bool
    /// The most bytes (not characters) that a `string` may have.
    package var maximumBytes: Int?
    package var isObsolete: Bool
    /// What becomes of its values before they are stored or sent: `privacy: private` in the description.
    package var privacy: Privacy
    /// The values that are allowed, compared with the text of a JSON string or, for other values, their JSON text:
    /// `values: new, popular` in the description. `nil` allows all of its type.
    @Exact package var allowedValues: [String]?
    /// Whom it names: `user` or `device` in the description.
    package var role: ParameterRole?
    /// The nested list items, one string each, without those that are annotations.
    @Exact package var description: [String]
    /// The definition file's line, from 1.
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

/// What becomes of a parameter's values before anything is stored, logged or sent.
package enum Privacy: String, Sendable, CaseIterable {
    /// They stay as they are.
    case `public`
    /// A keyed hash takes their place: equal values still look equal.
    case hash
    /// `<private>` takes their place.
    case `private`
}

/// Whom a parameter names.
package enum ParameterRole: String, Sendable, CaseIterable {
    case user, device
}

/// The type of a parameter. Built-in types are those of daifuku, which are those of a PostgreSQL-like warehouse.
package enum ParameterType: Sendable, Hashable {
    case smallint, integer, bigint, real, double, boolean, string, date, timestamp, timestamptz
    /// A type of the team's own: any JSON value that is not an object, unless the settings say more of it.
    case custom(name: ExactString, meaning: CustomType?)

    /// A built-in type by its name, without the `!`.
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

    /// As people write it, without the `!`.
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

/// What the settings (`dictionaries[].types`) say of a custom type.
package indirect enum CustomType: Sendable, Hashable {
    /// Checked like a built-in type.
    case same(as: ParameterType)
    /// One of these, compared with the text of a JSON string or, for other values, their JSON text.
    case values([ExactString])
}

/// One event as a dictionary defines it.
package struct Definition: Sendable, Hashable {
    package var key: EventKey
    @Exact package var description: String
    package var isObsolete: Bool
    /// Its own parameters, in the order of the file; those of the category and the common ones are not repeated here.
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

/// One event category: one Markdown file.
package struct DefinitionCategory: Sendable, Hashable {
    /// The file's base name without `.md`.
    @Exact package var name: String
    /// The h1.
    @Exact package var title: String?
    @Exact package var description: String
    /// Parameters of every event of the category.
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

/// A dictionary as it was loaded: all definitions of one folder, and which events are looked up in it.
package struct EventDictionary: Sendable {
    package var options: DictionaryOptions
    /// 16 hexadecimal digits that follow from the files' names and contents and from the options that bear on checks.
    @Exact package var version: String
    /// Parameters of all events, from `common.md`.
    package var common: [Parameter]
    /// Sorted by name.
    package let categories: [DefinitionCategory]
    /// Names that earlier versions protected, and that nobody has made public since: see `inherit(from:)`.
    package var inherited: [ExactString: Privacy]
    /// Names that files which cannot be understood seem to protect.
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
    /// Every parameter that any definition has, the common ones first. None is copied: there may be tens of thousands.
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
    /// Without folders, such as `recipe_detail.md`: what comes before `.md` is the event category's name.
    @Exact package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
