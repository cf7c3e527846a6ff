package import Model
internal import Predicates
internal import Store
internal import Synchronization

/// What predicates that stay in force mean, by the dictionaries in force: those of sinks, checklists and alerts.
package final class StandingPredicates: Sendable {
    private struct InForce {
        var dictionaries: [EventDictionary]
        /// Whether any values are protected.
        var protectsValues: Bool
        /// The number of changes.
        var generation = 0
        /// What was found out, by the text of the predicate.
        private(set) var known: [ExactString: Result<Predicate, PredicateFault>] = [:]
        private(set) var protections: [ProtectedKeys: ValueProtection] = [:]
        /// The bytes of both, without what predicates mean.
        private var keptBytes = 0

        init(_ dictionaries: [EventDictionary], _ mode: PrivacyMode) {
            self.dictionaries = dictionaries
            protectsValues = mode == .protect && dictionaries.contains { !$0.protectedNames.isEmpty }
        }

        mutating func keep(_ meaning: Result<Predicate, PredicateFault>, of text: ExactString) {
            makeRoom(for: text)
            known[text] = meaning
        }

        mutating func keep(_ protection: ValueProtection, of asked: ProtectedKeys) {
            makeRoom(for: asked.predicate)
            protections[asked] = protection
        }

        /// What is not asked for any more, as by runs that are gone and rules that were only tried, stays until there is no room.
        private mutating func makeRoom(for predicate: ExactString?) {
            let bytes = 256 + (predicate?.text.utf8.count ?? 0)
            if keptBytes + bytes > StandingPredicates.mostKept { (known, protections, keptBytes) = ([:], [:], 0) }
            keptBytes += bytes
        }
    }

    private struct ProtectedKeys: Hashable {
        var keys: [ExactString]
        var predicate: ExactString?
    }

    private let inForce: Mutex<InForce>
    private let hash: @Sendable (String) -> String

    /// - Parameter hash: returns what is stored instead of a hashed value.
    package init(
        _ dictionaries: [EventDictionary], _ mode: PrivacyMode = .protect,
        hash: @escaping @Sendable (String) -> String
    ) {
        inForce = Mutex(InForce(dictionaries, mode))
        self.hash = hash
    }

    package func use(_ dictionaries: [EventDictionary], _ mode: PrivacyMode = .protect) {
        var next = InForce(dictionaries, mode)
        inForce.withLock {
            next.generation = $0.generation + 1
            $0 = next
        }
    }

    /// The dictionaries in force.
    var dictionaries: [EventDictionary] { inForce.withLock { $0.dictionaries } }
    /// What they know.
    var names: PredicateBinder.Names { PredicateBinder.Names(dictionaries) }

    /// In bytes of predicates. What they mean may take more than ten times as many.
    private static let mostKept = 4 << 20

    /// Returns which events a predicate selects.
    /// - Parameter mayReadJournal: whether who asks may read the journal. Others could learn values that are stored as hashes by
    ///   guessing them.
    package func predicate(_ text: String, mayReadJournal: Bool) throws(PredicateFault) -> Predicate {
        let predicate = try predicate(text)
        // What has hashes has the values as well.
        if !mayReadJournal, let name = predicate.valuesAsked(of: dictionaries.hashedNames).min() {
            throw PredicateFault(
                """
                values of \(name.text) are stored as hashes: only who may read the journal can start a list that asks for \
                them by value; others can ask for the hash that an event shows, <hash:...>
                """, isRefusal: true)
        }
        return predicate
    }

    /// Returns which events a predicate of the settings selects.
    package func predicate(_ text: String) throws(PredicateFault) -> Predicate {
        let result = inForce.withLock { inForce in
            if let known = inForce.known[ExactString(text)] { return known }
            let result = Result { () throws(PredicateFault) in
                try Self.predicate(text, inForce.dictionaries).withHashes(of: inForce.dictionaries.hashedNames, hash)
            }
            inForce.keep(result, of: ExactString(text))
            return result
        }
        return try result.get()
    }

    /// Returns how values of keys are protected in events that a predicate may select: as the strictest dictionary says that
    /// may cover them.
    /// - Parameter predicate: `nil` for any events.
    func protection(of keys: [ExactString], in predicate: String?) -> ValueProtection {
        let asked = ProtectedKeys(keys: keys, predicate: predicate.map { ExactString($0) })
        let now = inForce.withLock { $0 }
        if let known = now.protections[asked] { return known }
        let selected = predicate.flatMap { try? self.predicate($0) } ?? .everything
        let names = keys.contains(AlertNotice.messageKey) ? Self.protectedNames(in: selected, now).flatMap(\.keys) : []
        let protection = ValueProtection(Self.kinds(of: keys, in: selected, now), inTexts: Set(names), hash: hash)
        inForce.withLock { inForce in
            guard inForce.generation == now.generation else { return }
            inForce.keep(protection, of: asked)
        }
        return protection
    }

    /// Returns a notice as it may be shown and sent now.
    /// - Parameter predicate: that of its rule; `nil` if it is not known.
    func protected(_ notice: AlertNotice, in predicate: String?) -> AlertNotice {
        let keys = (notice.cause + (notice.shown ?? [])).map { ExactString($0.key) }
        guard protectsValues, !keys.isEmpty else { return notice }
        return protection(of: keys, in: predicate).notice(notice)
    }

    /// Whether any values are protected.
    var protectsValues: Bool { inForce.withLock { $0.protectsValues } }

    private static func kinds(
        of keys: [ExactString], in predicate: Predicate, _ inForce: InForce
    ) -> [ExactString: Privacy] {
        let protected = protectedNames(in: predicate, inForce)
        guard !protected.isEmpty else { return [:] }
        return keys.reduce(into: [:]) { kinds, key in
            for name in memberNames(key.text, inForce.dictionaries) {
                for names in protected { kinds[key] = max(kinds[key] ?? .public, names[name] ?? .public) }
            }
        }
    }

    /// The names whose values are protected, of each dictionary that may cover events which a predicate selects.
    private static func protectedNames(in predicate: Predicate, _ inForce: InForce) -> [[ExactString: Privacy]] {
        guard inForce.protectsValues else { return [] }
        return inForce.dictionaries.filter { predicate.maySelectEvents(of: $0.options) }.map(\.protectedNames)
    }

    /// Returns the names of members that a key is about.
    private static func memberNames(_ key: String, _ dictionaries: [EventDictionary]) -> Set<ExactString> {
        do throws(PredicateError) {
            let names = PredicateBinder.Names(dictionaries)
            guard case .parameter(let path) = try PredicateBinder.groupKey(key, names) else { return [] }
            return path.keys
        } catch {
            // No definition has it any more, so that its text has to do: a name may have other signs than words, such as `user-id`.
            let words = key.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            return Set((words + key.split { $0 == "." } + [key[...]]).map { ExactString(String($0)) })
        }
    }

    /// Returns what events are distinguished by for keys together.
    static func groupKeys(_ texts: [String], _ names: PredicateBinder.Names) throws(PredicateFault) -> [GroupKey] {
        let keys = try texts.map { text throws(PredicateFault) in
            try key(text, names, for: "events cannot be distinguished by")
        }
        if let fault = PredicateBinder.fault(of: keys) { throw PredicateFault(fault) }
        return keys
    }

    /// Returns what a notice shows of an event for a key; `nil` for its message.
    static func shownKey(_ text: ExactString, _ names: PredicateBinder.Names) throws(PredicateFault) -> GroupKey? {
        text == AlertNotice.messageKey ? nil : try key(text.text, names, for: "notices cannot show")
    }

    /// - Parameter purpose: what cannot be done if the key has no meaning.
    private static func key(
        _ text: String, _ names: PredicateBinder.Names, for purpose: String
    ) throws(PredicateFault) -> GroupKey {
        do throws(PredicateError) {
            return try PredicateBinder.groupKey(text, names)
        } catch {
            throw PredicateFault("\(purpose) \(text): \(error.reason)")
        }
    }

    /// Why dictionaries give a key no meaning that notices are to show; `nil` if they give it one.
    package static func fault(ofShown key: ExactString, _ dictionaries: [EventDictionary]) -> String? {
        do throws(PredicateFault) {
            _ = try shownKey(key, PredicateBinder.Names(dictionaries))
            return nil
        } catch {
            return error.reason
        }
    }

    /// - Throws: why a predicate has no meaning, or cannot stay in force.
    package static func predicate(_ text: String, _ dictionaries: [EventDictionary]) throws(PredicateFault) -> Predicate
    {
        let predicate = try predicate(text, PredicateBinder.Names(dictionaries))
        if let name = predicate.valuesAsked(of: dictionaries.hashedNames, withoutCase: true).min() {
            throw PredicateFault(
                "it has [c] with \(name.text), whose values are stored as hashes: each spelling has its own")
        }
        return predicate
    }

    /// Why no dictionary could give a predicate and keys a meaning; `nil` if one could.
    /// - Parameters:
    ///   - keys: those that events are distinguished by, together.
    ///   - shown: those of which each is shown by itself.
    package static func fault(
        of text: String, by keys: [ExactString] = [], showing shown: [ExactString] = []
    ) -> String? {
        let names = PredicateBinder.Names.anything()
        do throws(PredicateFault) {
            _ = try predicate(text, names)
            _ = try groupKeys(keys.map(\.text), names)
            for key in shown { _ = try shownKey(key, names) }
            return nil
        } catch {
            return error.reason
        }
    }

    private static func predicate(_ text: String, _ names: PredicateBinder.Names) throws(PredicateFault) -> Predicate {
        do {
            let predicate = try PredicateBinder.standing(text, names)
            try predicate.check()
            guard !predicate.readsJournal else {
                throw PredicateFault("an event has journal fields only as long as its entry is in the journal")
            }
            return predicate
        } catch let error as PredicateError {
            throw PredicateFault(error)
        } catch let error as PredicateFault {
            throw error
        } catch {
            throw PredicateFault("\(error)")
        }
    }
}

/// Why a predicate that stays in force cannot be used.
package struct PredicateFault: Error, Sendable, Hashable {
    package var reason: String
    /// The part of the predicate that it is about, with a line that shows the place; `nil` if it is about the whole.
    private(set) var excerpt: String?
    /// Whether it is none for who may read the journal.
    var isRefusal = false

    init(_ reason: String, isRefusal: Bool = false) { (self.reason, self.isRefusal) = (reason, isRefusal) }
    init(_ error: PredicateError) {
        (reason, excerpt) = (error.reason, error.text.isEmpty ? nil : error.excerpt)
    }

    /// The reason, and below it the place.
    var text: String { excerpt.map { "\(reason)\n\($0)" } ?? reason }
}
