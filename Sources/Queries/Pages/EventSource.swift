package import Model
package import Store

/// Reads pages of events for one reply, each of a size that may wait for a client, and holds what memory they need.
package struct EventSource: Sendable {
    package let store: EventStore
    private let memory: StreamMemory
    private let limits: PageLimits
    private let lineMemory = LineMemory()
    /// Of the last page, until the next one is asked for: by then the client has taken it.
    private var share: StreamMemory.Share?
    private var isFirst = true

    /// How often a payload is in memory on its way: as SQLite has it, and as it was read. Of its line there are only
    /// pieces.
    package static let copies = 2
    /// The same of the lines of a quick page: as they were written, and as the connection has them.
    private static let quickCopies = 2

    package init(_ store: EventStore, _ memory: StreamMemory, _ limits: PageLimits) {
        self.store = store
        self.memory = memory
        self.limits = limits
    }

    /// How many bytes the payloads of an ordinary page have, at most.
    var pageBytes: Int { limits.payloadBytes }
    /// How many events' places an answer in the order of time has in memory at most.
    var windowEvents: Int { limits.windowEvents }

    /// Whether the last page is larger than an ordinary one.
    package var isLarge: Bool { share != nil }

    /// The memory that the last page holds, for who keeps the page while another one is asked for.
    mutating func takeShare() -> StreamMemory.Share? {
        defer { share = nil }
        return share
    }

    /// To be called when nobody has the last page any more.
    package mutating func giveBack() { share = nil }

    /// - Returns: `nil` when there is none, or no longer.
    /// - Throws: `StoreError`; `CancellationError`.
    package mutating func event(id: Int64) async throws -> Event? {
        guard id > 0 else { return nil }
        let page = try await page(
            matching: EventFilter(), after: id - 1, before: id == .max ? id : id + 1, order: .oldest, limit: 1)
        return page.events.first { $0.id == id }
    }

    /// Lines of events, as many as a page has.
    /// - Throws: `StoreError`; `CancellationError`.
    package mutating func lines(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int?
    ) async throws -> (EventLines, PageEnd) {
        takeQuickShare()
        let most = room
        let (lines, end) = try await store.read(
            matching: filter, after: after, before: before, order: order, limit: min(limit ?? .max, most.events)
        ) { [lineMemory] in EventLines(bytes: most.bytes, payloadBytes: most.payloadBytes, in: lineMemory) }
        guard let needed = end.needed else { return (lines, end) }
        try await takeShare(of: needed)
        return try await store.read(matching: filter, after: after, before: before, order: order, limit: 1) {
            EventLines(oneOf: needed)
        }
    }

    /// - Throws: `StoreError`; `CancellationError`.
    mutating func page(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int?
    ) async throws -> EventPage {
        try await page { [store] events, bytes in
            let page = try await store.events(
                matching: filter, after: after, before: before, order: order, limit: min(limit ?? .max, events),
                bytes: bytes)
            return (page, page.needed)
        }
    }

    /// Events by their ids, as many as a page has.
    /// - Returns: those that are still there, and how many ids they are of.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func page(ids: [Int64]) async throws -> (page: EventPage, looked: Int) {
        try await page { [store] events, bytes in
            let found = try await store.events(ids: Array(ids.prefix(events)), bytes: bytes)
            return (found, found.page.needed)
        }
    }

    /// - Parameter read: gives what it has for so many events and bytes at most, and how many more bytes it needs.
    private mutating func page<Page>(
        _ read: (_ events: Int, _ bytes: Int) async throws -> (Page, needed: Int?)
    ) async throws -> Page {
        takeQuickShare()
        let (page, needed) = try await read(room.events, room.payloadBytes)
        guard let needed else { return page }
        try await takeShare(of: needed)
        return try await read(1, needed).0
    }

    /// Of the next page: events, bytes of their lines, and of one payload or of all that are kept.
    private var room: (events: Int, bytes: Int, payloadBytes: Int) {
        share == nil
            ? (limits.events, limits.lineBytes, limits.payloadBytes)
            : (limits.quickEvents, limits.quickBytes, limits.quickBytes / 2)
    }

    /// Who asks for another page has taken the one before.
    private mutating func takeQuickShare() {
        share = isFirst ? nil : memory.takeSpare(Self.quickCopies * limits.quickBytes)
        isFirst = false
    }

    /// - Parameter payload: in bytes.
    private mutating func takeShare(of payload: Int) async throws {
        share = nil
        share = try await memory.take(Self.copies * payload)
    }
}

/// How much of an answer is in memory at a time. These are no settings: nobody has a reason to change them, but tests do.
package struct PageLimits: Sendable {
    /// How many events are read from the store, at most, before they are written.
    package var events = 100
    /// How many bytes a payload may have, at most, or all payloads of a page where events are kept. With its lines, each
    /// connection may hold three such pages: one that is written, one on its way, and one that is read meanwhile.
    package var payloadBytes = 24 << 10
    /// How many bytes of lines are read, and gathered, before they are written.
    package var lineBytes = 32 << 10
    /// How many events, and bytes of lines, pages have for clients that take them at once, as long as half of the memory
    /// for large answers is free for others.
    package var quickEvents = 1000
    package var quickBytes = 1 << 20
    /// How many events are put in the order of time at once, 16 bytes each.
    package var windowEvents = 1 << 16

    package init() {}
}
