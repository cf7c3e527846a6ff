/// How often something occurred, when, and the last event that it occurred in.
struct Occurrences: Sendable, Equatable {
    var count: Int64
    /// The earliest and the latest time, in microseconds since 1970.
    var times: ClosedRange<Int64>
    var lastEvent: Int64

    /// Returns a copy with `lastEvent` shifted by a distance.
    func moved(by distance: Int64) -> Occurrences {
        Occurrences(count: count, times: times, lastEvent: lastEvent + distance)
    }

    /// Binds four consecutive parameters: count, last_event, first_time, last_time.
    func bind(to statement: borrowing BareStatement, from index: Int32) throws {
        try statement.bind(index, count)
        try statement.bind(index + 1, lastEvent)
        try statement.bind(index + 2, times.lowerBound)
        try statement.bind(index + 3, times.upperBound)
    }

    @inline(__always)
    mutating func add(_ event: Int64, at time: Int64) {
        count += 1
        times = min(times.lowerBound, time)...max(times.upperBound, time)
        lastEvent = max(lastEvent, event)
    }

    mutating func add(_ other: Occurrences) {
        count += other.count
        times = min(times.lowerBound, other.times.lowerBound)...max(times.upperBound, other.times.upperBound)
        lastEvent = max(lastEvent, other.lastEvent)
    }
}

extension Occurrences {
    /// Reads four consecutive columns: the count, last_event, first_time, last_time.
    init(_ row: borrowing BareStatement, from column: Int32) {
        // Damaged times must not end the daemon.
        self.init(
            count: row.count(column),
            times: min(row.int64(column + 2), row.int64(column + 3))...row.int64(column + 3),
            lastEvent: row.int64(column + 1))
    }

    init(of event: Int64, at time: Int64) { self.init(count: 1, times: time...time, lastEvent: event) }
}

extension [Int64: Occurrences] {
    mutating func add(_ more: Occurrences, to key: Int64) {
        if self[key]?.add(more) == nil { self[key] = more }
    }
}
