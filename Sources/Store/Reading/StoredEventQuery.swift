package import Model

/// One call of `EventStore.events`.
struct StoredEventQuery: Sendable {
    var filter: EventFilter
    var after: Int64?
    var before: Int64?
    var order = EventOrder.oldest
    var limit = Int.max
    /// Where events are kept, the most that their payloads may have together; `nil` for about 1 MiB, and one event however
    /// large.
    var bytes: Int?
    /// Events are only found, not read.
    var onlyIDs = false

    /// No event can meet it.
    var isEmpty: Bool { limit <= 0 || filter.isEmpty }
}

extension EventFilter {
    /// Events are asked for between these, as signed numbers like the columns.
    var times: ClosedRange<Int64>? {
        guard sinceMicroseconds != nil || untilMicroseconds != nil else { return nil }
        let since = Int64(clamping: sinceMicroseconds ?? 0)
        return since...max(since, Int64(clamping: untilMicroseconds ?? UInt64(Int64.max)))
    }

    /// Everything in a range of time.
    init(times: ClosedRange<Int64>) {
        self.init()
        sinceMicroseconds = UInt64(clamping: times.lowerBound)
        untilMicroseconds = UInt64(clamping: times.upperBound)
    }

    /// No event can be in its range of time.
    var isEmpty: Bool {
        guard let since = sinceMicroseconds, let until = untilMicroseconds else { return false }
        return since > until
    }
}

package enum EventOrder: String, Sendable { case oldest, newest }

/// How far a read of events has come, in the order asked for. It may have found few, even none, although there is more: the
/// store bounds the work of one call (time, bytes), not only its result.
package struct PageEnd: Sendable {
    /// Where the next page goes on: pass it as `after` (oldest) or `before` (newest). `nil`: there is no more.
    package var next: Int64?

    /// The newest event that there was, wanted or not: where `next` is `nil`, whoever follows the store looks after
    /// this one the next time, instead of at the same events again. 0 when the store is empty.
    package var newestEventID: Int64 = 0

    /// The bytes of the next event's payload, where there was no room for it although nothing else had been taken; it is
    /// read by asking for so much.
    package var needed: Int?

    package init(next: Int64? = nil, newestEventID: Int64 = 0, needed: Int? = nil) {
        self.next = next
        self.newestEventID = newestEventID
        self.needed = needed
    }
}

/// Events in the order asked for.
package struct EventPage: Sendable {
    package var events: [Event]
    package var end: PageEnd

    package init(events: [Event] = [], _ end: PageEnd = PageEnd()) {
        self.events = events
        self.end = end
    }

    package var next: Int64? { end.next }
    package var newestEventID: Int64 { end.newestEventID }
    package var needed: Int? { end.needed }
}

/// What somebody makes of events while they are read, so that nobody keeps them.
package protocol EventOutput: Sendable {
    /// - Parameter bytes: how many the next event's payload has.
    /// - Returns: whether there is room for that event.
    func hasRoom(forPayload bytes: Int) -> Bool
    mutating func take(_ event: borrowing Event)
}

/// Keeps events as they are.
struct KeptEvents: EventOutput {
    private(set) var events: [Event] = []
    private var bytesLeft: Int
    private let takesOneOfAnySize: Bool

    /// About what events have together where nobody says more.
    private static let pageBytes = 1 << 20

    /// - Parameter bytes: the most that their payloads may have together; `nil` for about 1 MiB, and one event however large.
    init(bytes: Int?) {
        bytesLeft = bytes ?? Self.pageBytes
        takesOneOfAnySize = bytes == nil
    }

    func hasRoom(forPayload bytes: Int) -> Bool { bytes <= bytesLeft || events.isEmpty && takesOneOfAnySize }

    mutating func take(_ event: borrowing Event) {
        bytesLeft -= event.payload.count
        events.append(event.kept())
    }
}
