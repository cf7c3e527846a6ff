import Forward
import Model
@testable import Store
import Synchronization

/// A store in memory that fails on request. It outlives sinks, so that a second sink on it is one after a crash.
final class MemoryStore: SinkStore {
    enum Operation: Hashable { case events, frozenBatch, freeze, complete, pass, discard }

    private struct State {
        var events: [Event] = []
        var frozen: FrozenBatch?
        var record = SinkRecord(name: "upstream", position: 0)
        var failures: [Operation: [StoreError]] = [:]
        var calls: [Operation: Int] = [:]
    }

    private let state = Mutex(State())
    let feed = EventFeed()
    let removalFeed = EventFeed()

    /// Called when a batch has been frozen, before the call returns.
    var onFreeze: (@Sendable () async -> Void)? {
        get { hook.withLock(\.self) }
        set { hook.withLock { $0 = newValue } }
    }
    private let hook = Mutex<(@Sendable () async -> Void)?>(nil)
    /// How many events a page examines.
    private let pageEvents: Int

    init(_ events: [Event] = [], pageEvents: Int = .max) {
        self.pageEvents = pageEvents
        append(events)
    }

    func append(_ events: [Event]) {
        let latest = state.withLock { state in
            state.events += events
            return state.events.last?.id ?? 0
        }
        feed.publish(latest)
    }

    /// As retention does when the store is full of what a sink has not had.
    func removeAllEvents() {
        state.withLock { $0.events = [] }
    }

    func fail(_ operation: Operation, _ kinds: StoreError.Kind...) {
        let errors = kinds.map { StoreError(kind: $0, description: "set to fail: \($0)") }
        state.withLock { $0.failures[operation, default: []] += errors }
    }

    var record: SinkRecord { state.withLock { $0.record } }
    var frozen: FrozenBatch? { state.withLock { $0.frozen } }
    func calls(_ operation: Operation) -> Int { state.withLock { $0.calls[operation] ?? 0 } }

    private func begin(_ operation: Operation, _ state: inout State) throws(StoreError) {
        state.calls[operation, default: 0] += 1
        if state.failures[operation]?.isEmpty == false, let error = state.failures[operation]?.removeFirst() {
            throw error
        }
    }

    func events(
        matching predicate: Predicate, after: Int64?, before: Int64?, limit: Int, on lane: ReadLane
    ) async throws(StoreError) -> EventPage {
        try state.withLock { (state) throws(StoreError) in
            try begin(.events, &state)
            // Ids ascend, so the place is found by halving.
            var low = 0
            var high = state.events.count
            while low < high {
                let middle = (low + high) / 2
                if state.events[middle].id <= after ?? 0 { low = middle + 1 } else { high = middle }
            }
            var wanted = state.events[low...].prefix(pageEvents)
            let examined = wanted.last?.id
            let isCut = examined != state.events.last?.id
            if case .number(.id, let ids) = predicate { wanted = wanted.filter { ids.contains($0.id) }[...] }
            let page = Array(wanted.prefix(limit))
            return EventPage(
                events: page,
                PageEnd(
                    next: page.count < wanted.count ? page.last?.id : isCut ? examined : nil,
                    newestEventID: state.events.last?.id ?? 0))
        }
    }

    func frozenBatch(ofSink name: String) async throws(StoreError) -> FrozenBatch? {
        try state.withLock { (state) throws(StoreError) in
            try begin(.frozenBatch, &state)
            return state.frozen
        }
    }

    func freeze(_ batch: FrozenBatch) async throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            try begin(.freeze, &state)
            state.frozen = batch
        }
        await onFreeze?()
    }

    func discard(_ batch: FrozenBatch) async throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            try begin(.discard, &state)
            if state.frozen?.key == batch.key { state.frozen = nil }
        }
    }

    func pass(_ name: String, to position: Int64) async throws(StoreError) -> SinkRecord {
        try state.withLock { (state) throws(StoreError) in
            try begin(.pass, &state)
            state.record.position = max(state.record.position, position)
            return state.record
        }
    }

    func complete(_ batch: FrozenBatch, at now: UInt64) async throws(StoreError) -> SinkRecord {
        try state.withLock { (state) throws(StoreError) in
            try begin(.complete, &state)
            state.frozen = nil
            state.record.position = batch.lastEventID
            state.record.deliveredEvents += Int64(batch.eventCount)
            state.record.deliveredBatches += 1
            state.record.lastSuccessMicroseconds = now
            return state.record
        }
    }
}
