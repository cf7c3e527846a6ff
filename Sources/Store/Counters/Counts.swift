internal import GRDB
internal import Model

/// A name that is counted in an answer.
protocol CountName: Hashable, Sendable {
    /// The length of its texts.
    var textBytes: Int { get }
    /// The name that it is counted under when there are too many names. The number of these is bounded.
    var bounded: Self { get }
}

/// Counts by name, with a bounded number of names. Further names are counted together.
struct Counts<Name: CountName>: Sendable {
    /// The maximum size of the names, and their maximum number.
    private static var mostBytes: Int { 8 << 20 }
    private static var mostNames: Int { 50_000 }

    private(set) var byName: [Hashed<Name>: Occurrences] = [:]
    private var bytes = 0
    /// The last name that was counted under a bounded name.
    private var lastOther: Hashed<Name>?

    /// - Parameter count: the approximate number of names that are added next.
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

/// Reads the counts that were kept as events arrived.
enum CountReader {
    static func events(_ predicate: Predicate, _ db: Database) throws -> Counts<EventCountName> {
        let wanted = try NamePredicate(predicate)
        var counts = Counts<EventCountName>()
        let rows = try BareStatement(
            db, reusing: "SELECT \(CountKey.columns), seen, last_event, first_time, last_time FROM event_counts")
        while try rows.step() {
            let counted = try CountKey(rows)
            if try wanted.isMet(by: counted.text) == true {
                counts.add(Occurrences(rows, from: 6), to: EventCountName(counted))
            }
        }
        return counts
    }

    static func findings(_ predicate: Predicate, _ db: Database) throws -> Counts<FindingCountName> {
        let wanted = try NamePredicate(predicate)
        var counts = Counts<FindingCountName>()
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT \(CountKey.columns), rule, parameter, f.seen, f.last_event, f.first_time, f.last_time
                FROM finding_counts AS f JOIN event_counts AS e ON e.id = f.event_count
                """)
        while try rows.step() {
            let counted = try CountKey(rows)
            guard try wanted.isMet(by: counted.text) == true else { continue }
            let name = FindingCountName(counted, rule: rows.text(6), parameter: rows.text(7))
            counts.add(Occurrences(rows, from: 8), to: name)
        }
        return counts
    }
}
