import API
package import Model

/// Collects events as NDJSON lines until a batch is full: `maximumBatchEvents`, `maximumBatchBytes` (of the lines, not
/// compressed) or `maximumBatchAge` (since its first event was added), whichever comes first.
package struct BatchBuilder: Sendable {
    private let maximumEvents: Int
    private let maximumBytes: Int
    private let maximumAge: Duration
    private let compression: SinkOptions.Compression

    private var lines: [UInt8] = []
    private var repeated = RepeatedMembers()
    package private(set) var eventCount = 0
    package private(set) var firstEventID: Int64 = 0
    package private(set) var lastEventID: Int64 = 0
    /// When the first event was added.
    private var begun: Duration?
    /// Whether an event was turned away because it would not fit.
    private var hasRefused = false

    package init(_ options: SinkOptions) {
        maximumEvents = max(options.maximumBatchEvents, 1)
        maximumBytes = max(options.maximumBatchBytes, 1)
        maximumAge = options.maximumBatchAge
        compression = options.compression
    }

    package var isEmpty: Bool { eventCount == 0 }
    /// Whether nothing more goes in.
    package var isFull: Bool { eventCount >= maximumEvents || lines.count >= maximumBytes || hasRefused }
    /// How many events more may go in by their number.
    package var room: Int { max(maximumEvents - eventCount, 0) }
    /// When the batch is due although it is not full; `nil` as long as it is empty.
    package var due: Duration? { begun.map { $0 + maximumAge } }

    package func isClosed(at now: Duration) -> Bool {
        isFull || due.map { $0 <= now } ?? false
    }

    /// Adds the event's line. An event that is larger than a whole batch may be goes in alone: it must get through.
    /// - Parameter now: a reading of the clock that `isClosed(at:)` is asked with.
    /// - Returns: `false` when it does not fit any more; then it belongs to the next batch.
    package mutating func add(_ event: Event, at now: Duration) -> Bool {
        guard !isFull else { return false }
        let end = lines.count
        EventLine.append(event, to: &lines, &repeated)
        guard isEmpty || lines.count <= maximumBytes else {
            lines.removeSubrange(end...)
            hasRefused = true
            return false
        }
        if isEmpty {
            begun = now
            firstEventID = event.id
        }
        eventCount += 1
        lastEventID = event.id
        return true
    }

    /// The batch as it is sent, now and in every resend.
    /// - Parameter key: the idempotency key, random.
    package consuming func freeze(sink: String, key: ID128) -> FrozenBatch {
        let compressed = lines.count > Compressor.threshold ? Compressor.compress(lines, compression) : nil
        return FrozenBatch(
            sink: sink, key: key.description, body: compressed ?? lines,
            contentEncoding: compressed == nil ? nil : compression.rawValue, firstEventID: firstEventID,
            lastEventID: lastEventID, eventCount: eventCount)
    }
}
