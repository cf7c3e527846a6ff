internal import GRDB
internal import Model

/// Counts stored events by their columns, a bounded part of them in each snapshot of the database.
struct CountScan: Sendable {
    let filter: EventFilter
    /// `nil` when they are not counted.
    private var events: NameSums<EventCountName>?
    /// `nil` when they are not counted.
    private var findings: NameSums<FindingCountName>?
    /// Findings of events with one of these are counted.
    private let resolutions: Set<Resolution>
    private var after: Int64 = 0
    /// What comes while it reads is not read: it would never end where events come faster.
    private var before: Int64?

    /// - Parameters:
    ///   - countsEvents: whether events are counted.
    ///   - resolutions: findings of events with one of these are counted.
    init(_ filter: EventFilter, countsEvents: Bool, findingsOf resolutions: Set<Resolution>) {
        self.filter = filter
        self.resolutions = resolutions
        events = countsEvents ? NameSums { counted, _ in [EventCountName(counted)] } : nil
        findings =
            resolutions.isEmpty
            ? nil
            : NameSums { counted, findings in
                (findings?.keys ?? []).map { FindingCountName(counted, rule: $0.rule, parameter: $0.parameter) }
            }
    }

    /// To be asked for when there is no more.
    var counts: (events: Counts<EventCountName>, findings: Counts<FindingCountName>) {
        (events?.counts ?? Counts(), findings?.counts ?? Counts())
    }

    /// - Returns: whether there is more.
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
        let matcher = try BlockMatcher(filter)
        let wanted = after + 1...last
        let reached = try ColumnWalk.forEach(of: wanted, matcher, db, turn) { block in
            var matcher = matcher
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
