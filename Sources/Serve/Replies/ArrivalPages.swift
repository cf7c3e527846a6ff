import API
import Model
import Store

/// Reads events in the order of arrival, page by page.
struct ArrivalPages: Sendable {
    private var source: EventSource
    private let filter: EventFilter
    private let order: EventQuery.Order
    private var after: Int64?
    private var before: Int64?
    private var left: Int?
    /// The ids whose gaps were not given yet.
    private var gaps: ClosedRange<Int64>?
    private(set) var isDone = false

    init(_ query: EventQuery, from source: EventSource) {
        self.source = source
        filter = query.filter
        order = query.order
        after = query.after
        before = query.before
        left = query.limit
        isDone = query.limit == 0
        let (first, last) = (query.after ?? 0, query.before.map { $0 - 1 } ?? Int64.max)
        gaps = first <= last ? first...last : nil
    }

    /// The next events with the gaps between them, in order; empty when there was nothing in the part that was
    /// searched.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func next() async throws -> ReplyPage {
        guard !isDone else { return ReplyPage() }
        let (lines, end) = try await source.lines(
            matching: filter, after: after, before: before, order: order == .oldest ? .oldest : .newest, limit: left)
        if let left { self.left = left - lines.count }
        let isFull = left == 0
        if order == .oldest { after = end.next } else { before = end.next }
        isDone = isDone || isFull || end.next == nil
        var records: [GapRecord] = []
        if let ids = takeGaps(through: lines.lastID, next: end.next, isFull: isFull) {
            records = try await source.store.gaps(behind: ids).filter { filter.concerns($0.gap) }
        }
        return lines.page(with: records, isAscending: order == .oldest, share: source.takeShare())
    }

    private mutating func takeGaps(through event: Int64?, next: Int64?, isFull: Bool) -> ClosedRange<Int64>? {
        guard let left = gaps else { return nil }
        let ids =
            switch order {
            case .oldest:
                GapPlacement.ids(
                    ascendingFrom: left.lowerBound, through: event, next: next, isFull: isFull,
                    end: left.upperBound)
            case .newest:
                GapPlacement.ids(
                    descendingFrom: left.upperBound, through: event, next: next, isFull: isFull,
                    start: left.lowerBound)
            }
        guard let ids else { return nil }
        switch order {
        case .oldest: gaps = ids.upperBound < left.upperBound ? ids.upperBound + 1...left.upperBound : nil
        case .newest: gaps = left.lowerBound < ids.lowerBound ? left.lowerBound...ids.lowerBound - 1 : nil
        }
        return ids
    }
}
