import Forward
import Model
import Predicates
import Store
import Synchronization

/// What the predicates of sinks mean, by the dictionaries in force.
final class SinkSelection: Sendable {
    private struct InForce {
        var dictionaries: [EventDictionary]
        /// What was found out, by the text of the predicate.
        var known: [ExactString: Result<Predicate, SinkError>] = [:]
    }

    private let inForce: Mutex<InForce>
    private let hash: @Sendable (String) -> String

    /// - Parameter hash: returns what is stored instead of a hashed value.
    init(_ dictionaries: [EventDictionary], hash: @escaping @Sendable (String) -> String) {
        inForce = Mutex(InForce(dictionaries: dictionaries))
        self.hash = hash
    }

    func use(_ dictionaries: [EventDictionary]) { inForce.withLock { $0 = InForce(dictionaries: dictionaries) } }

    /// Returns which events a sink gets.
    func predicate(of sink: SinkOptions) throws(SinkError) -> Predicate {
        guard let text = sink.predicate else { return .everything }
        let result = inForce.withLock { inForce in
            if let known = inForce.known[ExactString(text)] { return known }
            let result = Result { () throws(SinkError) in
                try Self.predicate(text, inForce.dictionaries).withHashes(of: inForce.dictionaries.hashedNames, hash)
            }
            inForce.known[ExactString(text)] = result
            return result
        }
        return try result.get()
    }

    /// - Throws: why a predicate has no meaning, or cannot be used for a sink.
    static func predicate(_ text: String, _ dictionaries: [EventDictionary]) throws(SinkError) -> Predicate {
        let reason: String
        do {
            let predicate = try PredicateBinder.standing(text, PredicateBinder.Names(dictionaries))
            try predicate.check()
            if predicate.readsJournal {
                reason = "an event has journal fields only as long as its entry is in the journal"
            } else if let name = predicate.valuesAsked(of: dictionaries.hashedNames, withoutCase: true).min() {
                reason = "it has [c] with \(name.text), whose values are stored as hashes: each spelling has its own"
            } else {
                return predicate
            }
        } catch let error as PredicateError {
            reason = error.reason
        } catch {
            reason = "\(error)"
        }
        throw SinkError("its predicate cannot be used: \(reason)")
    }
}
