package import API
package import Model
package import Store

/// Reads pages of events for one reply. An ordinary page is small enough to stay in memory while a slow client reads it; for
/// larger pages, memory is reserved.
package struct EventSource: Sendable {
    package let store: EventStore
    private let memory: Budget
    /// How many replies may have a large window; `nil` for none.
    private let largeWindows: Budget?
    private let limits: PageLimits
    /// Which of the events are marked in their lines; `nil` for none.
    package var highlight: Predicate?
    /// The members of event lines.
    let members: LineMembers
    /// Whether pages in the order of arrival say how many events were removed.
    let countsRemoved: Bool
    let lineMemory = LineMemory()
    /// The reservation of the last page, until the next one is requested, or until it is handed over with the page.
    private var share: Budget.Share?
    private var isFirst = true
    /// How many times as many events as in the last page the next one may have.
    private(set) var growth = 1.0

    /// The number of copies of a payload in memory: in SQLite, and as it was read. Its line exists only in pieces.
    package static let copies = 2
    /// The number of copies of the lines of a quick page: as written, and in the connection.
    private static let quickCopies = 2

    /// - Parameters:
    ///   - highlight: which of the events are marked in their lines.
    ///   - members: those that event lines have.
    ///   - largeWindows: how many replies in the order of time may have a large window; `nil` for none.
    ///   - countsRemoved: whether pages in the order of arrival say how many events were removed.
    package init(
        _ store: EventStore, _ memory: Budget, _ limits: PageLimits, highlighting highlight: Predicate? = nil,
        members: LineMembers = .all, largeWindows: Budget? = nil, countsRemoved: Bool = false
    ) {
        self.largeWindows = largeWindows
        self.countsRemoved = countsRemoved
        (self.highlight, self.members) = (highlight, members)
        self.store = store
        self.memory = memory
        self.limits = limits
    }

    /// How many bytes the payloads of an ordinary page have, at most.
    var pageBytes: Int { limits.payloadBytes }
    /// Returns how many places of events a reply in the order of time may keep in memory, and the reservation for many.
    /// - Parameter count: how many events it may have.
    func window(of count: Int) -> (events: Int, share: Budget.Share?) {
        guard count > limits.windowEvents, let share = largeWindows?.takeAtOnce(1) else {
            return (limits.windowEvents, nil)
        }
        return (limits.largeWindowEvents, share)
    }

    /// Whether memory is reserved for the last page.
    package var hasReservation: Bool { share != nil }

    /// Hands over the reservation of the last page, for callers that keep the page while they request another.
    mutating func handOverShare() -> [Budget.Share] {
        defer { share = nil }
        return share.map { [$0] } ?? []
    }

    /// Call it when the last page is no longer used.
    package mutating func release() {
        share = nil
        lineMemory.removeAll()
    }

    /// - Returns: `nil` when there is no such event, or no longer.
    /// - Throws: `StoreError`; `CancellationError`.
    package mutating func event(id: Int64) async throws -> Event? {
        try await page(ids: [id]).page.events.first
    }

    /// Reads the lines of the events after one, oldest first, as many as one page has.
    /// - Throws: `StoreError`; `CancellationError`.
    package mutating func lines(matching predicate: Predicate, after: Int64) async throws -> (EventLines, PageEnd) {
        let range = ArrivalRange(after: after, order: .oldest)
        reserveForQuickClient()
        var part = try await read(range, matching: predicate, withGaps: false)
        if let needed = part.end.needed {
            part = try await line(of: range, matching: predicate, payloadBytes: needed)
        }
        return (part.events, part.end)
    }

    /// Reads the lines of one page, or of less if that takes long, and the gaps between them. There are none if the first event
    /// is too large for a page, see `PageEnd.needed`.
    /// - Parameters:
    ///   - id: where it ends even if there is room for more; `nil` for nowhere.
    ///   - time: how long it may take before it ends behind a block.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func part(
        of range: ArrivalRange, through id: Int64? = nil, matching predicate: Predicate, limit: Int? = nil,
        time: Duration? = nil
    ) async throws -> EventPart<EventLines> {
        reserveForQuickClient()
        return try await read(range, matching: predicate, through: id, limit: limit, time: time)
    }

    /// The same for a part before which another is read at the same time.
    /// - Returns: `nil` if there is no memory for a large page.
    mutating func partAhead(
        of range: ArrivalRange, through id: Int64?, matching predicate: Predicate, time: Duration
    ) async throws -> EventPart<EventLines>? {
        reserveForQuickClient()
        guard share != nil else { return nil }
        return try await read(range, matching: predicate, through: id, time: time, isAhead: true)
    }

    private func read(
        _ range: ArrivalRange, matching predicate: Predicate, through id: Int64? = nil, limit: Int? = nil,
        time: Duration? = nil, isAhead: Bool = false, withGaps: Bool = true
    ) async throws -> EventPart<EventLines> {
        let limits = nextLimits
        return try await store.read(
            matching: predicate, highlighting: highlight, after: range.after, before: range.before, order: range.order,
            through: id, limit: min(limit ?? .max, limits.events), time: time, isAhead: isAhead, withGaps: withGaps,
            countsStored: countsRemoved
        ) { [members, lineMemory] in
            EventLines(
                of: members, events: limits.events, bytes: limits.bytes, payloadBytes: limits.payloadBytes,
                in: lineMemory)
        }
    }

    /// Reads the line of one event when there is memory for it, and the gaps before it.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func line(
        of range: ArrivalRange, matching predicate: Predicate, payloadBytes: Int
    ) async throws -> EventPart<EventLines> {
        try await reserve(payloadBytes: payloadBytes)
        return try await store.read(
            matching: predicate, highlighting: highlight, after: range.after, before: range.before, order: range.order,
            limit: 1, countsStored: countsRemoved
        ) { [members] in
            EventLines(of: members, oneOf: payloadBytes)
        }
    }

    /// Reads the newest events.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func page(matching predicate: Predicate, before: Int64?, limit: Int) async throws -> EventPage {
        try await page { [store] events, bytes in
            let page = try await store.events(
                matching: predicate, after: nil, before: before, order: .newest, limit: min(limit, events),
                bytes: bytes)
            return (page, page.needed)
        }
    }

    /// Reads a page of events by their ids.
    /// - Returns: the events that are still there, and the number of ids that were looked up.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func page(ids: [Int64]) async throws -> (page: EventPage, handled: Int) {
        try await page { [store, highlight] events, bytes in
            let found = try await store.events(
                ids: Array(ids.prefix(events)), bytes: bytes, highlighting: highlight)
            return (found, found.page.needed)
        }
    }

    /// - Parameter read: reads at most this many events and bytes; returns how many bytes a larger event would need.
    private mutating func page<Page>(
        _ read: (_ events: Int, _ bytes: Int) async throws -> (Page, needed: Int?)
    ) async throws -> Page {
        reserveForQuickClient()
        let (page, needed) = try await read(nextLimits.events, nextLimits.payloadBytes)
        guard let needed else { return page }
        try await reserve(payloadBytes: needed)
        return try await read(1, needed).0
    }

    /// The limits of the next page: events, bytes of their lines, bytes of payloads.
    private var nextLimits: (events: Int, bytes: Int, payloadBytes: Int) {
        share == nil
            ? (limits.events, limits.lineBytes, limits.payloadBytes)
            : (limits.quickEvents, limits.quickBytes, limits.quickBytes / 2)
    }

    /// A client that requests a second page reads fast enough for large ones, if there is memory.
    private mutating func reserveForQuickClient() {
        share = isFirst ? nil : memory.takeSpare(Self.quickCopies * limits.quickBytes)
        growth = isFirst ? Double(limits.quickEvents) / Double(limits.events) : 1
        isFirst = false
    }

    private mutating func reserve(payloadBytes: Int) async throws {
        share = nil
        share = try await memory.take(Self.copies * payloadBytes)
    }
}

/// Limits on how much of a reply is in memory. They are not settings: only tests have a reason to change them.
package struct PageLimits: Sendable {
    /// How many events are read from the store, at most, before they are written.
    package var events = 100
    /// How many bytes a payload may have, at most, or all payloads of a page where events are kept. With its lines, each
    /// connection may hold three such pages: one that is written, one on its way, and one that is read meanwhile.
    package var payloadBytes = 24 << 10
    /// How many bytes of lines are read, and gathered, before they are written.
    package var lineBytes = 32 << 10
    /// How many events, and bytes of lines, pages have for clients that take them at once, as long as half of the memory
    /// for large answers is free for others. Of these, two may be read at the same time.
    package var quickEvents = 1000
    package var quickBytes = 1 << 20
    /// How many events are put in the order of time at once, 24 bytes each: in any reply, and in those that have a large window.
    /// With it, blocks that have times in common are looked at less often.
    package var windowEvents = 1 << 12
    package var largeWindowEvents = 1 << 16

    package init() {}
}
