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

    private(set) var byName: [Name: Occurrences] = [:]
    private var bytes = 0

    mutating func add(_ more: Occurrences, to name: Name) {
        guard more.count > 0, byName[name]?.add(more) == nil else { return }
        if byName.count < Self.mostNames, bytes + name.textBytes <= Self.mostBytes {
            byName[name] = more
            bytes += name.textBytes
        } else if byName[name.bounded]?.add(more) == nil {
            byName[name.bounded] = more
        }
    }
}
