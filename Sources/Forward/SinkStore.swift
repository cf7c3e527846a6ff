package import Model
package import Store

/// What a sink needs of the store.
package protocol SinkStore: Sendable {
    var feed: EventFeed { get }
    func events(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int, on lane: ReadLane
    ) async throws(StoreError) -> EventPage
    func frozenBatch(ofSink name: String) async throws(StoreError) -> FrozenBatch?
    func freeze(_ batch: FrozenBatch) async throws(StoreError)
    func complete(_ batch: FrozenBatch, at now: UInt64) async throws(StoreError) -> SinkRecord
}

extension EventStore: SinkStore {}
