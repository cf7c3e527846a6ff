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

    /// What came before, each once, as the blocks have it: texts are made of it once, however many blocks have it.
    private var known = ByteTable()
    private var sums: [(names: [Name], sum: Occurrences)] = []
    private var identity: [UInt8] = []
    private static var mostKnown: Int { 50_000 }
    private static var mostKnownBytes: Int { 8 << 20 }

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
        defer { flush() }
        guard let stored = try StoredRange.ids(db) else { return false }
        let last = min(before.map { $0 - 1 } ?? .max, stored.upperBound)
        before = last + 1
        guard after < last else { return false }
        let matcher = try BlockMatcher(filter)
        let wanted = after + 1...last
        let reached = try ColumnWalk.forEach(of: wanted, matcher, db, turn) { events in
            try add(events, of: wanted, matcher, turn)
            return true
        }
        after = reached ?? last
        return reached != nil
    }

    private mutating func add(
        _ events: some EventColumns, of wanted: ClosedRange<Int64>, _ matcher: BlockMatcher, _ turn: ReadTurn
    ) throws {
        var matcher = matcher
        let selection = try matcher.select(events, of: wanted, until: turn)
        guard !selection.isEmpty else { return }
        let (ids, times) = (try events.ids(), try events.times())
        let (kinds, senders) = (try events.kindTexts(), try events.senderTexts())
        let findings = countsFindings ? try events.findingTexts() : nil
        let hasOrigin = try (0..<kinds.table.count).map { row in
            try !countsFindings && Self.isCountedByOrigin(kinds.table, row)
        }
        let (findingCount, senderCount) = (
            findings?.distinctCount ?? 1, hasOrigin.contains(true) ? senders.table.count : 1
        )
        let isNothing = findings.map { texts in
            (0..<texts.distinctCount).map { texts.withDistinct($0) { $0.isEmpty } }
        }
        var groups = Groups(count: kinds.table.count * senderCount * findingCount)
        for event in selection {
            let kind = Int(kinds.numbers[event])
            let sender = hasOrigin[kind] ? Int(senders.numbers[event]) : 0
            let finding = findings?.distinctNumber(event) ?? 0
            if let isNothing, isNothing[finding] { continue }
            groups.add(
                Occurrences(of: ids[event], at: times[event]),
                to: (kind * senderCount + sender) * findingCount + finding)
        }
        for (group, sum) in groups.sums {
            let (pair, finding) = group.quotientAndRemainder(dividingBy: findingCount)
            let (kind, sender) = pair.quotientAndRemainder(dividingBy: senderCount)
            let row = Row(
                kinds: kinds.table, kind: kind, senders: senders.table, sender: sender, hasOrigin: hasOrigin[kind])
            if let findings {
                try findings.withDistinct(finding) { try add(sum, row, findings: $0) }
            } else {
                try add(sum, row, findings: UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }

    /// What events are counted by, as a block has it.
    private struct Row {
        var kinds: TextTable
        var kind: Int
        var senders: TextTable
        var sender: Int
        var hasOrigin: Bool

        func appendIdentity(to bytes: inout [UInt8]) {
            kinds.appendIdentity(
                of: kind, columns: BlockTable.kindResolution..<BlockTable.kindDictionary + 1, to: &bytes)
            kinds.appendIdentity(of: kind, columns: BlockTable.kindKey, to: &bytes)
            if hasOrigin { senders.appendIdentity(of: sender, columns: BlockTable.senderNames, to: &bytes) }
        }
    }

    /// - Parameter findings: `FindingsText`.
    private mutating func add(_ sum: Occurrences, _ row: Row, findings: UnsafeRawBufferPointer) throws {
        identity.removeAll(keepingCapacity: true)
        row.appendIdentity(to: &identity)
        identity.append(contentsOf: findings)
        if known.count >= Self.mostKnown || known.bytes.count >= Self.mostKnownBytes { flush() }
        let number = identity.withUnsafeBytes { known.number(of: $0, atMost: .max) } ?? 0
        if number < sums.count { return sums[number].sum.add(sum) }
        let origin = try BlockTable.origin(row.senders, row.sender)
        let found = findings.isEmpty ? nil : try KnownFindings.decoded(findings)
        sums.append((names(CountKey(origin, try BlockTable.kind(row.kinds, row.kind)), found), sum))
    }

    /// Adds up what was counted, and forgets by what.
    private mutating func flush() {
        for (names, sum) in sums {
            for name in names { counts.add(sum, to: name) }
        }
        sums.removeAll()
        known = ByteTable()
    }

    /// Whether events of a kind are counted by whose they are: those that no definition names.
    private static func isCountedByOrigin(_ kinds: TextTable, _ row: Int) throws(BlockDamage) -> Bool {
        let hasDictionary = kinds.withText(BlockTable.kindDictionary, row) { $0 != nil }
        return try !BlockTable.resolution(kinds, row).isKeyed || !hasDictionary
    }
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
            filter, countsFindings: false,
            names: { counted, _ in [EventCountName(counted)] })
    }
}

extension CountScan<FindingCountName> {
    init(ofFindings filter: EventFilter) {
        self.init(
            filter, countsFindings: true,
            names: { counted, findings in
                (findings?.keys ?? []).map { FindingCountName(counted, rule: $0.rule, parameter: $0.parameter) }
            })
    }
}
