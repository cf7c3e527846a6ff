package import Model
package import Resolve
import Synchronization

/// All dictionaries in force, compiled to resolve with.
package struct DictionarySet: Sendable {
    /// In the order of the settings: the first one that covers the origin of an event is used for it.
    package let dictionaries: [EventDictionary]
    package let privacy: PrivacyMode
    package let resolver: Resolver

    /// Compiles the dictionaries: a tenth of a second for 10,000 definitions.
    /// - Parameter sources: the rules, which may say where events that no dictionary covers have their key.
    package init(_ dictionaries: [EventDictionary], sources: [SourceRule] = [], protection: Protection) {
        self.dictionaries = dictionaries
        privacy = protection.mode

        resolver = Resolver(
            dictionaries: dictionaries, sources: sources.layouts, protection: protection)
    }
}

/// Removes private values from stored events before sinks send them. An event may have been stored before one of its names
/// became private, or while `privacy` was set to reveal.
package final class OutgoingEvents: Sendable {
    private let resolver: Mutex<Resolver>

    package init(_ dictionarySet: DictionarySet) {
        resolver = Mutex(dictionarySet.resolver)
    }

    package func use(_ dictionarySet: DictionarySet) {
        resolver.withLock { $0 = dictionarySet.resolver }
    }

    /// Returns the event without the values that are private by the dictionaries in force.
    package func redacted(_ event: Event) -> Event {
        resolver.withLock { $0.redacted(event) } ?? event
    }
}
