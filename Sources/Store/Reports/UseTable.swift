/// What uses are counted by in an answer.
protocol UseName: Hashable, Sendable {
    /// How long its texts are.
    var textBytes: Int { get }
    /// What it is counted as when there are too many names; of such there is a bounded number.
    var bounded: Self { get }
}

/// Sums by name, whose number is bounded: what comes when there are too many is counted together.
struct UseTable<Name: UseName>: Sendable {
    /// So many bytes of names, and so many of them.
    private static var mostBytes: Int { 8 << 20 }
    private static var mostNames: Int { 50_000 }

    private(set) var sums: [Name: UseSum] = [:]
    private var bytes = 0

    mutating func add(_ sum: UseSum, to name: Name) {
        guard sum.count > 0 else { return }
        if sums[name] != nil {
            sums[name]?.add(sum)
        } else if sums.count < Self.mostNames, bytes + name.textBytes <= Self.mostBytes {
            sums[name] = sum
            bytes += name.textBytes
        } else {
            sums[name.bounded, default: UseSum()].add(sum)
        }
    }
}
