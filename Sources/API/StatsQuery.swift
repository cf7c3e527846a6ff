package import Model

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

    /// The most groups that may be asked for.
    package var mostTop: Int {
        measure == nil && distinct == nil ? Self.maximumTop : Self.maximumTopWithNumbers
    }
}

extension StatsQuery: APIQuery {
    package static let fields: [QueryField<Self>] = withFilter(
        { $1(&$0.filter) },
        [
            .list(
                "by", { $1(&$0.keys) }, .text("a key"),
                """
                A key to group events by: one of predicates (docs/predicates.md), or minute, hour, day, week, month; at \
                most \(GroupKey.most). Without one, all events are one group
                """, example: "event"),
            .value(
                "top", { $1(&$0.top) }, .number(0...maximumTop), "The maximum number of groups; \(usualTop) by default",
                example: 10),
            .optional(
                "of", { $1(&$0.measure) }, .text("a parameter"),
                "A parameter whose numbers are summed up for each group",
                example: "payload.position"),
            .optional(
                "distinct", { $1(&$0.distinct) }, .text("a key"),
                "A key whose distinct values are counted in each group",
                example: "payload.recipe_id"),
            .value(
                "trend", { $1(&$0.trend) }, .number(0...maximumTrend),
                "Into how many parts of equal length the range is divided for counts over time", example: 24),
            .value(
                "histogram", { $1(&$0.histogram) }, .number(0...maximumHistogram),
                "Into at most how many ranges with round bounds the numbers of a group are divided; only with of",
                example: 20),
            .value(
                "none", { $1(&$0.hasNone) }, .flag,
                "Whether events without a value for one of the keys are in groups; true by default", example: "false"),
            .value(
                "zone", { $1(&$0.zone) }, .choice,
                "The clock of minute, hour, day, week and month: utc, or local for that of the daemon", example: "utc"),
        ])

    package func check(_ given: [String]) throws(QueryError) {
        if keys.count > GroupKey.most {
            throw QueryError(
                parameter: "by", description: "may be given at most \(GroupKey.most) times", isUnprocessable: true)
        }
        if top > mostTop {
            throw QueryError(
                parameter: "top", description: "may be at most \(Self.maximumTopWithNumbers) with of or distinct",
                isUnprocessable: true)
        }
        if histogram > 0, measure == nil {
            throw QueryError(
                parameter: "histogram", description: "goes with of, whose numbers it divides", isUnprocessable: true)
        }
    }
}
