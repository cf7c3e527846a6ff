import Model
import Store

/// Which stored events the dictionaries of now may see differently than the version that the events were resolved with.
///
/// Events that were understood stay as they are, unless they have values that have become private since. What is not
/// known of a version counts as changed: resolving an event once too often changes nothing.
struct ChangeEffect: Sendable {
    /// A version from before.
    struct Past: Sendable {
        /// As its files are read with the options of now.
        var index: DefinitionIndex
        /// Whether its events were found by the same payload keys.
        var hasSameKeys: Bool
        /// Whether custom types meant the same.
        var hasSameTypes: Bool

        /// - Parameters:
        ///   - dictionary: the version's files as the options of now read them.
        ///   - record: what the store remembers of the version.
        init(_ dictionary: EventDictionary, record: DictionaryVersion) {
            index = DefinitionIndex(dictionary)
            hasSameKeys =
                record.categoryKey == dictionary.options.categoryKey && record.nameKey == dictionary.options.nameKey
            // The version follows from the files and from what the options say of keys and types.
            hasSameTypes = dictionary.version == record.version
        }
    }

    private let dictionaries: [DefinitionIndex]
    private let privacy: PrivacyMode
    /// Whether events with private values are to be protected.
    private let wasRevealed: Bool

    /// - Parameters:
    ///   - dictionaries: in force, in the order of the settings.
    ///   - wasRevealed: whether events were stored with private values, whatever their version says.
    init(_ dictionaries: [EventDictionary], privacy: PrivacyMode, wasRevealed: Bool = false) {
        self.dictionaries = dictionaries.map(DefinitionIndex.init)
        self.privacy = privacy
        self.wasRevealed = wasRevealed && privacy == .protect
    }

    /// The resolutions of events that a change may concern.
    var resolutions: Set<Resolution> {
        let isAnythingPrivate = dictionaries.contains { !protected($0).isEmpty }
        return isAnythingPrivate || wasRevealed ? Set(Resolution.allCases) : [.undefined, .unkeyed, .violating]
    }

    /// The earlier version that must be known before `concerns` can tell; `nil` when there is nothing to compare.
    func comparison(for stored: StoredKind) -> DictionaryVersionID? {
        guard let now = dictionary(for: stored), now.options.name == stored.kind.dictionary,
            let version = stored.kind.definitionsVersion, version != now.version
        else { return nil }
        return DictionaryVersionID(dictionary: now.options.name, version: version)
    }

    /// - Parameter past: the version that the events were resolved with; `nil` when it is not known any more.
    func concerns(_ stored: StoredKind, past: Past?) -> Bool {
        guard let now = dictionary(for: stored) else { return false }
        let isSameDictionary = now.options.name == stored.kind.dictionary
        if isSameDictionary && now.version == stored.kind.definitionsVersion {
            return wasRevealed && !protected(now).isEmpty
        }
        // Each event is to name what it was protected by: when another version is in force again, it is compared to that.
        guard !wasRevealed else { return true }
        let past = isSameDictionary ? past : nil
        let before = past?.index.protected ?? [:]
        // Also what was hashed and is private now.
        let newlyPrivate = Set(
            protected(now).lazy.filter { $0.value > before[$0.key] ?? .public }.map(\.key))
        switch stored.resolution {
        case .plain, .malformed: return !newlyPrivate.isEmpty
        case .resolved: return stored.kind.key.map { mayHave(newlyPrivate, $0, past) } ?? false
        case .unkeyed, .undefined, .violating: break
        }
        guard let past, past.hasSameKeys, newlyPrivate.isEmpty else { return true }
        guard let key = stored.kind.key else { return false }
        return stored.resolution == .undefined ? now.defines(key) : differs(key, past, now)
    }

    /// The dictionary that events were resolved with, where none covers them now: nobody says what of them is private.
    func abandoning(_ stored: StoredKind) -> String? { dictionary(for: stored) == nil ? stored.kind.dictionary : nil }

    /// What covers an event's origin now, unless it has never been loaded.
    private func dictionary(for stored: StoredKind) -> DefinitionIndex? {
        let first = dictionaries.first { $0.covers(subsystem: stored.subsystem, category: stored.category) }
        return first.flatMap { $0.version.isEmpty ? nil : $0 }
    }

    private func protected(_ dictionary: DefinitionIndex) -> [ExactString: Privacy] {
        privacy == .protect ? dictionary.protected : [:]
    }

    /// Whether a payload that kept to its definition may have one of these names: as a parameter, or somewhere in the
    /// list that a parameter of a custom type may be.
    private func mayHave(_ names: Set<ExactString>, _ key: EventKey, _ past: Past?) -> Bool {
        guard !names.isEmpty, let rules = past?.index.rules(for: key) else { return !names.isEmpty }
        return rules.hasCustomTypes || !rules.names.isDisjoint(with: names)
    }

    private func differs(_ key: EventKey, _ past: Past, _ now: DefinitionIndex) -> Bool {
        let rules = now.rules(for: key)
        return past.index.rules(for: key) != rules || (!past.hasSameTypes && rules?.hasCustomTypes ?? false)
    }
}

/// A dictionary's definitions by key, and what decides over the events that are held against them.
struct DefinitionIndex: Sendable {
    /// All that is checked of an event.
    struct Rules: Sendable, Hashable {
        var isObsolete: Bool
        /// Without what is only written for people.
        var parameters: Set<Parameter>

        var names: Set<ExactString> { Set(exact: parameters.map(\.name)) }

        var hasCustomTypes: Bool {
            parameters.contains { if case .custom = $0.type { true } else { false } }
        }
    }

    let options: DictionaryOptions
    let version: String
    /// The names whose values are replaced, wherever they stand.
    let protected: [ExactString: Privacy]
    private let common: [Parameter]
    private let ofCategory: [ExactString: [Parameter]]
    private let definitions: [EventKey: Definition]

    init(_ dictionary: EventDictionary) {
        options = dictionary.options
        version = dictionary.version
        common = dictionary.common
        ofCategory = Dictionary(
            dictionary.categories.map { (ExactString($0.name), $0.parameters) }, uniquingKeysWith: { first, _ in first }
        )
        let all = dictionary.categories.flatMap(\.definitions)
        definitions = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        protected = dictionary.confirmedNames
    }

    func defines(_ key: EventKey) -> Bool { definitions[key] != nil }

    /// `nil` when there is no such definition.
    func rules(for key: EventKey) -> Rules? {
        guard let definition = definitions[key] else { return nil }
        let parameters = definition.parameters + (ofCategory[key.category] ?? []) + common
        return Rules(isObsolete: definition.isObsolete, parameters: Set(parameters.map(\.checked)))
    }

    func covers(subsystem: String, category: String) -> Bool {
        options.subsystem.matches(subsystem) && options.category.matches(category)
    }
}

extension Parameter {
    /// What of it bears on the check of a value.
    fileprivate var checked: Parameter {
        Parameter(
            name: name, type: type, isOptional: isOptional, maximumBytes: maximumBytes, isObsolete: isObsolete,
            privacy: privacy, allowedValues: allowedValues)
    }
}
