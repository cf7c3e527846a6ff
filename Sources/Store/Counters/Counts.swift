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
