/// A batch for a sink, fixed before its first attempt: a resend has the same bytes, also after a crash.
package struct FrozenBatch: Sendable, Hashable {
    @Exact package var sink: String
    /// Random, 32 hexadecimal digits: the `Idempotency-Key`.
    @Exact package var key: String
    /// The encoded body, compressed as `contentEncoding` says.
    package var body: [UInt8]
    /// `gzip`, `deflate`, or `nil` for a body that is not compressed.
    @Exact package var contentEncoding: String?
    package var firstEventID: Int64
    /// The last event that is delivered or passed over with the batch.
    package var lastEventID: Int64
    package var eventCount: Int

    package init(
        sink: String, key: String, body: [UInt8], contentEncoding: String?, firstEventID: Int64, lastEventID: Int64,
        eventCount: Int
    ) {
        self.sink = sink
        self.key = key
        self.body = body
        self.contentEncoding = contentEncoding
        self.firstEventID = firstEventID
        self.lastEventID = lastEventID
        self.eventCount = eventCount
    }
}

/// The state of a sink in the store.
package struct SinkRecord: Sendable, Hashable {
    @Exact package var name: String
    /// The last event that was delivered or that came before the sink's start.
    package var position: Int64
    package var deliveredEvents: Int64
    package var deliveredBatches: Int64
    /// The time of the last success, in microseconds since 1970.
    package var lastSuccessMicroseconds: UInt64?

    package init(
        name: String, position: Int64, deliveredEvents: Int64 = 0, deliveredBatches: Int64 = 0,
        lastSuccessMicroseconds: UInt64? = nil
    ) {
        self.name = name
        self.position = position
        self.deliveredEvents = deliveredEvents
        self.deliveredBatches = deliveredBatches
        self.lastSuccessMicroseconds = lastSuccessMicroseconds
    }
}
