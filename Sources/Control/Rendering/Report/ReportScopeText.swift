import API
import Model

/// How many events there are, by resolution.
struct EventSums {
    private let counts: [String: Int64]

    init(_ counts: [String: Int64]) {
        self.counts = counts
    }

    subscript(resolution: String) -> Int64 { counts[resolution] ?? 0 }

    var total: Int64 { counts.values.reduce(0, +) }

    /// Those of which a definition was looked up.
    var keyed: Int64 { [Resolution.resolved, .violating, .undefined].reduce(0) { $0 + self[$1.rawValue] } }

    /// `120 events: 118 resolved, 2 undefined`
    var text: String {
        let parts = Resolution.allCases.filter { self[$0.rawValue] > 0 }.map { resolution in
            "\(Quantity.count(self[resolution.rawValue])) \(resolution.rawValue)"
        }
        return parts.isEmpty ? "no events" : "\(Quantity.count(total, "event")): \(parts.joined(separator: ", "))"
    }
}

/// Says what a report was made from.
struct ReportScopeText {
    fileprivate let scope: ReportScope

    /// All of it, a line each.
    func lines(_ zone: Zone) -> [String] {
        ["looked at \(EventSums(scope.events).text)"] + unknown + missing(zone)
    }

    /// The names that nothing has.
    var unknown: [String] {
        (scope.unknown ?? []).map { name in
            let what = name.parameter == "event" ? "no definition has this name" : "no event ever had it"
            return SafeText.neutralised("--\(name.parameter) \(name.value): \(what)")
        }
    }

    /// What the range lacks.
    func missing(_ zone: Zone) -> [String] {
        let gaps = (scope.gaps ?? []).map { gap in
            let records = Quantity.count(gap.records, "gap")
            let entries = "at most \(Quantity.count(gap.missing, "entry", plural: "entries")) missing"
            let count =
                switch gap.uncounted ?? 0 {
                case 0: entries
                case gap.records: "how many entries are missing is not known"
                case let some: "\(entries), and in \(Quantity.count(some)) of them more"
                }
            return "\(records) in the range, \(GapText.cause(gap.cause)), \(count): see glossctl gaps"
        }
        return gaps
            + (scope.storedSince.map { time in
                [
                    "retention removed events of the range from before \(CivilTime.text(time.microseconds, zone, decimals: 0))"
                ]
            } ?? [])
    }
}

extension ReportScope {
    var texts: ReportScopeText { ReportScopeText(scope: self) }
}

extension Sequence where Element: Hashable {
    /// Each once, where it comes first.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
