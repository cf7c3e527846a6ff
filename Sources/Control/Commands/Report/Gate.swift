import API
import Model

/// Decides whether reports let a build pass. It fails closed: if events were not examined, or the result is unknown,
/// the build does not pass.
struct Gate {
    let options: GateOptions
    let zone: Zone

    /// The reasons why it is closed, one sentence each; empty if it is open.
    /// - Parameters:
    ///   - tables: the reports of `--fail-on`.
    ///   - anyEvent: with `--event`, the events that the other filters match.
    func reasons(_ tables: [ReportTable], anyEvent: ReportScope?) -> [String] {
        guard let scope = tables.last?.scope else { return [] }
        let events = EventSums(scope.events)
        return [rows(tables, events), keyless(scope, anyEvent), nothing(events), unknown(tables), missing(scope)]
            .flatMap(\.self).map { "--fail-on: \($0)" }
    }

    private func rows(_ tables: [ReportTable], _ events: EventSums) -> [String] {
        let counts = tables.compactMap { table -> String? in
            let count = table.report.hasKeys ? Int64(table.total) : events[table.report.rawValue]
            return count > 0 ? "\(Quantity.count(count)) \(table.report.rawValue)" : nil
        }
        return counts.isEmpty ? [] : ["there are \(counts.joined(separator: ", "))"]
    }

    /// Events without a key, which are in no other report. A misspelt member may hide an event that `--event` selects.
    private func keyless(_ scope: ReportScope, _ anyEvent: ReportScope?) -> [String] {
        let events = EventSums((anyEvent ?? scope).events)
        let cause = anyEvent == nil ? "" : ", which --event cannot leave out"
        return [(ReportKind.unkeyed, options.allowUnkeyed), (.malformed, options.allowMalformed)].compactMap {
            report, isAllowed in
            let (name, count) = (report.rawValue, events[report.rawValue])
            guard count > 0, !isAllowed, !options.failing.contains(report) else { return nil }
            return "\(Quantity.count(count)) of \(Quantity.count(events.total, "event")) \(count == 1 ? "is" : "are") "
                + Self.allowing("\(name)\(cause): see glossctl report \(name)", by: name)
        }
    }

    private func nothing(_ events: EventSums) -> [String] {
        guard !options.allowEmpty else { return [] }
        if events.total == 0 {
            return [Self.allowing("no events were examined: none match the filters", by: "empty")]
        }
        guard events.keyed == 0, options.failing.contains(where: \.hasKeys) else { return [] }
        return [Self.allowing("no event with a key was examined, only \(events.text)", by: "empty")]
    }

    private func unknown(_ tables: [ReportTable]) -> [String] {
        guard !options.allowUnknown else { return [] }
        return tables.flatMap(\.scope.texts.unknown).uniqued().map { Self.allowing($0, by: "unknown") }
    }

    private func missing(_ scope: ReportScope) -> [String] {
        guard !options.allowGaps else { return [] }
        return scope.texts.missing(zone).map { Self.allowing($0, by: "gaps") }
    }

    /// Adds to a reason the option that lets a build pass nevertheless.
    /// - Parameter name: the option's, without `--allow-`.
    static func allowing(_ reason: String, by name: String) -> String { "\(reason); --allow-\(name) allows that" }
}
