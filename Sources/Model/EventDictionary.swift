/// A dictionary as it was loaded: all definitions of one folder, and the rule that says which events it covers.
package struct EventDictionary: Sendable {
    package var options: DictionaryOptions
    /// 16 hexadecimal digits, a hash of everything that resolving depends on: of the contents, and of what is inherited and what has
    /// errors, if anything. It is empty if nothing was loaded.
    @Exact package private(set) var version: String
    /// 16 hexadecimal digits, a hash of the files' names and contents and of the options that affect checks.
    @Exact private var contents: String
    /// The parameters that all events have, from `common.md`.
    package let common: [Parameter]
    /// Whether payloads may have parameters that are not defined, from `common.md`; `nil` if the settings say so.
    package let allowsExtra: Bool?
    /// Sorted by name.
    package let categories: [DefinitionCategory]
    /// The custom types that files in the folder `types` define, sorted by name.
    package let types: [TypeDefinition]
    /// Names that earlier versions protected and that no definition has made public since: see `inherit(from:)`.
    package var inherited: [ExactString: Privacy] { didSet { updateVersion() } }
    /// Names that seem to be protected in files that cannot be parsed.
    package var suspected: [ExactString: Privacy]
    /// The events whose definitions have errors and are therefore not in force, by their names in payloads, with the place of
    /// the error: `recipe_detail.md:12`.
    package var broken: [EventKey: ExactString] = [:] { didSet { updateVersion() } }
    /// Their names in payloads, by their names in the files.
    package var sentKeysOfBroken: [EventKey: EventKey] = [:]
    /// The files with errors for which something is not in force of which `broken` has no event: it has no name that can be
    /// read, or no event depends on it. They are sorted.
    package var filesLeftOut: [ExactString] = []
    /// The names that definitions protect, each with the strictest protection that any of them asks for.
    private(set) var namesProtectedByDefinitions: [ExactString: Privacy] = [:]
    private let indexOfCategory: [ExactString: Int]
    private let places: [EventKey: Place]

    private struct Place {
        var category: Int
        var definition: Int
    }

    package init(
        options: DictionaryOptions, version: String, common: [Parameter], allowsExtra: Bool? = nil,
        categories: [DefinitionCategory], types: [TypeDefinition] = []
    ) {
        self.options = options
        self.version = version
        contents = version
        self.common = common
        self.allowsExtra = allowsExtra
        self.categories = categories
        self.types = types
        inherited = [:]
        suspected = [:]
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
        namesProtectedByDefinitions = protectedNamesOfParameters()
    }

    private mutating func updateVersion() {
        // What the definitions protect anyway is no difference.
        let names = inherited.filter { $0.value > namesProtectedByDefinitions[$0.key] ?? .public }
        guard !contents.isEmpty, !names.isEmpty || !broken.isEmpty else { return version = contents }
        var hash = FNV1a(Array(contents.utf8))
        func add(_ texts: String...) {
            for text in texts { hash.add(part: Array(text.utf8)) }
        }
        for (name, privacy) in names.sorted(by: { $0.key < $1.key }) { add(name.text, privacy.rawValue) }
        for (key, place) in broken.sorted(by: { $0.key < $1.key }) {
            // Without the line: an error that moves while somebody edits is no other version.
            let file = place.text[..<(place.text.lastIndex(of: ":") ?? place.text.endIndex)]
            add("", key.category, key.name, String(file))
        }
        version = hash.digits
    }

    package var definitionCount: Int { categories.reduce(0) { $0 + $1.definitions.count } }

    package func category(_ name: String) -> DefinitionCategory? {
        indexOfCategory[name].map { categories[$0] }
    }

    /// Returns why a definition is not in force, in words; `nil` if it is, or if there is none.
    /// - Parameter key: as payloads have it.
    package func fault(of key: EventKey) -> String? {
        guard key.category.isEmpty, options.findsByName else { return broken[key].map(Self.fault) }
        // Several may have the name. The first counts, as where events are resolved.
        let named = broken.lazy.filter { $0.key.name.isExactly(key.name) }
        return named.min { $0.key < $1.key }.map { Self.fault(at: $0.value) }
    }

    /// - Parameter place: the file and line of the error.
    package static func fault(at place: ExactString) -> String { "its definition has an error: \(place)" }

    package func definition(_ key: EventKey) -> Definition? {
        places[key].map { categories[$0.category].definitions[$0.definition] }
    }
}

