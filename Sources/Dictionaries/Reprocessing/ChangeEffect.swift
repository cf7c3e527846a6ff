import Model
import Store

/// Decides which stored events a change of the dictionaries may concern: those that the current dictionaries may resolve
/// differently than the version that they were resolved with.
///
/// Resolved events stay as they are, unless a name has become private. A version that is no longer known counts as changed:
/// resolving an event once more than necessary changes nothing.
struct ChangeEffect: Sendable {
    /// An earlier version.
    struct Past: Sendable {
        /// Its definitions, parsed with the current options.
        var index: DefinitionIndex
        /// Whether the settings said the same about layouts and extra parameters.
        var hasSameSettings: Bool
        /// Whether all that events were resolved with is known: also its custom types, the names that it had inherited, and which
        /// definitions had errors.
        var isWhole: Bool

        /// - Parameters:
        ///   - dictionary: the files of the version, parsed with the current options.
        ///   - record: the store's record of the version.
        ///   - now: the dictionary in force. What the files do not say is mostly the same.
        init(_ dictionary: EventDictionary, record: DictionaryVersion, now: EventDictionary) {
            // A version is a hash of everything that resolving depends on. A name that was inherited may be defined again.
            let likely = [[:], now.inherited, now.confirmedNames].flatMap { inherited in
                [[:], now.broken].map { broken in
                    var likely = dictionary
                    (likely.inherited, likely.broken) = (inherited, broken)
                    return likely
                }
            }
            let known = likely.first { $0.version == record.version }
            index = DefinitionIndex(known ?? dictionary)
            isWhole = known != nil
            let options = dictionary.options
            hasSameSettings =
                record.layout == options.layoutText
                && record.extraParameters == options.extraParameters.text
        }
    }

    private let dictionaries: [DefinitionIndex]
    private let privacy: PrivacyMode
    /// Whether events may have been stored with private values.
    private let mayReveal: Bool
    /// Whether stored events have private values that are to be protected.
    private var wasRevealed: Bool { mayReveal && privacy == .protect }

    /// - Parameters:
    ///   - dictionaries: the dictionaries in force, in the order of the settings.
    ///   - wasRevealed: whether events may have been stored with private values.
    init(_ dictionaries: [EventDictionary], privacy: PrivacyMode, wasRevealed: Bool = false) {
        self.dictionaries = dictionaries.map(DefinitionIndex.init)
        self.privacy = privacy
        mayReveal = wasRevealed
    }

    /// The resolutions of events that a change may concern.
    var resolutions: Set<Resolution> {
        let isAnythingPrivate = dictionaries.contains { !protected($0).isEmpty }
        if isAnythingPrivate || wasRevealed { return Set(Resolution.allCases) }
        let always: Set<Resolution> = [.undefined, .unkeyed, .violating, .malformed]
        return dictionaries.contains(where: isReadFromText) ? always.union([.plain]) : always
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
        guard let now = dictionary(for: stored) else { return isLeft(stored) }
        let isSameDictionary = now.options.name == stored.kind.dictionary
        if isSameDictionary && now.version == stored.kind.definitionsVersion {
            return wasRevealed && !protected(now).isEmpty
        }
        // Each event has to name the version that protects it, because later changes are compared with that version.
        guard !wasRevealed else { return true }
        let past = isSameDictionary ? past : nil
        // Any event may have such a value, even if its definition lets no parameter have the name: beside the key, in the text
        // around the payload, in a repeated member. This includes names that were hashed and are private now.
        let before = past?.index.protected ?? [:]
        if protected(now).contains(where: { $0.value > before[$0.key] ?? .public }) { return true }
        switch stored.resolution {
        case .plain: return isReadFromText(now) && past?.hasSameSettings != true
        case .resolved: return false
        case .malformed: return past?.hasSameSettings != true
        case .unkeyed, .undefined, .violating: break
        }
        guard let past, past.hasSameSettings else { return true }
        guard let key = stored.kind.key else { return false }
        return stored.resolution == .undefined ? isDefined(key, past, now) : differs(key, past, now)
    }

