import Model
import Store

/// Reads pages of events for one stream, each of a size that may wait for a client, and holds what memory they need.
struct EventSource {
    let store: EventStore
    private let memory: StreamMemory
    private let limits: ControlLimits
    /// Of the last page, until the next one is asked for: by then the client has taken it.
    private var share: StreamMemory.Share?

    /// How often a payload is in memory on its way: as it was read, in its line, and in the channel.
    private static let copies = 3

    init(_ store: EventStore, _ memory: StreamMemory, _ limits: ControlLimits) {
        self.store = store
        self.memory = memory
        self.limits = limits
    }

    /// - Throws: `StoreError`; `CancellationError`.
    mutating func page(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int?
    ) async throws -> EventPage {
        share = nil
        let limit = min(limit ?? .max, limits.pageEvents)
        func read(_ bytes: Int, limit: Int) async throws -> EventPage {
            try await store.events(
                matching: filter, after: after, before: before, order: order, limit: limit, bytes: bytes)
        }
        let page = try await read(limits.pageBytes, limit: limit)
        guard let needed = page.needed else { return page }
        share = try await memory.take(Self.copies * needed)
        return try await read(needed, limit: 1)
    }
}
