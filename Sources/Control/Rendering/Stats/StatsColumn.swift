import API

/// A column of what groups of events come to, behind those of their keys.
struct StatsColumn: Sendable {
    enum Value {
        case count(Int64)
        case number(Double)
        case time(WireTime)
    }

    /// The name in CSV.
    let name: String
    /// The heading for people; `nil` if only programs need the column.
    let heading: String?
    private let value: @Sendable (StatsRow) -> Value?

    private init(_ name: String, _ heading: String?, _ value: @escaping @Sendable (StatsRow) -> Value?) {
        (self.name, self.heading, self.value) = (name, heading, value)
    }

    static let usual = [
        StatsColumn("count", "count") { .count($0.count) },
        StatsColumn("first_seen", nil) { .time($0.firstSeen) },
        StatsColumn("last_seen", nil) { .time($0.lastSeen) },
        StatsColumn("per_second", "per second") { $0.perSecond.map(Value.number) },
    ]
    /// That of `--distinct`.
    static func distinct(of key: String) -> StatsColumn {
        StatsColumn("distinct", "distinct \(key)") { $0.distinct.map { .count(Int64($0)) } }
    }
    /// That of `--of` which says how many events have a number.
    static let numberCount = StatsColumn("numbers", "numbers") { ($0.numbers?.count).map(Value.count) }
    /// The others of `--of`.
    static let numbers = [
        StatsColumn("sum", nil) { $0.numbers?.sum.map(Value.number) },
        StatsColumn("min", "min") { $0.numbers?.min.map(Value.number) },
        StatsColumn("average", "avg") { $0.numbers?.average.map(Value.number) },
        StatsColumn("p50", "p50") { $0.numbers?.p50.map(Value.number) },
        StatsColumn("p90", "p90") { $0.numbers?.p90.map(Value.number) },
        StatsColumn("p95", "p95") { $0.numbers?.p95.map(Value.number) },
        StatsColumn("p99", "p99") { $0.numbers?.p99.map(Value.number) },
        StatsColumn("max", "max") { $0.numbers?.max.map(Value.number) },
    ]

    /// What a row has, with all digits and no more; `nil` if it has nothing.
    func exact(_ row: StatsRow) -> String? {
        switch value(row) {
        case .count(let count)?: String(count)
        case .number(let number)?:
            number == number.rounded() && abs(number) < 0x1p53 ? String(Int64(number)) : String(number)
        case .time(let time)?: time.description
        case nil: nil
        }
    }

    /// The same with as many digits as people need; empty if the row has nothing.
    func shown(_ row: StatsRow) -> String {
        switch value(row) {
        case .count(let count)?: Quantity.count(count)
        case .number(let number)?: StatsTable.short(number)
        case .time(let time)?: time.description
        case nil: ""
        }
    }
}
