/// How often something came, when, and where last.
struct UseSum: Sendable {
    var count: Int64 = 0
    /// 0 where it is not known, as for all of them.
    var firstTime: Int64 = 0
    var lastTime: Int64 = 0
    var lastEvent: Int64 = 0

    init() {}

    init(count: Int64, times: ClosedRange<Int64>, lastEvent: Int64) {
        self.count = count
        firstTime = times.lowerBound
        lastTime = times.upperBound
        self.lastEvent = lastEvent
    }

    /// From four columns that follow each other: seen, first_time, last_time, last_event.
    init(_ row: borrowing BareStatement, from column: Int32) {
        count = row.int64(column)
        firstTime = row.int64(column + 1)
        lastTime = row.int64(column + 2)
        lastEvent = row.int64(column + 3)
    }

    mutating func add(_ other: UseSum) {
        count += other.count
        if firstTime == 0 || (other.firstTime != 0 && other.firstTime < firstTime) { firstTime = other.firstTime }
        lastTime = max(lastTime, other.lastTime)
        lastEvent = max(lastEvent, other.lastEvent)
    }
}
