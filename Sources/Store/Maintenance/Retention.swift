internal import Model

/// Until when events are kept at a time: those of some sources longer or shorter than others.
package struct Retention: Sendable {
    /// Microseconds since 1970; events from before then are over. 0: none is.
    private let oldest: UInt64
    private let bySource: [ExactString: UInt64]

    init(maximumAge: Duration?, sources: [ExactString: SourceRetention], now: UInt64) {
        func time(_ age: Duration?) -> UInt64 { age.map { now - min(now, $0.wholeMicroseconds) } ?? 0 }
        oldest = time(maximumAge)
        bySource = sources.compactMapValues { $0.maximumAge.map(time) }
    }

    /// Events of a source from before then are not kept.
    package func oldest(of source: String) -> UInt64 { bySource[ExactString(source)] ?? oldest }

    /// Events from then on are kept, whosever they are.
    var latest: Int64 { Int64(clamping: max(oldest, bySource.values.max() ?? 0)) }

    func isOver(_ event: Event) -> Bool { event.realtimeMicroseconds < oldest(of: event.origin.source) }

    func isOver(_ entry: Entry) -> Bool {
        // Most are younger than whatever is kept, and their sources need not be asked.
        entry.realtimeMicroseconds < UInt64(latest) && entry.realtimeMicroseconds < oldest(of: entry.origin.source)
    }
}
