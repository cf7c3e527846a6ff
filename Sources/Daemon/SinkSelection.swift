import Forward
import Model
import Predicates
import Store
import Synchronization

/// What the predicates of sinks mean, by the dictionaries and settings in force.
final class SinkSelection: Sendable {
    private struct InForce {
        var dictionaries: [EventDictionary]
        var predicates: [ExactString: ExactString] = [:]
    }

    private let inForce: Mutex<InForce>
    private let hash: @Sendable (String) -> String

    /// - Parameter hash: returns what is stored instead of a hashed value.
    init(_ dictionaries: [EventDictionary], hash: @escaping @Sendable (String) -> String) {
        inForce = Mutex(InForce(dictionaries: dictionaries))
        self.hash = hash
    }

    func use(_ dictionaries: [EventDictionary]) { inForce.withLock { $0.dictionaries = dictionaries } }

    /// - Parameter predicates: those that have names.
    func use(_ predicates: [ExactString: ExactString]) { inForce.withLock { $0.predicates = predicates } }

    /// Returns which events a sink gets.
    func predicate(of sink: SinkOptions) throws(SinkError) -> Predicate {
        let inForce = inForce.withLock(\.self)
        let predicate = try Self.predicate(of: sink, inForce.dictionaries, inForce.predicates)
        return predicate.withHashes(of: inForce.dictionaries.hashedNames, hash)
    }

    /// - Parameter predicates: those that have names.
    static func predicate(
        of sink: SinkOptions, _ dictionaries: [EventDictionary], _ predicates: [ExactString: ExactString]
    ) throws(SinkError) -> Predicate {
        guard let text = sink.predicate else { return .everything }
        let reason: String
        do {
            let predicate = try PredicateBinder.standing(
                text, PredicateBinder.Names(dictionaries, predicates: predicates))
            try predicate.check()
            guard !predicate.readsJournal else {
                throw SinkError(
                    "the predicate '\(text)' asks for a journal field, which an event has only as long as its entry")
            }
            return predicate
        } catch let error as SinkError {
            throw error
        } catch let error as PredicateError {
            reason = error.reason
        } catch {
            reason = "\(error)"
        }
        throw SinkError("the predicate '\(text)' is not understood: \(reason)")
    }
}
