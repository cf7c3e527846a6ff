internal import Model

extension AlertRule.Condition {
    /// How far back events matter; `nil` for ever.
    var reach: Duration? {
        switch self {
        case .count(_, let within), .distinct(_, _, let within): within
        case .growth(_, _, let within): within * 2
        case .absent(let time): time
        case .first: nil
        }
    }

    /// How many there have to be at least; `nil` if they are not counted.
    var least: Int? {
        switch self {
        case .count(let least, _), .distinct(_, let least, _), .growth(_, let least, _): least
        case .absent, .first: nil
        }
    }

    /// The length of the time in which events are counted, in microseconds; `nil` if they are not.
    var within: Int64? {
        switch self {
        case .count(_, let within), .distinct(_, _, let within), .growth(_, _, let within):
            Int64(clamping: within.wholeMicroseconds)
        case .absent, .first: nil
        }
    }
}
