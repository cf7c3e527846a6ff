internal import Model
internal import Synchronization

/// Counts stored events by their columns. Several threads may add blocks.
final class CountScan: Sendable {
    let predicate: Predicate
    private let events: Mutex<NameSums<EventCountName>>
    private let findings: Mutex<NameSums<FindingCountName>>
    private let countsEvents: Bool
    /// The resolutions of the events whose findings are counted.
    private let resolutions: Set<Resolution>

    /// - Parameters:
    ///   - countsEvents: whether events are counted.
    ///   - resolutions: the resolutions of the events whose findings are counted.
    init(_ predicate: Predicate, countsEvents: Bool, findingsOf resolutions: Set<Resolution>) {
        self.predicate = predicate
        self.countsEvents = countsEvents
        self.resolutions = resolutions
        events = Mutex(NameSums { counted, _ in [EventCountName(counted)] })
        findings = Mutex(
            NameSums { counted, findings in
                (findings?.keys ?? []).map { FindingCountName(counted, rule: $0.rule, parameter: $0.parameter) }
            })
    }

    /// Adds events of a block.
    func add(_ block: some EventColumns, _ selection: [Int]) throws {
        guard !selection.isEmpty else { return }
        if countsEvents {
            let groups = try EventGroups(ofEvents: block)
            let sums = try groups.sums(of: selection, in: block)
            try events.withLock { try $0.add(sums, groups) }
        }
        if !resolutions.isEmpty {
            var selection = selection
            let groups = try EventGroups(ofFindings: block, of: resolutions, &selection)
            let sums = try groups.sums(of: selection, in: block)
            try findings.withLock { try $0.add(sums, groups) }
        }
    }

    /// Returns the result, once all blocks were added.
    func counts() -> (events: Counts<EventCountName>, findings: Counts<FindingCountName>) {
        (events.withLock { $0.flushed() }, findings.withLock { $0.flushed() })
    }
}

extension NameSums {
    fileprivate mutating func flushed() -> Counts<Name> {
        flush()
        return counts
    }
}
