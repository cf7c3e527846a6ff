/// How often something came, when, and where last.
struct UseSum: Sendable {
    var count: Int64 = 0
    /// 0 where it is not known, as for all of them.
    var firstTime: Int64 = 0
    var lastTime: Int64 = 0
    var lastEvent: Int64 = 0

    init() {}

    /// Added to a row, it leaves times and newest event as they are.
    static let nothing = UseSum(count: 0, first: .max, last: 0)

    private init(count: Int64, first: Int64, last: Int64) {
        self.count = count
        firstTime = first
        lastTime = last
    }

    init(count: Int64, times: ClosedRange<Int64>, lastEvent: Int64) {
        self.count = count
        firstTime = times.lowerBound
        lastTime = times.upperBound
        self.lastEvent = lastEvent
    }

    /// From four columns that follow each other: how many, last_event, first_time, last_time.
    init(_ row: borrowing BareStatement, from column: Int32) {
        count = row.int64(column)
        lastEvent = row.int64(column + 1)
        firstTime = row.int64(column + 2)
        lastTime = row.int64(column + 3)
    }

    /// To four parameters in that order.
    func bind(to statement: borrowing BareStatement, from index: Int32) throws {
        try statement.bind(index, count)
        try statement.bind(index + 1, lastEvent)
        try statement.bind(index + 2, firstTime)
        try statement.bind(index + 3, lastTime)
    }

    mutating func add(_ other: UseSum) {
        count += other.count
        if firstTime == 0 || (other.firstTime != 0 && other.firstTime < firstTime) { firstTime = other.firstTime }
        lastTime = max(lastTime, other.lastTime)
        lastEvent = max(lastEvent, other.lastEvent)
    }
}
