package import Model
import Predicates

/// The query of `GET /v1/stats`, with the filters of `GET /v1/events`.
package struct StatsQuery: Sendable, Hashable {
    package static let usualTop = 100
    package static let maximumTop = 1000
    /// With numbers or distinct values, which take memory for each group.
    package static let maximumTopWithNumbers = 200
    package static let maximumTrend = 200
    package static let maximumHistogram = 100

    package enum ZoneName: String, Sendable, CaseIterable { case utc, local }

    package var filter = EventFilter()
    /// The keys that events are grouped by.
    package var keys: [String] = []
    /// The most groups.
    package var top = usualTop
    /// A parameter whose numbers are summed up.
    @Exact package var measure: String?
    /// A key whose distinct values are counted.
    @Exact package var distinct: String?
    /// Into how many parts the range is divided for counts over time.
    package var trend = 0
    /// Into at most how many ranges the numbers of a group are divided.
    package var histogram = 0
    /// Whether events without a value for one of the keys are in groups, too.
    package var hasNone = true
    /// Whose clock parts of time go by.
    package var zone = ZoneName.utc

    package init() {}

    /// The parameters beside the filter.
    enum Name: String, CaseIterable { case by, top, of, distinct, trend, histogram, none, zone }

    package static let parameterNames = FilterParameter.allCases.map(\.name) + Name.allCases.map(\.rawValue)

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value. What keys and the
    ///   filter's values mean is found out later.
    package init(urlQuery: String?) throws(QueryError) {
        self.init()
        let lists = QueryItems.lists.union([ExactString(Name.by.rawValue)])
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: lists) {
            if let parameter = FilterParameter(rawValue: name) {
                filter.add(value, to: parameter)
            } else if let name = Name(rawValue: name) {
                try set(name, to: value)
            }
        }
        try check()
    }

    /// The most groups that may be asked for.
    package var mostTop: Int {
        measure == nil && distinct == nil ? Self.maximumTop : Self.maximumTopWithNumbers
    }

    private func check() throws(QueryError) {
        if top > mostTop {
            throw QueryError(
                parameter: Name.top.rawValue,
                description: "may be at most \(Self.maximumTopWithNumbers) with of or distinct", isUnprocessable: true)
        }
        if histogram > 0, measure == nil {
            throw QueryError(
                parameter: Name.histogram.rawValue, description: "goes with of, whose numbers it divides",
                isUnprocessable: true)
        }
    }

    private mutating func set(_ name: Name, to value: String) throws(QueryError) {
        func number(_ most: Int) throws(QueryError) -> Int {
            try QueryItems.number(value, of: name.rawValue, in: 0...most)
        }
        func text(_ allowed: String) throws(QueryError) -> String {
            try QueryItems.text(value, of: name.rawValue, allowed)
        }
        switch name {
        case .by:
            let key = try text("a key")
            guard keys.count < GroupKey.most else {
                throw QueryError(
                    parameter: name.rawValue, description: "may be given at most \(GroupKey.most) times",
                    isUnprocessable: true)
            }
            keys.append(key)
        case .top: top = try number(Self.maximumTop)
        case .of: measure = try text("a parameter")
        case .distinct: distinct = try text("a key")
        case .trend: trend = try number(Self.maximumTrend)
        case .histogram: histogram = try number(Self.maximumHistogram)
        case .none: hasNone = try QueryItems.flag(value, of: name.rawValue)
        case .zone: zone = try QueryItems.choice(value, of: name.rawValue)
        }
    }

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
    package var parameters: [(name: String, value: String)] {
        let defaults = StatsQuery()
        var parameters = filter.items + keys.map { (Name.by.rawValue, $0) }
        func add(_ name: Name, _ value: String?) {
            if let value { parameters.append((name.rawValue, value)) }
        }
        add(.top, top == defaults.top ? nil : String(top))
        add(.of, measure)
        add(.distinct, distinct)
        add(.trend, trend == 0 ? nil : String(trend))
        add(.histogram, histogram == 0 ? nil : String(histogram))
        add(.none, hasNone ? nil : "false")
        add(.zone, zone == defaults.zone ? nil : zone.rawValue)
        return parameters
    }
}
