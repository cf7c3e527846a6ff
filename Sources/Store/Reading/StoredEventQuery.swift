package import Model

/// The arguments of one call of `EventStore.events`.
struct StoredEventQuery: Sendable {
    var predicate: Predicate
    var after: Int64?
    var before: Int64?
    var order: EventOrder
    /// Where the page ends even if there is room for more; `nil` for nowhere.
    var through: Int64?
    /// How long reading may take before it ends behind a block; `nil` for the time of the turn.
    var time: Duration?
    var limit: Int
    /// The maximum size of the payloads together, where events are kept; `nil` for about 1 MiB, or one event of any
    /// size.
    var bytes: Int?
    /// Whether events are only found, not read.
    var onlyIDs: Bool
    /// Which of the events are marked; `nil` for none.
    var highlight: Predicate?

    /// Whether no event can match.
    var isEmpty: Bool { limit <= 0 || predicate.bounds == nil }

    init(
        _ predicate: Predicate, after: Int64? = nil, before: Int64? = nil, order: EventOrder = .oldest,
        limit: Int = .max, bytes: Int? = nil, onlyIDs: Bool = false, highlight: Predicate? = nil
    ) {
        (self.predicate, self.after, self.before, self.order) = (predicate, after, before, order)
        (self.limit, self.bytes, self.onlyIDs, self.highlight) = (limit, bytes, onlyIDs, highlight)
    }
}

extension StoredEventQuery {
    /// Returns which of the stored ids are between `after` and `before`; `nil` for none.
    func ids(of stored: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        let after = after ?? 0
        guard after < .max else { return nil }
        let low = max(stored.lowerBound, after + 1)
        let high = min(stored.upperBound, max(before ?? .max, 1) - 1)
        return low <= high ? low...high : nil
    }

    /// Returns the ids whose gaps belong to a page; `nil` for none. A gap follows one event, the one that came before it.
    /// - Parameter next: where the next page continues.
    func gapIDs(until next: Int64?) -> ClosedRange<Int64>? {
        let (first, last) = (after ?? 0, before.map { $0 - 1 } ?? .max)
        let (low, high) =
            switch order {
            case .oldest: (first, next.map { $0 - 1 } ?? last)
            case .newest: (next ?? first, last)
            }
        return low <= high ? low...high : nil
    }

    /// Returns the ids that a page has examined, whether events have them or not; `nil` for none.
    /// - Parameter next: where the next page continues.
    func examinedIDs(until next: Int64?) -> ClosedRange<Int64>? {
        var page = self
        if let next, order == .oldest { page.before = next + 1 }
        if let next, order == .newest { page.after = next - 1 }
        return page.ids(of: 1 ... .max)
    }
}

extension Predicate {
    /// Compiles the predicate, before anything is read.
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func check() throws(StoreError) { _ = try BlockMatcher(self) }
}

package enum EventOrder: String, Sendable { case oldest, newest }

/// The end of a page of events, in the order of the query. A page may have few events, or none, although there are
/// more: the store bounds the work of one call (time, bytes), not only its result.
package struct PageEnd: Sendable {
    /// The position to continue at: pass it as `after` (oldest) or `before` (newest). `nil` when there is no more.
    package var next: Int64?

    /// The newest stored event, whether it matches or not. When `next` is `nil`, a caller that follows the store
    /// continues after this event, so that it does not read the same events again. 0 when the store is empty.
    package var newestEventID: Int64 = 0

    /// The size of the next event's payload, if there was no room for it although the page is empty. To read it,
    /// request this many bytes.
    package var needed: Int?

    /// How many ids were examined.
    package var examinedIDs: Int64 = 0

    /// How many blocks were read for that.
    package var blocks = 0

    /// The ids of the last of them, from 1.
    package var blockIDs: ClosedRange<Int64>?

    /// The ids that were stored in the range of the query, from 1.
    package var storedIDs: ClosedRange<Int64>?

    /// How many events are stored of those that were examined, whether they match or not, if they are counted. The ids up to
    /// `next` that have no event are of events that were removed.
    package var storedEvents: Int64 = 0

    /// How much of its time the read has taken, at most 1; 0 if it had no other than that of its turn.
    package var usedTime = 0.0

    package init(
        next: Int64? = nil, newestEventID: Int64 = 0, needed: Int? = nil, examinedIDs: Int64 = 0, blocks: Int = 0,
        usedTime: Double = 0
    ) {
        self.next = next
        self.newestEventID = newestEventID
        self.needed = needed
        self.examinedIDs = examinedIDs
        self.blocks = blocks
        self.usedTime = usedTime
    }
}

/// Events as they were taken by an output, and the gaps between them, all as they were at one time.
package struct EventPart<Output: EventOutput>: Sendable {
    package var events: Output
    /// Ascending by their places.
    package var gaps: [GapRecord]
    package var end: PageEnd
}

/// Events in the order of the query.
package struct EventPage: Sendable {
    package var events: [Event]
    /// The ids of those that are marked.
    package var highlighted: Set<Int64> = []
    package var end: PageEnd

    package init(events: [Event] = [], _ end: PageEnd = PageEnd()) {
        self.events = events
        self.end = end
    }

    package var next: Int64? { end.next }
    package var newestEventID: Int64 { end.newestEventID }
    package var needed: Int? { end.needed }
}

/// A consumer of events while they are read, so that they need not be kept.
package protocol EventOutput: Sendable {
    /// - Parameter bytes: the size of the next event's payload.
    /// - Returns: whether there is room for that event.
    func hasRoom(forPayload bytes: Int) -> Bool
    /// - Parameter isHighlighted: whether the event is marked.
    mutating func take(_ event: borrowing Event, isHighlighted: Bool)
}

/// An output that keeps the events.
struct KeptEvents: EventOutput {
    private(set) var events: [Event] = []
    private var bytesLeft: Int
    private let takesOneOfAnySize: Bool

    /// The approximate size of a page's payloads by default.
    private static let pageBytes = 1 << 20

    /// - Parameter bytes: the maximum size of the payloads together; `nil` for about 1 MiB, or one event of any size.
    init(bytes: Int?) {
        bytesLeft = bytes ?? Self.pageBytes
        takesOneOfAnySize = bytes == nil
    }

    func hasRoom(forPayload bytes: Int) -> Bool { bytes <= bytesLeft || events.isEmpty && takesOneOfAnySize }

    mutating func take(_ event: borrowing Event, isHighlighted: Bool) {
        bytesLeft -= event.contentBytes
        events.append(event.kept())
    }
}
