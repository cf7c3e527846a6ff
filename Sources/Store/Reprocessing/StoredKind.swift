package import Model

/// A sort of stored events: what decides over them when definitions change.
package struct StoredKind: Sendable, Hashable {
    /// What a kind is known by while the daemon runs. There may be as many kinds as senders please, so that their texts
    /// are not kept. Two that share one are taken for the same: an event more is looked at, and stays as it is.
    package typealias ID = Int

    @Exact package var subsystem: String
    @Exact package var category: String
    package var resolution: Resolution
    package var kind: EventKind

    package init(subsystem: String, category: String, resolution: Resolution, kind: EventKind) {
        self.subsystem = subsystem
        self.category = category
        self.resolution = resolution
        self.kind = kind
    }

    package var id: ID { hashValue }
}
