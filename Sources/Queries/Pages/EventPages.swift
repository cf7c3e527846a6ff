package import API
package import Model
import Store

/// Reads the reply to a query page by page, in constant memory.
package struct EventPages: Sendable {
    private enum Kind {
        case arrival(ArrivalPages)
        case time(NewestPages)
    }

    private var kind: Kind

    /// - Parameters:
    ///   - predicate: what the query's filter means.
    ///   - last: the newest id that the reply may have, for queries without one.
    package init(_ query: EventQuery, matching predicate: Predicate, upTo last: Int64, from source: EventSource) {
        kind =
            query.isByTime
            ? .time(NewestPages(query, matching: predicate, upTo: last, from: source))
            : .arrival(ArrivalPages(query, matching: predicate, from: source))
    }

    package var isDone: Bool {
        switch kind {
        case .arrival(let pages): pages.isDone
        case .time(let pages): pages.isDone
        }
    }

    /// Returns the next events with the gaps between them, in order; empty when the part that was searched had none.
    /// - Throws: `StoreError`; `CancellationError`.
    package mutating func next() async throws -> ReplyPage {
        switch kind {
        case .arrival(var pages):
            defer { kind = .arrival(pages) }
            return try await pages.next()
        case .time(var pages):
            defer { kind = .time(pages) }
            return try await pages.next()
        }
    }
}

/// Reads events page by page in the order of arrival.
struct ArrivalPages: Sendable {
    private var source: EventSource
    private let predicate: Predicate
    private let order: EventQuery.Order
    private var after: Int64?
    private var before: Int64?
    private var left: Int?
    /// The ids whose gaps were not returned yet.
    private var gaps: ClosedRange<Int64>?
    private(set) var isDone = false

    init(_ query: EventQuery, matching predicate: Predicate, from source: EventSource) {
        self.source = source
        self.predicate = predicate
        order = query.order
        after = query.after
        before = query.before
        left = query.limit
        isDone = query.limit == 0
        let (first, last) = (query.after ?? 0, query.before.map { $0 - 1 } ?? Int64.max)
        gaps = first <= last ? first...last : nil
    }

    /// Returns the next events with the gaps between them, in order; empty when the part that was searched had none.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func next() async throws -> ReplyPage {
        guard !isDone else { return ReplyPage() }
        var (lines, end) = try await source.lines(
            matching: predicate, after: after, before: before, order: order == .oldest ? .oldest : .newest, limit: left)
        if let left { self.left = left - lines.count }
        let isFull = left == 0
        if order == .oldest { after = end.next } else { before = end.next }
        isDone = isDone || isFull || end.next == nil
        var records: [GapRecord] = []
        if let ids = takeGaps(through: lines.lastID, next: end.next, isFull: isFull) {
            records = try await source.store.gaps(behind: ids).filter { predicate.concerns($0.gap) }
        }
        return try lines.takePage(with: records, isAscending: order == .oldest, share: source.handOverShare())
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

/// Decides which gaps belong to a page of events.
///
/// A gap follows one event, so a page owns the gaps after a range of ids. If a result ends because it has the requested number of
/// events, the gaps after the last one belong to the next request: paging with `after` or `before` shows each gap once.
struct GapPlacement {
    /// Returns the ids whose gaps the page owns; `nil` when there are none.
    /// - Parameter event: the last event of the page.
    static func ids(
        ascendingFrom start: Int64, through event: Int64?, next: Int64?, isFull: Bool, end: Int64
    ) -> ClosedRange<Int64>? {
        let last: Int64 =
            if isFull, let event {
                event - 1
            } else if let next {
                next - 1
            } else {
                end
            }
        return start <= last ? start...last : nil
    }

    /// The same for a page that goes down from `end`.
    static func ids(
        descendingFrom end: Int64, through event: Int64?, next: Int64?, isFull: Bool, start: Int64
    ) -> ClosedRange<Int64>? {
        let first: Int64 =
            if isFull, let event {
                event
            } else if let next {
                next
            } else {
                start
            }
        return first <= end ? first...end : nil
    }
}
