internal import GRDB
internal import Model

/// What is counted in an answer.
protocol CountName: Hashable, Sendable {
    /// How long its texts are.
    var textBytes: Int { get }
    /// What it is counted as when there are too many names; of such there is a bounded number.
    var bounded: Self { get }
}

/// Counts by name, whose number is bounded: what comes when there are too many is counted together.
struct Counts<Name: CountName>: Sendable {
    /// So many bytes of names, and so many of them.
    private static var mostBytes: Int { 8 << 20 }
    private static var mostNames: Int { 50_000 }

    private(set) var byName: [Hashed<Name>: Occurrences] = [:]
    private var bytes = 0
    /// What came last of those that are too many.
    private var lastOther: Hashed<Name>?

    /// - Parameter count: about how many names are added next.
    mutating func reserve(_ count: Int) { byName.reserveCapacity(min(byName.count + count, Self.mostNames)) }

    mutating func add(_ more: Occurrences, to name: Name) {
        guard more.count > 0 else { return }
        let hashed = Hashed(name)
        if let known = byName.index(forKey: hashed) {
            byName.values[known].add(more)
        } else if byName.count < Self.mostNames, bytes + name.textBytes <= Self.mostBytes {
            byName[hashed] = more
            bytes += name.textBytes
        } else {
            addToOthers(more, name.bounded)
        }
    }

    private mutating func addToOthers(_ more: Occurrences, _ bounded: Name) {
        let others = lastOther.flatMap { $0.value == bounded ? $0 : nil } ?? Hashed(bounded)
        if byName[others]?.add(more) == nil { byName[others] = more }
        lastOther = others
    }
}

/// Reads what was counted as events came in.
enum CountReader {
    static func events(_ filter: EventFilter, _ db: Database) throws -> Counts<EventCountName> {
        let wanted = CountFilter(filter)
        var counts = Counts<EventCountName>()
        let rows = try BareStatement(
            db, reusing: "SELECT \(CountKey.columns), seen, last_event, first_time, last_time FROM event_counts")
        while try rows.step() {
            let counted = try CountKey(rows)
            if wanted.wants(counted) { counts.add(Occurrences(rows, from: 6), to: EventCountName(counted)) }
        }
        return counts
    }

    static func findings(_ filter: EventFilter, _ db: Database) throws -> Counts<FindingCountName> {
        let wanted = CountFilter(filter)
        var counts = Counts<FindingCountName>()
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT \(CountKey.columns), rule, parameter, f.seen, f.last_event, f.first_time, f.last_time
                FROM finding_counts AS f JOIN event_counts AS e ON e.id = f.event_count
                """)
        while try rows.step() {
            let counted = try CountKey(rows)
            guard wanted.wants(counted) else { continue }
            let name = FindingCountName(counted, rule: rows.text(6), parameter: rows.text(7))
            counts.add(Occurrences(rows, from: 8), to: name)
        }
        return counts
    }
}
