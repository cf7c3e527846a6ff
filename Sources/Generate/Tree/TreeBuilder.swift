import Model

/// Builds the tree that templates are rendered with.
struct TreeBuilder {
    private let dictionary: EventDictionary
    private let language: Language
    private let used: UsedTypes
    private var shared = EnumerationScope(isShared: true)
    /// The descriptions of custom types.
    private let descriptions: [ExactString: String]
    private var objects: [ExactString: ObjectNode] = [:]
    /// The names of tables with the events of each definition.
    private var tables = ColumnNames()
    private var layout: PayloadLayout { dictionary.options.layout }

    /// - Throws: `GenerateError` when there is no code for a type, or for where payloads have their parts.
    static func tree(
        of dictionary: EventDictionary, for language: Language, header: String
    ) throws(GenerateError) -> DictionaryNode {
        var builder = try TreeBuilder(dictionary, language)
        return builder.tree(header: header)
    }

    private init(_ dictionary: EventDictionary, _ language: Language) throws(GenerateError) {
        self.dictionary = dictionary
        self.language = language
        var used = UsedTypes()
        try used.add(dictionary.common)
        for category in dictionary.categories {
            try used.add(category.parameters)
            for definition in category.definitions { try used.add(definition.parameters) }
        }
        self.used = used
        descriptions = Dictionary(dictionary.types.map { (ExactString($0.name), $0.description) }) { first, _ in first }
    }

    private mutating func tree(header: String) -> DictionaryNode {
        let common = withoutKeys(dictionary.common, in: nil).firstOfEachName
        let names = language.scope(.categories).names(for: dictionary.categories.map(\.name))
        nameShared(common, besides: names)
        for name in used.namesInOrder { objects[name] = object(name) }
        var noOwn = EnumerationScope(isShared: false)
        noOwn.assignNames(language, besides: [])
        var commonNodes = nodes(common, noOwn).map { withKey($0, at: MemberPath($0.name)) }
        let shadowing = shadowingNames
        for index in commonNodes.indices { commonNodes[index].isShadowed = shadowing.contains(commonNodes[index].name) }
        return DictionaryNode(
            name: dictionary.options.name, version: dictionary.version, header: header, dialect: language.dialect,
            categoryKey: layout.category.nameInPayload, nameKey: layout.name.nameInPayload,
            opening: layout.opening(language.dialect), closing: layout.closing(language.dialect),
            writingFault: layout.writingFault(of: dictionary),
            common: commonNodes.filter { !$0.isObsolete }, obsoleteCommon: commonNodes.filter(\.isObsolete),
            enumerations: shared.enumerations, types: objects.values.sorted { $0.name < $1.name },
            categories: dictionary.categories.map { category($0, names[$0.name], commonNodes) })
    }

    /// - Parameter categories: their names. In Python, they are names in the same place.
    private mutating func nameShared(_ common: [Parameter], besides categories: [ExactString: Names]) {
        shared.add(common.map { EnumerationScope.Use($0) })
        shared.add(used.listed.map { EnumerationScope.Use($0) })
        for (name, object) in used.objects {
            shared.add(object.members.map { EnumerationScope.Use($0, ofType: name.text) })
        }
        shared.assignNames(
            language, besides: Set(categories.values.map(\.snake)), types: used.objects.keys.map(\.text))
    }

    /// The names of parameters that take the place of common ones; none if events have theirs in another object.
    private var shadowingNames: Set<ExactString> {
        guard layout.parametersAt == nil else { return [] }
        let lists = dictionary.categories.flatMap { [$0.parameters] + $0.definitions.map(\.parameters) }
        return Set(exact: lists.joined().map(\.name))
    }

    /// Returns the parameters without those that the definition's key replaces.
    /// - Parameter object: where payloads have the parameters; `nil` if it is the payload itself.
    private func withoutKeys(_ parameters: [Parameter], in object: MemberPath?) -> [Parameter] {
        let keys = layout.members
        return parameters.filter { !keys.contains(MemberPath($0.name, in: object)) }
    }

    /// Returns the parameter with what else its objects may have, if a part of the key is in them.
    private func withKey(_ parameter: ParameterNode, at place: MemberPath) -> ParameterNode {
        guard layout.members.contains(where: place.contains), var object = parameter.type.object else {
            return parameter
        }
        let names = Set(exact: object.members.map(\.name))
        object.keyNames = layout.keyNames(in: place).filter { !names.contains($0) }
        object.members = object.members.map { withKey($0, at: place.member($0.name)) }
        var parameter = parameter
        parameter.type.content = .object(object)
        return parameter
    }

    private mutating func category(
        _ category: DefinitionCategory, _ names: Names?, _ common: [ParameterNode]
    ) -> CategoryNode {
        let eventNames = language.scope(.events).names(for: category.definitions.map(\.key.name))
        var own = EnumerationScope(isShared: false)
        own.add(withoutKeys(category.parameters, in: layout.parametersAt).map { EnumerationScope.Use($0) })
        for definition in category.definitions {
            let parameters = withoutKeys(definition.parameters, in: layout.parametersAt)
            own.add(parameters.map { EnumerationScope.Use($0, event: definition.key.name) })
        }
        own.assignNames(language, besides: Set(eventNames.values.flatMap { [$0.camel, $0.pascal] }))
        let categoryNames = names ?? Names(unnamed: category.name)
        return CategoryNode(
            name: category.name, sentAs: category.sentAs, names: categoryNames,
            dialect: language.dialect,
            description: category.description, doc: language.dialect.comment(category.description),
            enumerations: own.enumerations,
            events: category.definitions.map { definition in
                let names = eventNames[definition.key.name] ?? Names(unnamed: definition.key.name)
                let plain = "\(categoryNames.snake)_\(names.snake)"
                // SQLite keeps such names for itself.
                let table = tables.name(for: plain.lowercased().hasPrefix("sqlite_") ? "_\(plain)" : plain)
                return event(definition, of: category, names, table: table, own, common)
            })
    }

