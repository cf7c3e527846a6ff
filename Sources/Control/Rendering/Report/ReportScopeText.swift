import API
import Model

/// The numbers of events by resolution.
struct EventSums {
    private let counts: [String: Int64]

    init(_ counts: [String: Int64]) {
        self.counts = counts
    }

    subscript(resolution: String) -> Int64 { counts[resolution] ?? 0 }

    var total: Int64 { counts.values.reduce(0, +) }

    /// The events for which a definition was looked up.
    var keyed: Int64 { [Resolution.resolved, .violating, .undefined].reduce(0) { $0 + self[$1.rawValue] } }

    /// `118 resolved, 2 undefined`
    var parts: String {
        Resolution.allCases.filter { self[$0.rawValue] > 0 }.map { resolution in
            "\(Quantity.count(self[resolution.rawValue])) \(resolution.rawValue)"
        }.joined(separator: ", ")
    }

    /// `120 events: 118 resolved, 2 undefined`
    var text: String { parts.isEmpty ? "no events" : "\(Quantity.count(total, "event")): \(parts)" }
}

/// Describes what a report was made from.
struct ReportScopeText {
    fileprivate let scope: ReportScope

    /// All parts, one line each.
    func lines(_ zone: Zone) -> [String] {
        ["examined \(EventSums(scope.events).text)"] + unknown + missing(zone)
    }

    /// The options with names that nothing has.
    var unknown: [String] { unknownNames.map { "--\($0)" } }

    /// The names in the query that nothing has.
    var unknownNames: [String] {
        (scope.unknown ?? []).map { name in
            let what = name.parameter == "event" ? "no definition has this name" : "no event ever had it"
            return SafeText.neutralised("\(name.parameter) \(name.value): \(what)")
        }
    }

    /// What is missing in the range.
    func missing(_ zone: Zone) -> [String] {
        let gaps = (scope.gaps ?? []).map { gap in
            let records = Quantity.count(gap.records, "gap")
            return "\(records) in the range, \(GapText.cause(gap.cause)), \(Self.count(gap)): see glossctl gaps"
        }
        return gaps
            + (scope.storedSince.map { time in
                [
                    "retention removed events of the range before \(CivilTime.text(time.microseconds, zone, decimals: 0))"
                ]
            } ?? [])
    }

    /// `3,210 entries missing`, `at most 12 entries missing`, or both, and whether there may be more.
    private static func count(_ gap: ReportScope.Gaps) -> String {
        let uncounted = gap.uncounted ?? 0
        guard uncounted < gap.records else { return "the number of missing entries is not known" }
        let exact = "\(Quantity.count(gap.missing, "entry", plural: "entries")) missing"
        let parts =
            switch (gap.missing, gap.atMost) {
            case (_, nil): [exact]
            case (0, let most?): ["at most \(Quantity.count(most, "entry", plural: "entries")) missing"]
            case (_, let most?): [exact, "\(GapText.atMost(most)) more"]
            }
        let unknown = uncounted > 0 ? ["for \(Quantity.count(uncounted)) of them the number is not known"] : []
        return (parts + unknown).joined(separator: ", and ")
    }
}

extension ReportScope {
    var texts: ReportScopeText { ReportScopeText(scope: self) }
}

extension Sequence<String> {
    /// Removes repeated lines.
    func uniqued() -> [String] {
        var seen: Set<ExactString> = []
        return filter { seen.insert(ExactString($0)).inserted }
    }
}
