package import Model
internal import Predicates
internal import Store
internal import Synchronization

/// What predicates that stay in force mean, by the dictionaries in force: those of sinks, checklists and alerts.
package final class StandingPredicates: Sendable {
    private struct InForce {
        var dictionaries: [EventDictionary]
        /// What was found out, by the text of the predicate.
        var known: [ExactString: Result<Predicate, PredicateFault>] = [:]
    }

    private let inForce: Mutex<InForce>
    private let hash: @Sendable (String) -> String

    /// - Parameter hash: returns what is stored instead of a hashed value.
    package init(_ dictionaries: [EventDictionary], hash: @escaping @Sendable (String) -> String) {
        inForce = Mutex(InForce(dictionaries: dictionaries))
        self.hash = hash
    }

    package func use(_ dictionaries: [EventDictionary]) {
        inForce.withLock { $0 = InForce(dictionaries: dictionaries) }
    }

    /// The dictionaries in force.
    var dictionaries: [EventDictionary] { inForce.withLock { $0.dictionaries } }

    private static let mostKnown = 10_000

    /// Returns which events a predicate selects.
    package func predicate(_ text: String) throws(PredicateFault) -> Predicate {
        let result = inForce.withLock { inForce in
            if let known = inForce.known[ExactString(text)] { return known }
            let result = Result { () throws(PredicateFault) in
                try Self.predicate(text, inForce.dictionaries).withHashes(of: inForce.dictionaries.hashedNames, hash)
            }
            if inForce.known.count >= Self.mostKnown { inForce.known = [:] }
            inForce.known[ExactString(text)] = result
            return result
        }
        return try result.get()
    }

    /// Returns what events are grouped by for keys.
    func groupKeys(_ texts: [String]) throws(PredicateFault) -> [GroupKey] {
        let keys = try texts.map { text throws(PredicateFault) in try groupKey(text) }
        if let fault = PredicateBinder.fault(of: keys) { throw PredicateFault(fault) }
        return keys
    }

    /// Returns what events are grouped by for a key.
    func groupKey(_ text: String) throws(PredicateFault) -> GroupKey {
        let names = PredicateBinder.Names(dictionaries)
        do throws(PredicateError) {
            return try PredicateBinder.groupKey(text, names)
        } catch {
            throw PredicateFault("events cannot be distinguished by \(text): \(error.reason)")
        }
    }

    /// - Throws: why a predicate has no meaning, or cannot stay in force.
    package static func predicate(_ text: String, _ dictionaries: [EventDictionary]) throws(PredicateFault) -> Predicate
    {
        do {
            let predicate = try PredicateBinder.standing(text, PredicateBinder.Names(dictionaries))
            try predicate.check()
            if predicate.readsJournal {
                throw PredicateFault("an event has journal fields only as long as its entry is in the journal")
            }
            if let name = predicate.valuesAsked(of: dictionaries.hashedNames, withoutCase: true).min() {
                throw PredicateFault(
                    "it has [c] with \(name.text), whose values are stored as hashes: each spelling has its own")
            }
            return predicate
        } catch let error as PredicateError {
            throw PredicateFault(error.reason)
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
    init(_ reason: String) { self.reason = reason }
}
