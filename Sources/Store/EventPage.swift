package import Model

package enum EventOrder: String, Sendable { case oldest, newest }

/// Events in the order asked for. A page may be short, even empty, although there is more: the store bounds the work of
/// one call (rows, bytes), not only its result.
package struct EventPage: Sendable {
    package var events: [Event]
    /// Where the next page goes on: pass it as `after` (oldest) or `before` (newest). `nil`: there is no more.
    package var next: Int64?

    /// The newest event that there was, wanted or not: where `next` is `nil`, whoever follows the store looks after
    /// this one the next time, instead of at the same events again. 0 when the store is empty.
    package var newestEventID: Int64

    /// The bytes of the next event's payload, where it alone is larger than what was asked for; it is read by asking for so
    /// much.
    package var needed: Int?

    package init(events: [Event] = [], next: Int64? = nil, newestEventID: Int64 = 0, needed: Int? = nil) {
        self.events = events
        self.next = next
        self.newestEventID = newestEventID
        self.needed = needed
    }
}