    /// Returns the dictionary that events were resolved with if none covers them now: then nothing says which of their values
    /// are private.
    func abandoning(_ stored: StoredKind) -> String? { dictionary(for: stored) == nil ? stored.kind.dictionary : nil }

    /// Whether events have what a dictionary found wrong with them, and no dictionary covers them now, not even one that has
    /// never been loaded.
    private func isLeft(_ stored: StoredKind) -> Bool {
        // Once they name no dictionary, nothing shows that they may have private values.
        guard stored.kind.dictionary != nil, covering(stored) == nil, !mayReveal else { return false }
        return switch stored.resolution {
        case .unkeyed, .undefined, .violating: true
        case .resolved, .plain, .malformed: false
        }
    }

    /// Returns the dictionary that covers the origin of an event now, unless it has never been loaded.
    private func dictionary(for stored: StoredKind) -> DefinitionIndex? {
        covering(stored).flatMap { $0.version.isEmpty ? nil : $0 }
    }

    private func covering(_ stored: StoredKind) -> DefinitionIndex? {
        dictionaries.first { $0.covers(subsystem: stored.subsystem, category: stored.category) }
    }

    /// Whether what was plain text by earlier rules may have a payload by the current ones.
    private func isReadFromText(_ dictionary: DefinitionIndex) -> Bool {
        dictionary.options.layouts.contains { $0.format != .json }
    }

    private func protected(_ dictionary: DefinitionIndex) -> [ExactString: Privacy] {
        privacy == .protect ? dictionary.protected : [:]
    }

    /// Whether an undefined event may have a definition now, or another reason for having none.
    private func isDefined(_ key: EventKey, _ past: Past, _ now: DefinitionIndex) -> Bool {
        !past.isWhole || now.mayDefine(key) || past.index.fault(of: key) != now.fault(of: key)
    }

    private func differs(_ key: EventKey, _ past: Past, _ now: DefinitionIndex) -> Bool {
        let rules = now.rules(for: key)
        return past.index.rules(for: key) != rules || (!past.isWhole && rules?.haveCustomTypes ?? false)
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
        var allowsExtra: Bool
        /// What `common.md` says about that, which counts beside the object with the parameters.
        var commonAllowsExtra: Bool?
        /// Its own parameters, those of its category and the common ones, without texts that are only for people.
        var parameters: [[Parameter]]

        var haveCustomTypes: Bool { parameters.joined().contains { $0.type.hasCustom } }
    }

    let options: DictionaryOptions
    let version: String
    /// The names whose values are replaced, at any depth.
    let protected: [ExactString: Privacy]
    private let dictionary: EventDictionary
    /// The keys that events of definitions, also of those with errors, may have while they are undefined.
    private let keys: Set<EventKey>

    init(_ dictionary: EventDictionary) {
        options = dictionary.options
        version = dictionary.version
        self.dictionary = dictionary
        protected = dictionary.confirmedNames
        keys = dictionary.sentKeys.union(dictionary.keysByRules(withBroken: true))
    }

    /// - Parameter key: the key of an undefined event.
    func mayDefine(_ key: EventKey) -> Bool { keys.contains(key) }

    /// Returns the reason why a definition is not in force.
    /// - Parameter key: as payloads have it.
    func fault(of key: EventKey) -> String? { dictionary.fault(of: key) }

    /// `nil` when there is no such definition.
    func rules(for key: EventKey) -> Rules? {
        guard let category = dictionary.category(key.category), let definition = dictionary.definition(key) else {
            return nil
        }
        return Rules(
            isObsolete: definition.isObsolete, sentAs: EventKey(category: category.sentAs, name: definition.sentAs),
            allowsExtra: dictionary.extra(in: definition, of: category) == .all,
            commonAllowsExtra: dictionary.allowsExtra,
            parameters: [definition.parameters, category.parameters, dictionary.common].map { $0.map(\.checked) })
    }

    func covers(subsystem: String, category: String) -> Bool {
        options.subsystem.matches(subsystem) && options.category.matches(category)
    }
}

extension ParameterType {
    /// Whether it is a custom type, or an array of one.
    fileprivate var hasCustom: Bool {
        switch self {
        case .custom: true
        case .array(let element, _, _): element.hasCustom
        default: false
        }
    }
}
