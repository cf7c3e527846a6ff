extension Violation {
    /// What the definition asks for, such as `bigint` or `at most 64 bytes`.
    package var expected: String {
        switch fault {
        case .missing(let type, _), .type(let type, _), .number(let type, _), .time(let type): return type.text
        case .unknownParameter: return "no such parameter"
        case .integer(let type, let allowed, _): return "\(type), \(allowed.lowerBound) to \(allowed.upperBound)"
        case .length(let maximum, _): return "at most \(maximum) bytes"
        case .value(let allowed, let hasMore, _):
            return "one of \(allowed.map(\.text).joined(separator: ", "))\(hasMore ? ", …" : "")"
        }
    }

    /// What the payload has, such as `string` or `70 bytes`.
    package var found: String {
        switch fault {
        case .missing(_, let found): found?.rawValue ?? "nothing"
        case .unknownParameter(let found), .type(_, let found), .value(_, _, let found): found.rawValue
        case .integer(_, _, .smaller): "smaller integer"
        case .integer(_, _, .larger): "larger integer"
        case .integer(_, _, .unknown), .number: "number beyond its range"
        case .time: "day or time that does not exist"
        case .length(_, let found): "\(found) bytes"
        }
    }
}
