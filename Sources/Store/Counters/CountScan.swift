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
    private var place = ScanPlace()

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
        var place = place
        defer { self.place = place }
        return try place.step(predicate, db, turn) { try add($0, $1) }
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
