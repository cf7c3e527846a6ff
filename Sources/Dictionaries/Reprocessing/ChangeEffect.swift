import Model
import Store

/// Decides which stored events a change of the dictionaries may concern: those that the current dictionaries may resolve
/// differently than the version that they were resolved with.
///
/// Resolved events stay as they are, unless they have values that have become private. A version that is no longer known
/// counts as changed: resolving an event once more than necessary changes nothing.
struct ChangeEffect: Sendable {
    /// An earlier version.
    struct Past: Sendable {
        /// Its definitions, parsed with the current options.
        var index: DefinitionIndex
        /// Whether the settings said the same about layouts and extra parameters.
        var hasSameSettings: Bool
        /// Whether its custom types were the same.
        var hasSameTypes: Bool

        /// - Parameters:
        ///   - dictionary: the files of the version, parsed with the current options.
        ///   - record: the store's record of the version.
        init(_ dictionary: EventDictionary, record: DictionaryVersion) {
            index = DefinitionIndex(dictionary)
            let options = dictionary.options
            hasSameSettings =
                record.layout == options.layoutText
                && record.extraParameters == options.extraParameters.text
            // A version is a hash of the files and of the options for layouts, types and extra parameters.
            hasSameTypes = dictionary.version == record.version
        }
    }

    private let dictionaries: [DefinitionIndex]
    private let privacy: PrivacyMode
    /// Whether stored events have private values that are to be protected.
    private let wasRevealed: Bool

    /// - Parameters:
    ///   - dictionaries: the dictionaries in force, in the order of the settings.
    ///   - wasRevealed: whether events may have been stored with private values.
    init(_ dictionaries: [EventDictionary], privacy: PrivacyMode, wasRevealed: Bool = false) {
        self.dictionaries = dictionaries.map(DefinitionIndex.init)
        self.privacy = privacy
        self.wasRevealed = wasRevealed && privacy == .protect
    }

    /// The resolutions of events that a change may concern.
    var resolutions: Set<Resolution> {
        let isAnythingPrivate = dictionaries.contains { !protected($0).isEmpty }
        if isAnythingPrivate || wasRevealed { return Set(Resolution.allCases) }
        let isReadFromText = dictionaries.contains(where: isReadFromText)
        return isReadFromText ? [.undefined, .unkeyed, .violating, .plain] : [.undefined, .unkeyed, .violating]
    }

    /// Returns the earlier version that `concerns` has to compare with; `nil` when there is nothing to compare.
    func comparison(for stored: StoredKind) -> DictionaryVersionID? {
        guard let now = dictionary(for: stored), now.options.name == stored.kind.dictionary,
            let version = stored.kind.definitionsVersion, version != now.version
        else { return nil }
        return DictionaryVersionID(dictionary: now.options.name, version: version)
    }

    /// - Parameter past: the version that the events were resolved with; `nil` when it is no longer known.
    func concerns(_ stored: StoredKind, past: Past?) -> Bool {
        guard let now = dictionary(for: stored) else { return false }
        let isSameDictionary = now.options.name == stored.kind.dictionary
        if isSameDictionary && now.version == stored.kind.definitionsVersion {
            return wasRevealed && !protected(now).isEmpty
        }
        // Each event has to name the version that protects it, because later changes are compared with that version.
        guard !wasRevealed else { return true }
        let past = isSameDictionary ? past : nil
        let before = past?.index.protected ?? [:]
        // This includes names that were hashed and are private now.
        let newlyPrivate = Set(
            protected(now).lazy.filter { $0.value > before[$0.key] ?? .public }.map(\.key))
        switch stored.resolution {
        case .plain: return !newlyPrivate.isEmpty || isReadFromText(now) && past?.hasSameSettings != true
        case .malformed: return !newlyPrivate.isEmpty
        case .resolved: return stored.kind.key.map { mayHave(newlyPrivate, $0, past) } ?? false
        case .unkeyed, .undefined, .violating: break
        }
        guard let past, past.hasSameSettings, newlyPrivate.isEmpty else { return true }
        guard let key = stored.kind.key else { return false }
        return stored.resolution == .undefined ? now.defines(key) : differs(key, past, now)
    }

