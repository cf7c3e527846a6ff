internal import GRDB
internal import Model

/// Counts stored events by reading their columns, a bounded part of them in each snapshot of the database.
struct CountScan: Sendable {
    let predicate: Predicate
    /// `nil` when events are not counted.
    private var events: NameSums<EventCountName>?
    /// `nil` when findings are not counted.
    private var findings: NameSums<FindingCountName>?
    /// The resolutions of the events whose findings are counted.
    private let resolutions: Set<Resolution>
    private var after: Int64 = 0
    /// The end of the scan. Events that arrive later are not read; otherwise the scan might never end.
    private var before: Int64?

    /// - Parameters:
    ///   - countsEvents: whether events are counted.
    ///   - resolutions: the resolutions of the events whose findings are counted.
    init(_ predicate: Predicate, countsEvents: Bool, findingsOf resolutions: Set<Resolution>) {
        self.predicate = predicate
        self.resolutions = resolutions
        events = countsEvents ? NameSums { counted, _ in [EventCountName(counted)] } : nil
        findings =
            resolutions.isEmpty
            ? nil
            : NameSums { counted, findings in
                (findings?.keys ?? []).map { FindingCountName(counted, rule: $0.rule, parameter: $0.parameter) }
            }
    }

    /// The result, once `step` has returned `false`.
    var counts: (events: Counts<EventCountName>, findings: Counts<FindingCountName>) {
        (events?.counts ?? Counts(), findings?.counts ?? Counts())
    }

    /// - Returns: whether there is more to read.
    mutating func step(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        if try readOn(db, turn) { return true }
        events?.flush()
        findings?.flush()
        return false
    }

    private mutating func readOn(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        guard let stored = try StoredRange.ids(db) else { return false }
        let last = min(before.map { $0 - 1 } ?? .max, stored.upperBound)
        before = last + 1
        guard after < last else { return false }
        let matcher = try BlockMatcher(predicate)
        let wanted = after + 1...last
        let reached = try ColumnWalk.forEach(of: wanted, matcher, db, turn) { block in
            try add(block, matcher.select(block, of: wanted, until: turn))
            return true
        }
        after = reached ?? last
        return reached != nil
    }

    private mutating func add(_ block: some EventColumns, _ selection: [Int]) throws {
        guard !selection.isEmpty else { return }
        if events != nil {
            let groups = try EventGroups(ofEvents: block)
            try events?.add(groups.sums(of: selection, in: block), groups)
        }
        if findings != nil {
            var selection = selection
            let groups = try EventGroups(ofFindings: block, of: resolutions, &selection)
            try findings?.add(groups.sums(of: selection, in: block), groups)
        }
    }
}
