import Model

/// Conditions that tests and the oracle state by kind. An event must meet all that are set; of a list, it must meet one.
struct SimpleFilter: Hashable {
    /// Patterns of `*` and `?`.
    @Exact var subsystems: [String] = []
    @Exact var categories: [String] = []
    @Exact var events: [String] = []
    /// The least severe level.
    var level: Level?
    /// Microseconds since 1970, inclusive.
    var sinceMicroseconds: UInt64?
    var untilMicroseconds: UInt64?
    var programSinceMicroseconds: UInt64?
    var programUntilMicroseconds: UInt64?
    var boots: [ID128] = []
    @Exact var units: [String] = []
    @Exact var identifiers: [String] = []
    @Exact var hosts: [String] = []
    var pids: [Int32] = []
    var resolutions: [Resolution] = []
    var parameters: [ParameterCondition] = []
    @Exact var grep: String?

    /// A parameter with one of the names has one of the values.
    struct ParameterCondition: Hashable {
        var names: Set<ExactString>
        var values: Set<ExactString>
    }

    var predicate: Predicate {
        var whole = Predicate.everything
        func add(_ key: Predicate.TextKey, _ patterns: [String]) {
            guard !patterns.isEmpty else { return }
            whole = whole.and(.any(TextTest.like(patterns).map { .text(key, $0) }))
        }
        func add(_ key: Predicate.NumberKey, _ first: UInt64?, _ last: UInt64?) {
            guard first != nil || last != nil else { return }
            let (first, last) = (Int64(clamping: first ?? 0), Int64(clamping: last ?? .max))
            whole = whole.and(first <= last ? .number(key, first...last) : .nothing)
        }
        add(.sender(.subsystem), subsystems)
        add(.sender(.category), categories)
        add(.event, events)
        add(.level, level.map { _ in 0 }, level.map { UInt64($0.rawValue) })
        add(.time, sinceMicroseconds, untilMicroseconds)
        add(.programTime, programSinceMicroseconds, programUntilMicroseconds)
        add(.boot, boots.map(\.description))
        add(.sender(.unit), units)
        add(.sender(.identifier), identifiers)
        add(.sender(.host), hosts)
        if !pids.isEmpty { whole = whole.and(.any(pids.map { .number(.pid, Int64($0)...Int64($0)) })) }
        if !resolutions.isEmpty { whole = whole.and(.resolved(as: resolutions)) }
        for condition in parameters {
            whole = whole.and(.parameter(Predicate.ParameterPath(names: condition.names), .among(condition.values)))
        }
        if let grep { whole = whole.and(.message(TextTest(grep: grep))) }
        return whole
    }
}
