import API

/// How far the events of a range were printed, so that the rest can be asked for.
struct RangePlace: Sendable {
    private let query: EventQuery
    /// The id of the last event.
    private var last: Int64?
    /// The number of events up to it.
    private(set) var events = 0

    init(_ query: EventQuery) { self.query = query }

    /// - Parameters:
    ///   - id: of the last event that was printed, or left out for good.
    ///   - events: how many there are that were not counted yet.
    mutating func move(to id: Int64, events: Int) {
        last = last.map { query.order == .oldest ? max($0, id) : min($0, id) } ?? id
        self.events += events
    }

    /// The query of what comes behind the place; `nil` if it cannot be asked for: nothing was printed yet, or the events are in the
    /// order of time.
    var rest: EventQuery? {
        guard let last, !query.isByTime else { return nil }
        var rest = query
        if query.order == .oldest { rest.after = last } else { rest.before = last }
        rest.limit = query.limit.map { max(0, $0 - events) }
        return rest
    }
}