    /// Returns the dictionary that events were resolved with if none covers them now: then nothing says which of their values
    /// are private.
    func abandoning(_ stored: StoredKind) -> String? { dictionary(for: stored) == nil ? stored.kind.dictionary : nil }

    /// Returns the dictionary that covers the origin of an event now, unless it has never been loaded.
    private func dictionary(for stored: StoredKind) -> DefinitionIndex? {
        let first = dictionaries.first { $0.covers(subsystem: stored.subsystem, category: stored.category) }
        return first.flatMap { $0.version.isEmpty ? nil : $0 }
    }

    /// Whether what was plain text by earlier rules may have a payload by the current ones.
    private func isReadFromText(_ dictionary: DefinitionIndex) -> Bool {
        dictionary.options.layouts.contains { $0.format != .json }
    }

    private func protected(_ dictionary: DefinitionIndex) -> [ExactString: Privacy] {
        privacy == .protect ? dictionary.protected : [:]
    }

    /// Returns whether a payload that fits its definition may contain one of these names: as a parameter, or inside the value of
    /// a parameter of a custom type, or as an extra parameter.
    private func mayHave(_ names: Set<ExactString>, _ key: EventKey, _ past: Past?) -> Bool {
        guard !names.isEmpty, let rules = past?.index.rules(for: key) else { return !names.isEmpty }
        return rules.hasCustomTypes || rules.mayHaveExtra || !rules.names.isDisjoint(with: names)
    }

    private func differs(_ key: EventKey, _ past: Past, _ now: DefinitionIndex) -> Bool {
        let rules = now.rules(for: key)
        return past.index.rules(for: key) != rules || (!past.hasSameTypes && rules?.hasCustomTypes ?? false)
    }
}

/// The definitions of a dictionary by key, reduced to what the validation of events depends on.
struct DefinitionIndex: Sendable {
    /// Everything that an event is validated against.
    struct Rules: Sendable, Hashable {
        var isObsolete: Bool
        /// What payloads call it.
        var sentAs: EventKey
        /// Whether payloads may have parameters that are not defined.
        var mayHaveExtra: Bool
        /// Without texts that are only for people.
        var parameters: Set<Parameter>

        var names: Set<ExactString> { Set(exact: parameters.map(\.name)) }

        var hasCustomTypes: Bool {
            parameters.contains { if case .custom = $0.type { true } else { false } }
        }
    }

    let options: DictionaryOptions
    let version: String
    /// The names whose values are replaced, at any depth.
    let protected: [ExactString: Privacy]
    private let dictionary: EventDictionary
    /// The keys of definitions as payloads have them.
    private let sent: Set<EventKey>

    init(_ dictionary: EventDictionary) {
        options = dictionary.options
        version = dictionary.version
        self.dictionary = dictionary
        var sent: Set<EventKey> = []
        let findsByName = options.findsByName
        for category in dictionary.categories {
            for definition in category.definitions {
                sent.insert(EventKey(category: category.sentAs, name: definition.sentAs))
                if findsByName { sent.insert(EventKey(category: "", name: definition.sentAs)) }
            }
        }
        self.sent = sent
        protected = dictionary.confirmedNames
    }

    /// - Parameter key: the key as payloads have it.
    func defines(_ key: EventKey) -> Bool { sent.contains(key) }

    /// `nil` when there is no such definition.
    func rules(for key: EventKey) -> Rules? {
        guard let category = dictionary.category(key.category), let definition = dictionary.definition(key) else {
            return nil
        }
        let parameters = definition.parameters + category.parameters + dictionary.common
        return Rules(
            isObsolete: definition.isObsolete, sentAs: EventKey(category: category.sentAs, name: definition.sentAs),
            mayHaveExtra: options.extraParameters != .named([])
                || dictionary.allowsExtra(in: definition, of: category),
            parameters: Set(parameters.map(\.checked)))
    }

    func covers(subsystem: String, category: String) -> Bool {
        options.subsystem.matches(subsystem) && options.category.matches(category)
    }
}
