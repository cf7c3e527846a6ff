import Model

/// The chains of a journal: all that had entries in the last batches, and as many others as there is room for. A chain
/// that was forgotten starts again with its next entry.
struct Chains {
    private let most: Int
    private var chains: [ChainID: Chain] = [:]
    private var boots: [BootOfMachine: Chain.Boot] = [:]
    /// The number of the current batch.
    private var batch = 0
    /// The boots that may have changed in it.
    private var used: [Chain.Boot] = []
    /// The boots, also of earlier batches, whose holes may have changed and have not been checked since.
    private var uncheckedBoots: Set<BootOfMachine> = []

    /// - Parameter most: the number of chains that are kept.
    init(_ saved: [ChainID: ChainCoverage] = [:], most: Int) {
        self.most = max(1, most)
        for (id, coverage) in saved.sorted(by: { $0.value.lastRealtimeMicroseconds < $1.value.lastRealtimeMicroseconds }
        ) {
            batch += 1
            _ = add(id, coverage)
        }
        batch += 1
    }

    /// The chain of an entry. It is valid until the next call of `takeChanges`.
    subscript(id: ChainID) -> Chain {
        mutating get {
            let chain = chains[id] ?? add(id, ChainCoverage())
            boots[id.boot].map { use($0) }
            return chain
        }
    }

    private mutating func add(_ id: ChainID, _ coverage: ChainCoverage) -> Chain {
        let boot = boots[id.boot] ?? Chain.Boot(id.boot)
        boots[id.boot] = boot
        use(boot)
        let chain = boot.add(id, coverage)
        chains[id] = chain
        return chain
    }

    private mutating func use(_ boot: Chain.Boot) {
        guard boot.lastBatch != batch else { return }
        boot.lastBatch = batch
        used.append(boot)
    }

    /// Returns the chains that may have entries in a file.
    mutating func ofFile(_ file: FilePosition) -> [Chain] {
        let name = JournalFile.chainName(file.path)
        let found = chains.values.filter {
            $0.id.seqnumID == file.seqnumID && $0.id.machineID == file.machineID && $0.id.name.isExactly(name)
        }
        for chain in found { boots[chain.id.boot].map { use($0) } }
        return found
    }

    /// Returns the changes since the last call; `nil` for chains that were forgotten.
    mutating func takeChanges() -> [ChainID: ChainCoverage?] {
        noteChangedHoles()
        var changes: [ChainID: ChainCoverage?] = [:]
        if chains.count > most { forget(&changes) }
        for boot in used where boots[boot.id] === boot {
            for chain in boot.chains {
                if let coverage = chain.takeChange() { changes[chain.id] = coverage }
            }
        }
        used.removeAll(keepingCapacity: true)
        batch += 1
        return changes
    }

    // MARK: forgetting

    /// Forgets the boots that had no entries for the longest time. Boots whose holes are not reported yet are kept
    /// unless there are too many of them.
    private mutating func forget(_ changes: inout [ChainID: ChainCoverage?]) {
        // Forgets several at a time, because each time the boots are sorted.
        let most = most - most / 8
        let inOrder = boots.values.sorted { $0.lastBatch < $1.lastBatch }
        for withHoles in [false, true] {
            for boot in inOrder.dropLast() where chains.count > most && boots[boot.id] != nil {
                guard withHoles || !uncheckedBoots.contains(boot.id) || Self.holes(of: boot).isEmpty else { continue }
                for chain in boot.chains { forget(chain, &changes) }
                boots[boot.id] = nil
                uncheckedBoots.remove(boot.id)
            }
        }
        guard chains.count > most, let boot = inOrder.last else { return }
        let times = boot.chains.map { (chain: $0, time: $0.coverage.lastRealtimeMicroseconds) }
        for (chain, _) in times.sorted(by: { $0.time < $1.time }).prefix(chains.count - most) {
            boot.remove(chain)
            // The numbers of this chain must not seem missing in the others.
            let numbers = chain.coverage.numbers.ranges + chain.coverage.explained.ranges
            for range in numbers { boot.chains.last?.explain(range) }
            forget(chain, &changes)
        }
    }

    private mutating func forget(_ chain: Chain, _ changes: inout [ChainID: ChainCoverage?]) {
        chains[chain.id] = nil
        changes.updateValue(nil, forKey: chain.id)
    }

    // MARK: what is missing

    /// Numbers that may be missing.
    struct Hole: Hashable {
        var boot: BootOfMachine
        /// The counter of the numbers.
        var seqnumID: ID128
        var numbers: ClosedRange<UInt64>

        func contains(_ other: Self) -> Bool {
            numbers.lowerBound <= other.numbers.lowerBound && numbers.upperBound >= other.numbers.upperBound
        }
    }

    /// Returns the holes of each boot whose holes may have changed since the last call.
    mutating func takeChangedHoles() -> [BootOfMachine: [Hole]] {
        noteChangedHoles()
        var found: [BootOfMachine: [Hole]] = [:]
        for id in uncheckedBoots { found[id] = boots[id].map(Self.holes) }
        uncheckedBoots.removeAll(keepingCapacity: found.count < 64)
        return found
    }

    private mutating func noteChangedHoles() {
        for boot in used where boot.holesMayHaveChanged {
            boot.holesMayHaveChanged = false
            uncheckedBoots.insert(boot.id)
        }
    }

    /// Checks these boots for holes again.
    mutating func recheck(at ids: some Sequence<BootOfMachine>) {
        for id in ids where boots[id] != nil { uncheckedBoots.insert(id) }
    }

    /// Returns the numbers that no chain of the boot has; all chains share one counter. Between two files of a chain,
    /// entries are missing if their numbers are. A single missing number is normal there: it belongs to an entry that
    /// did not fit into a full file. It counts only if that file was gone before it was known to be full. Within a
    /// file, no entries of its own chain are missing, but if another chain had begun by then, that chain's files may be
    /// gone.
    private static func holes(of boot: Chain.Boot) -> [Hole] {
        let known = boot.chains.map(\.coverage)
        let begun = known.compactMap { $0.numbers.ranges.first?.lowerBound }.sorted()
        var holes: [Hole] = []
        for (chain, coverage) in zip(boot.chains, known) {
            for hole in coverage.numbers.holes {
                let isBetweenFiles = !coverage.spans.contains(all: hole)
                guard isBetweenFiles || begun.count > 1 && hole.lowerBound > begun[1] else { continue }
                // The chain itself has none of these numbers.
                let rest = known.reduce([hole]) { rest, other in
                    rest.flatMap { other.numbers.missing(in: $0) }.flatMap { other.explained.missing(in: $0) }
                }
                // Several chains may have the same hole. The number of missing numbers may exceed what `count` can
                // hold.
                for numbers in rest
                where (numbers.lowerBound < numbers.upperBound || coverage.openEnds.contains(numbers.lowerBound - 1))
                    && !holes.contains(where: { $0.numbers.overlaps(numbers) })
                {
                    holes.append(Hole(boot: boot.id, seqnumID: chain.id.seqnumID, numbers: numbers))
                }
            }
        }
        return holes.sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
    }
}

extension ChainID {
    var boot: BootOfMachine { BootOfMachine(machineID: machineID, bootID: bootID) }
}
