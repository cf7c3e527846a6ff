internal import GRDB
internal import Model

/// Counts stored events by their columns, a bounded part of them in each snapshot of the database.
struct CountScan<Name: CountName>: Sendable {
    private let filter: EventFilter
    private let countsFindings: Bool
    private let names: @Sendable (CountKey, Findings?) -> [Name]
    private var after: Int64 = 0
    /// What comes while it reads is not read: it would never end where events come faster.
    private var before: Int64?
    private(set) var counts = Counts<Name>()

    /// - Parameter names: what an event counts as, once for each.
    private init(
        _ filter: EventFilter, countsFindings: Bool, names: @escaping @Sendable (CountKey, Findings?) -> [Name]
    ) {
        self.filter = filter
        self.countsFindings = countsFindings
        self.names = names
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        guard let stored = try StoredRange.ids(db) else { return false }
        let last = min(before.map { $0 - 1 } ?? .max, stored.upperBound)
        before = last + 1
        guard after < last else { return false }
        let matcher = try BlockMatcher(filter)
        let reached = try ColumnWalk.forEach(of: after + 1...last, matcher, db, turn) { events in
            try add(events, matcher, turn)
            return true
        }
        after = reached ?? last
        return reached != nil
    }

    private mutating func add(_ events: some EventColumns, _ matcher: BlockMatcher, _ turn: ReadTurn) throws {
        var matcher = matcher
        let selection = try matcher.select(events, until: turn)
        guard !selection.isEmpty else { return }
        let (ids, times) = (try events.ids(), try events.times())
        let (senders, kinds) = (try events.senders(), try events.kinds())
        let findings = countsFindings ? try events.findings() : nil
        // What tells a group: the numbers of kind, sender and findings.
        var groups: [Int: Occurrences] = [:]
        var last: (group: Int, sum: Occurrences)?
        func note() {
            guard let last else { return }
            if groups[last.group]?.add(last.sum) == nil { groups[last.group] = last.sum }
        }
        for event in selection {
            let finding = findings.map { Int($0.numbers[event]) } ?? 0
            let pair = Int(kinds.numbers[event]) * senders.values.count + Int(senders.numbers[event])
            let group = pair * (findings?.values.count ?? 1) + finding
            let one = Occurrences(of: ids[event], at: times[event])
            if last?.group == group {
                last?.sum.add(one)
            } else {
                note()
                last = (group, one)
            }
        }
        note()
        for (group, sum) in groups {
            let (pair, finding) = group.quotientAndRemainder(dividingBy: findings?.values.count ?? 1)
            let (kind, sender) = pair.quotientAndRemainder(dividingBy: senders.values.count)
            for name in names(CountKey(senders.values[sender], kinds.values[kind]), findings?.values[finding]) {
                counts.add(sum, to: name)
            }
        }
    }
}

extension CountScan<EventCountName> {
    init(ofEvents filter: EventFilter) {
        self.init(filter, countsFindings: false) { counted, _ in [EventCountName(counted)] }
    }
}

extension CountScan<FindingCountName> {
    init(ofFindings filter: EventFilter) {
        self.init(filter, countsFindings: true) { counted, findings in
            (findings?.keys ?? []).map { FindingCountName(counted, rule: $0.rule, parameter: $0.parameter) }
        }
    }
}
