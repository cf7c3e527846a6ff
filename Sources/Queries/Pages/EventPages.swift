package import API
package import Model

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