extension EventDictionary {
    /// The keys of all definitions as payloads have them: without a category, too, where the name alone finds them.
    package var sentKeys: Set<EventKey> {
        var keys: Set<EventKey> = []
        let findsByName = options.findsByName
        for category in categories {
            for definition in category.definitions {
                keys.insert(EventKey(category: category.sentAs, name: definition.sentAs))
                if findsByName { keys.insert(EventKey(category: "", name: definition.sentAs)) }
            }
        }
        return keys
    }

    /// Returns the keys that events may have had while their definitions were not in force, if a rule of a source names their
    /// category, or them: it does so as definitions do, and of what was not defined, no other name was known.
    /// - Parameter withBroken: whether definitions count that have errors now.
    package func keysByRules(withBroken: Bool = false) -> Set<EventKey> {
        let named = Set(options.layouts.compactMap(\.fixedCategory))
        let events = Set(options.layouts.compactMap(\.fixedKey))
        let ofAnyName = Set(options.layouts.filter { $0.fixedKey == nil }.compactMap(\.fixedCategory))
        var keys: Set<EventKey> = []
        func add(_ key: EventKey, sentAs sent: EventKey) {
            let isEvent = events.contains(key)
            if isEvent || ofAnyName.contains(key.category) {
                keys.insert(EventKey(category: key.category, name: sent.name))
            }
            if isEvent { keys.formUnion([key, EventKey(category: sent.category, name: key.name)]) }
        }
        for category in categories where named.contains(category.name) {
            for definition in category.definitions {
                add(definition.key, sentAs: EventKey(category: category.sentAs, name: definition.sentAs))
            }
        }
        if withBroken {
            for (key, sent) in sentKeysOfBroken { add(key, sentAs: sent) }
        }
        return keys
    }

    /// Calls `body` with every parameter of every definition and every member of a type, the common ones first. It copies
    /// none: there may be tens of thousands.
    package func forEachParameter(_ body: (borrowing Parameter) -> Void) {
        for parameter in common { body(parameter) }
        for type in types {
            for member in type.members { body(member) }
        }
        for category in categories {
            for parameter in category.parameters { body(parameter) }
            for definition in category.definitions {
                for parameter in definition.parameters { body(parameter) }
            }
        }
    }
}

extension EventDictionary {
    /// Returns what payloads of an event may have besides the defined parameters.
    package func extra(in definition: Definition, of category: DefinitionCategory) -> ExtraParameters {
        extra(definition.allowsExtra ?? category.allowsExtra ?? allowsExtra)
    }

    /// What payloads may have besides the parameters of all events, where those of the event are in an object.
    package var outerExtra: ExtraParameters { extra(allowsExtra) }

    /// - Parameter allowsExtra: what definitions say; `nil` if the settings decide.
    private func extra(_ allowsExtra: Bool?) -> ExtraParameters {
        let usual = options.extraParameters
        return switch allowsExtra {
        case nil: usual
        case true?: .all
        case false?: usual == .all ? .named([]) : usual
        }
    }

    /// Returns the types that the dictionary defines and that parameters have, or members of their types; sorted by name.
    package func types(of parameters: [Parameter]) -> [TypeDefinition] {
        guard !types.isEmpty else { return [] }
        let byName = Dictionary(types.map { (ExactString($0.name), $0) }) { first, _ in first }
        var found: [ExactString: TypeDefinition] = [:]
        var open = parameters.map(\.type)
        while let type = open.popLast() {
            switch type {
            case .array(let element, _, _): open.append(element)
            case .custom(let name, let meaning):
                guard found[name] == nil, let definition = byName[name] else { continue }
                found[name] = definition
                switch meaning {
                case .object(let object)?: open += object.members.map(\.type)
                case .same(let other)?: open.append(other)
                case .values?, nil: break
                }
            default: break
            }
        }
        return found.values.sorted { $0.name < $1.name }
    }
}

/// One file of a dictionary's folder, as it was read.
package struct DefinitionFile: Sendable, Hashable {
    /// The path in the folder: `recipe_detail.md` has the events of the category recipe_detail, `types/device.md` has
    /// custom types.
    @Exact package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
