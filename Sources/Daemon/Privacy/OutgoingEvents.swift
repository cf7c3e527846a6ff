import Model
import Resolve
import Synchronization

/// What sinks may have of stored events, by the dictionarySet of the moment: an event may have been stored before a name of its
/// values became private, or while `privacy` was set to reveal.
final class OutgoingEvents: Sendable {
    private let resolver: Mutex<Resolver>

    init(_ dictionarySet: DictionarySet) {
        resolver = Mutex(dictionarySet.resolver)
    }

    func use(_ dictionarySet: DictionarySet) {
        resolver.withLock { $0 = dictionarySet.resolver }
    }

    /// The event without what is private now.
    func redacted(_ event: Event) -> Event {
        guard let payload = resolver.withLock({ $0.redacted(event) }) else { return event }
        var event = event
        event.payload = payload
        return event
    }
}
