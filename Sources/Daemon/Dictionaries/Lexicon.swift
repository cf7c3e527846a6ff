import Model
import Resolve

/// All dictionaries in force, made ready to resolve with.
struct Lexicon: Sendable {
    /// In the order of the settings: the first that covers an event's origin serves it.
    let dictionaries: [EventDictionary]
    let privacy: PrivacyMode
    let resolver: Resolver
    /// The parameters by whose values events are to be found quickly: who did something is always among them.
    let indexedParameters: Set<ExactString>

    /// It takes its time: a tenth of a second for 10,000 definitions.
    init(_ dictionaries: [EventDictionary], protection: Protection) {
        self.dictionaries = dictionaries
        privacy = protection.mode
        resolver = Resolver(dictionaries: dictionaries, protection: protection)
        indexedParameters = Set(
            exact: dictionaries.lazy.flatMap(\.allParameters).filter { $0.isIndexed || $0.role != nil }.map(\.name))
    }
}
