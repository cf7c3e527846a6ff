/// A payload key as a dictionary defines it, or a member of an object in a payload.
package struct Parameter: Sendable, Hashable {
    @Exact package var name: String
    package var type: ParameterType
    package var isOptional: Bool
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
    /// Whether it has `privacy: public`, which differs from no annotation if others of its name are protected.
    package var saysPublic: Bool

    package init(
        name: String, type: ParameterType, isOptional: Bool = false, isObsolete: Bool = false,
        privacy: Privacy = .public, allowedValues: [String]? = nil, role: ParameterRole? = nil,
        description: [String] = [], line: Int = 0, saysPublic: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isObsolete = isObsolete
        self.privacy = privacy
        self.allowedValues = allowedValues
        self.role = role
        self.description = description
        self.line = line
        self.saysPublic = saysPublic
    }
}

extension [Parameter] {
    /// The first parameter of each name, which is the one that counts.
    package var firstOfEachName: [Parameter] {
        var names: Set<ExactString> = []
        // Mostly no name is repeated. Copying parameters costs more than looking at them.
        guard !allSatisfy({ names.insert($0.name) }) else { return self }
        names = []
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

/// One event as a dictionary defines it.
package struct Definition: Sendable, Hashable {
    package var key: EventKey
    @Exact package var description: String
    package var isObsolete: Bool
    /// What payloads call it, if that is another name: `sent as: Order Completed` in the description.
    @Exact package var sentName: String?
    /// Whether payloads may have parameters that are not defined; `nil` if the category says so.
    package var allowsExtra: Bool?
    /// The event's own parameters, in the order of the file, without common parameters and those of its category.
    package var parameters: [Parameter]
    package var line: Int

    package init(
        key: EventKey, description: String, isObsolete: Bool, sentName: String? = nil, allowsExtra: Bool? = nil,
        parameters: [Parameter], line: Int
    ) {
        self.key = key
        self.description = description
        self.isObsolete = isObsolete
        self.sentName = sentName
        self.allowsExtra = allowsExtra
        self.parameters = parameters
        self.line = line
    }
}

extension Definition {
    /// What payloads call it.
    package var sentAs: String { sentName ?? key.name }
}

extension DefinitionCategory {
    /// What payloads call it.
    package var sentAs: String { sentName ?? name }
}

/// One event category, which is one Markdown file.
package struct DefinitionCategory: Sendable, Hashable {
    /// The file's base name without `.md`.
    @Exact package var name: String
    /// The text of the first-level heading.
    @Exact package var title: String?
    @Exact package var description: String
    /// What payloads call it, if that is another name.
    @Exact package var sentName: String?
    /// Whether payloads of its events may have parameters that are not defined; `nil` if the settings say so.
    package var allowsExtra: Bool?
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

extension Parameter {
    /// The parameter without what does not affect checks.
    package var checked: Parameter {
        Parameter(
            name: name, type: type, isOptional: isOptional, isObsolete: isObsolete, privacy: privacy,
            allowedValues: allowedValues)
    }

    /// Whether it must have a value. An obsolete parameter need not, because its senders are supposed to stop sending it.
    package var isRequired: Bool { !isOptional && !isObsolete }

    /// The type as definitions write it: `!string? 64`.
    package var typeText: String { type.text(isOptional: isOptional) }

    /// The allowed values: those of the parameter's own list and of its custom type, or those in both. `nil` if every value
    /// of the type is allowed.
    package var listedValues: [String]? {
        guard let ofType = type.listedValues else { return allowedValues }
        guard let allowedValues else { return ofType }
        let known = Set(exact: ofType)
        return allowedValues.filter { known.contains($0) }
    }
}
