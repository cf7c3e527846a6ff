import Model

/// The batch that a sink collects events for, and how far events were examined for it. Both stay when settings or
/// dictionaries change: the events of the batch are read again, and what was passed over stays passed over.
struct OpenBatch {
    private(set) var builder: BatchBuilder
    /// The last event that was examined by what is in force.
    private(set) var position: Int64
    /// The wake-up (`Sink.wakes`) with which that came into force.
    private(set) var wake: Int64 = -1
    /// The last event that was examined by what was in force before. Up to this one, only `selected` events are wanted.
    private var examined: Int64
    private var selected: Set<Int64> = []
    /// When the batch with the selected events was begun.
    private var begun: Duration?

    init(_ options: SinkOptions, after position: Int64) {
        builder = BatchBuilder(options)
        self.position = position
        examined = position
    }

    /// Begins to read the events of the batch again.
    /// - Parameter delivered: the sink's position in the store.
    mutating func restart(_ options: SinkOptions, after delivered: Int64, wake: Int64) {
        selected = Set(builder.ids).union(selected.filter { $0 > position })
        examined = max(examined, position)
        begun = builder.begun ?? begun
        position = max(delivered, selected.min().map { $0 - 1 } ?? examined)
        builder = BatchBuilder(options)
        self.wake = wake
    }

    /// Whether an event was passed over before.
    func hasPassedOver(_ id: Int64) -> Bool { id <= examined && !selected.contains(id) }

    /// - Returns: `false` when the event does not fit any more; then it belongs to the next batch.
    mutating func add(_ event: Event, at now: Duration) -> Bool {
        // An event that is read again has waited since it was read first.
        let added = event.id <= examined ? begun ?? now : now
        guard builder.add(event, at: added) else { return false }
        position = event.id
        return true
    }

    /// Notes that all events up to this one were examined.
    mutating func examine(through id: Int64) { position = max(position, id) }

    /// Returns the batch. Delivering it also passes over the events between and after its own that were examined.
    func freeze(sink: String, key: ID128) -> FrozenBatch {
        var batch = builder.freeze(sink: sink, key: key)
        batch.lastEventID = position
        return batch
    }

    /// Begins the next batch.
    mutating func next(_ options: SinkOptions) { builder = BatchBuilder(options) }
}
