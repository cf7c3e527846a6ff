import Model

/// Which chain of entries: those that one counter numbered in one boot of one machine. Rotation goes on with it in the next
/// file; up to systemd 253 each user's files are a chain of their own, and all chains of a machine draw from one counter.
struct ChainID: Hashable, Sendable {
    var machineID: ID128
    var seqnumID: ID128
    var bootID: ID128
}

/// What is known of a chain, whatever files it is in.
final class Chain {
    let id: ChainID
    /// Numbers that were seen, or are missing for a reason that is known.
    var numbers: NumberRanges
    /// Of the entries that came last.
    var repeats: RepeatCount

    init(_ id: ChainID, numbers: NumberRanges = NumberRanges(), repeats: RepeatCount = RepeatCount()) {
        self.id = id
        self.numbers = numbers
        self.repeats = repeats
    }
}

/// The chains of a journal.
struct Chains {
    private var chains: [ChainID: Chain] = [:]

    subscript(id: ChainID) -> Chain {
        mutating get {
            if let chain = chains[id] { return chain }
            let chain = Chain(id)
            chains[id] = chain
            return chain
        }
    }

    /// Numbers within a chain that no chain of the same machine and boot has: entries may be missing there.
    func suspicions() -> [(machineID: ID128, bootID: ID128, numbers: ClosedRange<UInt64>)] {
        Dictionary(grouping: chains.values) { [$0.id.machineID, $0.id.bootID] }.values.flatMap { chains in
            // Chains that draw from one counter have holes in common.
            var missing = NumberRanges()
            for chain in chains {
                for hole in chain.numbers.holes {
                    let others = chains.filter { $0 !== chain }
                    let rest = others.reduce([hole]) { rest, other in rest.flatMap { other.numbers.missing(in: $0) } }
                    for range in rest { missing.insert(range) }
                }
            }
            return missing.ranges.map { (chains[0].id.machineID, chains[0].id.bootID, $0) }
        }
    }
}
