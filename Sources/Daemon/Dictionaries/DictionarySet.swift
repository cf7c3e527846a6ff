import Model
import Resolve

/// All dictionaries in force, made ready to resolve with.
struct DictionarySet: Sendable {
    /// In the order of the settings: the first that covers an event's origin serves it.
    let dictionaries: [EventDictionary]
    let privacy: PrivacyMode
    let resolver: Resolver

    /// It takes its time: a tenth of a second for 10,000 definitions.
    init(_ dictionaries: [EventDictionary], protection: Protection) {
        self.dictionaries = dictionaries
        privacy = protection.mode
        resolver = Resolver(dictionaries: dictionaries, protection: protection)
    }
}