    private func event(
        _ definition: Definition, of category: DefinitionCategory, _ names: Names, table: String,
        _ enumerations: EnumerationScope, _ common: [ParameterNode]
    ) -> EventNode {
        let own = definition.parameters.firstOfEachName
        let ownNames = Set(exact: own.map(\.name))
        let shared = category.parameters.firstOfEachName.filter { !ownNames.contains($0.name) }
        let object = layout.parametersAt
        let parameters = nodes(withoutKeys(shared + own, in: object), enumerations, event: definition.key.name)
            .map { withKey($0, at: MemberPath($0.name, in: object)) }
        let extra = dictionary.extra(in: definition, of: category)
        let known = Set(exact: (parameters + (object == nil ? common : [])).map(\.name) + layout.keyNames(in: object))
        // An obsolete one takes the place of a common one, too.
        let taken = Set(exact: parameters.map(\.name))
        func isTaken(_ parameter: ParameterNode) -> Bool { parameter.isShadowed && taken.contains(parameter.name) }
        let shadowed = common.filter { isTaken($0) && !$0.isObsolete }.map(\.name)
        let remaining = common.filter { !isTaken($0) }
        let (usable, obsolete) = (parameters.filter { !$0.isObsolete }, parameters.filter(\.isObsolete))
        let payload = PayloadBuilder(
            layout: layout, dialect: language.dialect,
            common: remaining.filter { !$0.isObsolete } + remaining.filter(\.isObsolete),
            outerExtra: dictionary.outerExtra
        ).payload(
            of: PayloadBuilder.Event(
                category: category.sentAs, name: definition.sentAs, parameters: usable + obsolete, extra: extra))
        let firstLine = definition.description.split(whereSeparator: \.isNewline).first.map(String.init)
        let (dictionary, language, layout) = (dictionary, language, layout)
        return EventNode(
            category: category.name, name: definition.key.name, sentAs: definition.sentAs,
            names: names, dialect: language.dialect,
            description: definition.description, doc: language.dialect.comment(definition.description),
            obsolete: definition.isObsolete ? firstLine ?? "obsolete" : nil,
            parameters: usable, obsoleteParameters: obsolete, common: remaining,
            shadowed: shadowed, table: table,
            columns: {
                dictionary.columns(of: definition, in: category, layout: layout)
                    .map { ColumnNode(column: $0, language: language) }
            },
            payload: payload,
            allowsExtra: extra == .all, extraNames: extra.names.filter { !known.contains($0) })
    }

    private func object(_ name: ExactString) -> ObjectNode? {
        guard let object = used.objects[name] else { return nil }
        let members = object.members.firstOfEachName
        let description = descriptions[name] ?? ""
        return ObjectNode(
            name: name.text, names: shared.typeNames[name] ?? Names(unnamed: name.text), dialect: language.dialect,
            description: description, doc: language.dialect.comment(description),
            members: nodes(members) { shared.enumeration(EnumerationScope.Use($0, ofType: name.text)) },
            allowsExtra: object.allowsExtra)
    }

    private func nodes(_ parameters: [Parameter], _ own: EnumerationScope, event: String = "") -> [ParameterNode] {
        nodes(parameters) { parameter in
            let use = EnumerationScope.Use(parameter, event: event)
            return shared.enumeration(use) ?? own.enumeration(use)
        }
    }

    /// - Parameter enumeration: returns the enumeration of a parameter that lists values itself.
    private func nodes(
        _ parameters: [Parameter], enumeration: (Parameter) -> EnumerationNode?
    ) -> [ParameterNode] {
        let names = language.scope(.parameters).names(for: parameters.map(\.name))
        return parameters.map { parameter in
            ParameterNode(
                name: parameter.name, names: names[parameter.name] ?? Names(unnamed: parameter.name),
                dialect: language.dialect, description: parameter.description.joined(separator: "\n"),
                doc: parameter.description.flatMap(language.dialect.comment),
                type: type(parameter.type, isOptional: parameter.isOptional, own: enumeration(parameter)),
                isObsolete: parameter.isObsolete, privacy: parameter.privacy, role: parameter.role)
        }
    }

    /// - Parameter own: the enumeration of values that are listed where the type is used.
    private func type(_ type: ParameterType, isOptional: Bool, own: EnumerationNode? = nil) -> TypeNode {
        let base = BaseType(type)
        let content: TypeNode.Content? =
            switch type.checked {
            case .array(let element, let allowsNull, _):
                .elements(self.type(element, isOptional: allowsNull))
            case .custom(let name, .object?): objects[name].map { .object($0) }
            default: nil
            }
        return TypeNode(
            definition: type.text(isOptional: isOptional), base: base, name: language.types[base] ?? "",
            isOptional: isOptional, limit: type.checked.limit,
            enumeration: own ?? shared.enumeration(EnumerationScope.Use(type)), content: content)
    }
}

extension Names {
    /// Creates the names of something outside any scope; every name of the tree is in one.
    fileprivate init(unnamed name: String) {
        self.init(camel: name, pascal: name, snake: name, constant: name)
    }
}
