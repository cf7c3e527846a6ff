import API
import Model
import Store

/// Reads the answer to a query page by page: memory stays the same, however many events there are.
struct EventPages: Sendable {
    private enum Kind {
        case arrival(ArrivalPages)
        case time(NewestPages)
    }

    private var kind: Kind

    /// - Parameter last: only events up to this id, which is stored, where the query does not say it.
    init(_ query: EventQuery, upTo last: Int64, from source: EventSource) {
        kind =
            query.isByTime
            ? .time(NewestPages(query, upTo: last, from: source))
            : .arrival(ArrivalPages(query, from: source))
    }

    var isDone: Bool {
        switch kind {
        case .arrival(let pages): pages.isDone
        case .time(let pages): pages.isDone
        }
    }

    /// The next events with the gaps between them, in order; empty when there was nothing in the part that was
    /// searched.
    /// - Throws: `StoreError`; `CancellationError`.
    mutating func next() async throws -> ReplyPage {
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
