import API
package import Model

/// Collects events as NDJSON lines until a batch is full. Its limits are `maximumBatchEvents`, `maximumBatchBytes` (of
/// the uncompressed lines) and `maximumBatchAge` (since its first event was added), whichever is reached first.
package struct BatchBuilder: Sendable {
    private let maximumEvents: Int
    private let maximumBytes: Int
    private let maximumAge: Duration
    private let compression: SinkOptions.Compression

    private var lines: [UInt8] = []
    private var repeated = RepeatedMembers()
    /// The ids of its events, in their order.
    package private(set) var ids: [Int64] = []
    /// When the first event was added.
    private(set) var begun: Duration?
    /// Whether an event was refused because it did not fit.
    private var hasRefused = false

    package init(_ options: SinkOptions) {
        maximumEvents = max(options.maximumBatchEvents, 1)
        maximumBytes = max(options.maximumBatchBytes, 1)
        maximumAge = options.maximumBatchAge
        compression = options.compression
    }

    package var isEmpty: Bool { ids.isEmpty }
    /// Whether no more events can be added.
    package var isFull: Bool { ids.count >= maximumEvents || lines.count >= maximumBytes || hasRefused }
    /// The number of events that can still be added, without regard to their size.
    package var room: Int { max(maximumEvents - ids.count, 0) }
    /// When the batch is due even if it is not full; `nil` while it is empty.
    package var due: Duration? { begun.map { $0 + maximumAge } }

    package func isClosed(at now: Duration) -> Bool {
        isFull || due.map { $0 <= now } ?? false
    }

    /// Adds the event's line. An event that is larger than the limit of a whole batch is added only to an empty batch:
    /// it must be delivered too.
    /// - Parameter now: the time, from the clock that is also used for `isClosed(at:)`.
    /// - Returns: `false` when the event does not fit any more; then it belongs to the next batch.
    package mutating func add(_ event: Event, at now: Duration) -> Bool {
        guard !isFull else { return false }
        let end = lines.count
        EventLine.append(event, to: &lines, &repeated)
        guard isEmpty || lines.count <= maximumBytes else {
            lines.removeSubrange(end...)
            repeated = RepeatedMembers()
            hasRefused = true
            return false
        }
        if isEmpty { begun = now }
        ids.append(event.id)
        return true
    }

    /// Returns the batch as it is sent now and in every resend.
    /// - Parameter key: the idempotency key, which is random.
    package consuming func freeze(sink: String, key: ID128) -> FrozenBatch {
        let compressed = lines.count > Compressor.threshold ? Compressor.compress(lines, compression) : nil
        return FrozenBatch(
            sink: sink, key: key.description, body: compressed ?? lines,
            contentEncoding: compressed == nil ? nil : compression.rawValue, firstEventID: ids.first ?? 0,
            lastEventID: ids.last ?? 0, eventCount: ids.count)
    }
}
