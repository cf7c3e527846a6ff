internal import GRDB
internal import Model

/// Counts stored events by their columns, a bounded part of them in each snapshot of the database.
struct CountScan<Name: CountName>: Sendable {
    private let filter: EventFilter
    private let countsFindings: Bool
    /// Whether events of a kind are counted by whose they are.
    private let needsOrigin: @Sendable (ResolvedKind) -> Bool
    private let names: @Sendable (CountKey, Findings?) -> [Name]
    private var after: Int64 = 0
    /// What comes while it reads is not read: it would never end where events come faster.
    private var before: Int64?
    private(set) var counts = Counts<Name>()

    /// - Parameter names: what an event counts as, once for each.
    private init(
        _ filter: EventFilter, countsFindings: Bool, needsOrigin: @escaping @Sendable (ResolvedKind) -> Bool,
        names: @escaping @Sendable (CountKey, Findings?) -> [Name]
    ) {
        self.filter = filter
        self.countsFindings = countsFindings
        self.needsOrigin = needsOrigin
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
        let (ids, times, kinds) = (try events.ids(), try events.times(), try events.kinds())
        let senders = try CountedSenders(events, of: kinds.values, where: needsOrigin)
        let findings = countsFindings ? try events.findings() : nil
        let (findingCount, senderCount) = (findings?.values.count ?? 1, senders.count)
        var groups = Groups(count: kinds.values.count * senderCount * findingCount)
        for event in selection {
            let kind = Int(kinds.numbers[event])
            let finding = findings.map { Int($0.numbers[event]) } ?? 0
            let group = (kind * senderCount + senders.number(of: event, kind)) * findingCount + finding
            groups.add(Occurrences(of: ids[event], at: times[event]), to: group)
        }
        for (group, sum) in groups.sums {
            let (pair, finding) = group.quotientAndRemainder(dividingBy: findingCount)
            let (kind, sender) = pair.quotientAndRemainder(dividingBy: senderCount)
            for name in names(CountKey(senders.origin(of: sender), kinds.values[kind]), findings?.values[finding]) {
                counts.add(sum, to: name)
            }
        }
    }
}

/// The senders of a block as far as they are told apart: by subsystem and category, and only for events that are counted by
/// those.
private struct CountedSenders {
    private let senders: EventTable<Origin>
    private let isTold: [Bool]
    /// Of each sender, the number of its subsystem and category.
    private var numbers: [Int] = []
    private var origins: [Origin] = []

    init(
        _ events: some EventColumns, of kinds: [ResolvedKind], where needsOrigin: (ResolvedKind) -> Bool
    ) throws {
        senders = try events.senders()
        isTold = kinds.map(needsOrigin)
        origins = isTold.contains(true) ? [] : Array(senders.values.prefix(1))
        guard origins.isEmpty else { return }
        var known: [EventCount.Origin: Int] = [:]
        for sender in senders.values {
            let name = EventCount.Origin(subsystem: sender.subsystem, category: sender.category)
            let number = known[name] ?? origins.count
            if number == origins.count {
                known[name] = number
                origins.append(sender)
            }
            numbers.append(number)
        }
    }

    var count: Int { origins.count }

    /// 0 where it does not matter.
    func number(of event: Int, _ kind: Int) -> Int { isTold[kind] ? numbers[Int(senders.numbers[event])] : 0 }

    func origin(of number: Int) -> Origin { origins[number] }
}

/// Sums by a number below a bound.
private struct Groups {
    /// With more, most would be empty.
    private static let denseCapacity = 1 << 16

    private(set) var sums: [(group: Int, sum: Occurrences)] = []
    /// By group, places in `sums` plus 1.
    private var dense: [Int32]
    private var sparse: [Int: Int32] = [:]

    init(count: Int) { dense = count <= Self.denseCapacity ? [Int32](repeating: 0, count: count) : [] }

    mutating func add(_ one: Occurrences, to group: Int) {
        let place = dense.isEmpty ? sparse[group] ?? 0 : dense[group]
        guard place == 0 else { return sums[Int(place) - 1].sum.add(one) }
        sums.append((group, one))
        if dense.isEmpty { sparse[group] = Int32(sums.count) } else { dense[group] = Int32(sums.count) }
    }
}

extension CountScan<EventCountName> {
    init(ofEvents filter: EventFilter) {
        self.init(
            filter, countsFindings: false, needsOrigin: { !$0.resolution.isKeyed || $0.kind.dictionary == nil },
            names: { counted, _ in [EventCountName(counted)] })
    }
}

extension CountScan<FindingCountName> {
    init(ofFindings filter: EventFilter) {
        self.init(
            filter, countsFindings: true, needsOrigin: { _ in false },
            names: { counted, findings in
                (findings?.keys ?? []).map { FindingCountName(counted, rule: $0.rule, parameter: $0.parameter) }
            })
    }
}
