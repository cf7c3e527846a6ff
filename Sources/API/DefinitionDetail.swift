/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`: a definition and what is known of its events. On
/// the wire the members of `definition` stand beside the others, and `example` is an event line.
package struct DefinitionDetail: Sendable, Hashable {
    package var definition: DefinitionReply
    /// Of the dictionary, as it is in force.
    package var version: String
    /// Since when that version is.
    package var loadedAt: WireTime
    package var state: DefinitionState
    package var usage: DefinitionUse
    /// The most frequent first.
    package var violations: [ViolationUse]
    package var links: [LinkReply]
    /// The newest stored event that keeps to the definition; if there is none, the newest that does not.
    package var example: EventLine?

    package init(
        definition: DefinitionReply, version: String, loadedAt: WireTime, state: DefinitionState,
        usage: DefinitionUse, violations: [ViolationUse], links: [LinkReply], example: EventLine? = nil
    ) {
        self.definition = definition
        self.version = version
        self.loadedAt = loadedAt
        self.state = state
        self.usage = usage
        self.violations = violations
        self.links = links
        self.example = example
    }
}
