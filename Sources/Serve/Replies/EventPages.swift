import API
import Model
import Store

/// Reads the answer to a query page by page: memory stays the same, however many events there are.
struct EventPages {
    private let store: EventStore
    private let filter: EventFilter
    private let order: EventQuery.Order
    private let pageEvents: Int
    private var after: Int64?
    private var before: Int64?
    private var left: Int?
    private(set) var isDone = false

    init(_ query: EventQuery, store: EventStore, pageEvents: Int) {
        self.store = store
        self.pageEvents = pageEvents
        filter = query.filter
        order = query.order
        after = query.after
        before = query.before
        left = query.limit
        isDone = query.limit == 0
    }

    /// The next events with the gaps between them, in order; empty when there was nothing in the part that was
    /// searched.
    /// - Throws: `StoreError`.
    mutating func next() async throws(StoreError) -> [GapPlacement.Item] {
        guard !isDone else { return [] }
        let limit = min(left ?? pageEvents, pageEvents)
        let page = try await store.events(
            matching: filter, after: after, before: before, order: order == .oldest ? .oldest : .newest, limit: limit)
        if let left { self.left = left - page.events.count }
        let isFull = left == 0
        var gaps: [GapRecord] = []
        if let ids = gapIDs(of: page, isFull: isFull) {
            gaps = try await store.gaps(behind: ids).filter { filter.concerns($0.gap) }
        }
        if order == .oldest { after = page.next } else { before = page.next }
        isDone = isFull || page.next == nil
        return GapPlacement.merge(page.events, gaps, ascending: order == .oldest)
    }

    private func gapIDs(of page: EventPage, isFull: Bool) -> ClosedRange<Int64>? {
        let first = after ?? 0
        let last = before.map { $0 - 1 } ?? Int64.max
        return switch order {
        case .oldest:
            GapPlacement.ids(
                ascendingFrom: first, through: page.events, next: page.next, isFull: isFull, end: last)
        case .newest:
            GapPlacement.ids(
                descendingFrom: last, through: page.events, next: page.next, isFull: isFull, start: first)
        }
    }
}
