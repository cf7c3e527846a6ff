package import Model

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
