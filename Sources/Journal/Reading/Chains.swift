import Linux
package import Model

/// The chains of a journal: all that had entries in the last batches, and as many others as there is room for. A chain
/// that was forgotten starts again with its next entry.
struct Chains {
    private let most: Int
    /// Returns the time in microseconds since 1970.
    private let clock: @Sendable () -> UInt64
    /// The time until which entries may be of forgotten chains, in microseconds since 1970; 0 when none was forgotten.
    private(set) var forgottenUntil: UInt64 = 0
    private var chains: [ChainID: Chain] = [:]
    private var boots: [BootOfMachine: Chain.Boot] = [:]
    /// The number of the current batch.
    private var batch = 0
    /// The boots that may have changed in it.
    private var used: [Chain.Boot] = []
    /// The boots, also of earlier batches, whose holes may have changed and have not been checked since.
    private var uncheckedBoots: Set<BootOfMachine> = []

    /// - Parameters:
    ///   - most: the number of chains that are kept.
    ///   - clock: returns the time in microseconds since 1970.
    init(
        _ saved: [ChainID: ChainCoverage] = [:], most: Int, clock: @escaping @Sendable () -> UInt64 = wallClock
    ) {
        self.most = max(1, most)
        self.clock = clock
        // Nothing says which chains were forgotten earlier.
        forgottenUntil = min(saved.values.map(\.latestRealtimeMicroseconds).max() ?? 0, clock())
        let inOrder = saved.sorted { $0.value.latestRealtimeMicroseconds < $1.value.latestRealtimeMicroseconds }
        for (id, coverage) in inOrder {
            batch += 1
            chains[id] = boot(of: id).add(id, coverage)
        }
        batch += 1
    }

    /// The chain of an entry. It is valid until the next call of `takeChanges`.
    subscript(id: ChainID) -> Chain {
        mutating get {
            let chain = chains[id] ?? begin(id)
            boots[id.boot].map { use($0) }
            return chain
        }
    }

    private mutating func begin(_ id: ChainID) -> Chain {
        let chain = boot(of: id).begin(id, now: clock())
        chains[id] = chain
        return chain
    }

    /// Returns the boot of a chain, as one that may have changed.
    private mutating func boot(of id: ChainID) -> Chain.Boot {
        let boot = boots[id.boot] ?? Chain.Boot(id.boot)
        boots[id.boot] = boot
        use(boot)
        return boot
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
        let holes = holes(of: Set(boots.keys))
        var extents = Dictionary(grouping: chains.values, by: \.id.seqnumID).mapValues {
            Extents(of: $0.compactMap { chain in boots[chain.id.boot].map { (chain: chain, boot: $0) } })
        }
        for withHoles in [false, true] {
            for boot in inOrder.dropLast() where chains.count > most && boots[boot.id] != nil {
                let ofBoot = holes[boot.id] ?? []
                guard withHoles || !uncheckedBoots.contains(boot.id) || ofBoot.isEmpty else { continue }
                boots[boot.id] = nil
                uncheckedBoots.remove(boot.id)
                for chain in boot.chains { forget(chain, &changes) }
                for chain in boot.chains { leave(chain, ofBoot, &extents[chain.id.seqnumID]) }
            }
        }
        guard chains.count > most, let boot = inOrder.last else { return }
        let times = boot.chains.map { (chain: $0, time: $0.coverage.latestRealtimeMicroseconds) }
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
        // A time has no checksum: one in the future is wrong.
        forgottenUntil = max(forgottenUntil, min(chain.coverage.latestRealtimeMicroseconds, clock()))
        changes.updateValue(nil, forKey: chain.id)
    }

    /// Leaves the numbers of a forgotten chain to another one, if boots take turns in files: they must not seem missing there.
    /// - Parameters:
    ///   - holes: the holes of its boot. They are reported, and must not be again for another boot.
    ///   - extents: those of the chains of its counter.
    private mutating func leave(_ chain: Chain, _ holes: [JournalHole], _ extents: inout Extents?) {
        guard let extent = chain.extent else { return }
        guard let (place, heir, boot) = extents?.latest(overlapping: extent, where: { chains[$0.id] === $0 }) else {
            return
        }
        use(boot)
        let coverage = chain.coverage
        for range in coverage.numbers.ranges + coverage.explained.ranges { heir.explain(range) }
        for hole in holes where hole.seqnumID == chain.id.seqnumID { heir.explain(hole.numbers) }
        extents?.note(heir, at: place)
    }

    /// The extents of chains. To ask each of thousands of chains for its own, for each one that is forgotten, takes longer than
    /// reading the entries.
    private struct Extents {
        /// The latest ones first: of those that overlap, one of the first is the latest.
        private let chains: [(chain: Chain, boot: Chain.Boot)]
        private var first: [UInt64]
        private var last: [UInt64]

        init(of chains: [(chain: Chain, boot: Chain.Boot)]) {
            self.chains = chains.sorted { $0.boot.lastBatch > $1.boot.lastBatch }
            let extents = self.chains.map(\.chain.extent)
            // Nothing overlaps one that ends before it begins.
            (first, last) = (extents.map { $0?.lowerBound ?? .max }, extents.map { $0?.upperBound ?? 0 })
        }

        /// Returns the overlapping chain whose boot had entries last.
        func latest(
            overlapping extent: ClosedRange<UInt64>, where isKept: (Chain) -> Bool
        ) -> (place: Int, chain: Chain, boot: Chain.Boot)? {
            var (found, batch) = (Int?.none, -1)
            for place in chains.indices
            where first[place] <= extent.upperBound && last[place] >= extent.lowerBound
                && chains[place].boot.lastBatch > batch && isKept(chains[place].chain)
            {
                (found, batch) = (place, chains[place].boot.lastBatch)
            }
            return found.map { ($0, chains[$0].chain, chains[$0].boot) }
        }

        mutating func note(_ chain: Chain, at place: Int) {
            guard let extent = chain.extent else { return }
            (first[place], last[place]) = (extent.lowerBound, extent.upperBound)
        }
    }

    // MARK: what is missing

    /// Records that numbers of a counter belong to entries that are not wanted, so that they do not seem missing in chains of other
    /// boots.
    /// - Returns: whether that was necessary: numbers before the first entry of every chain do not seem missing. A chain whose
    ///   clock is ahead may begin later with lower numbers.
    mutating func notePassed(_ numbers: ClosedRange<UInt64>, seqnumID: ID128) -> Bool {
        let begun = chains.values.filter {
            $0.id.seqnumID == seqnumID && $0.extent.map { $0.lowerBound < numbers.lowerBound } ?? false
        }
        guard let chain = begun.max(by: { $0.extent?.upperBound ?? 0 < $1.extent?.upperBound ?? 0 }) else {
            return false
        }
        boots[chain.id.boot].map { use($0) }
        chain.explain(numbers)
        return true
    }

    /// Returns the holes of each boot whose holes may have changed since the last call. Call it when everything that was
    /// found was read.
    mutating func takeChangedHoles() -> [BootOfMachine: [JournalHole]] {
        noteChangedHoles()
        let found = uncheckedBoots.isEmpty ? [:] : holes(of: withNeighbours(uncheckedBoots))
        uncheckedBoots.removeAll(keepingCapacity: found.count < 64)
        return found
    }

    private mutating func noteChangedHoles() {
        for boot in used where boot.holesMayHaveChanged {
            boot.holesMayHaveChanged = false
            uncheckedBoots.insert(boot.id)
        }
    }

    /// Returns those of a boot's missing numbers that the chains of their counter do not reach: these were forgotten and have
    /// begun again elsewhere, so that nothing new is known of the numbers, unless another chain of the boot has seen them.
    /// - Parameter found: the holes of the boot's chains, which are not returned.
    func unreached(_ missing: [MissingRange], of boot: BootOfMachine, without found: [JournalHole]) -> [JournalHole] {
        guard let chains = boots[boot]?.chains, let any = chains.first else { return [] }
        return missing.flatMap { range in
            let known = chains.flatMap { chain in
                range.mayBe(of: chain.id.seqnumID)
                    ? [chain.extent].compactMap(\.self)
                    : chain.coverage.numbers.ranges + chain.coverage.explained.ranges
            }
            return NumberRanges(all: known + found.map(\.numbers)).missing(in: range.numbers).map {
                JournalHole(boot: boot, seqnumID: range.seqnumID ?? any.id.seqnumID, numbers: $0)
            }
        }
    }

    /// Makes the next call of `takeChangedHoles` return the holes of these boots again.
    mutating func recheck(at ids: some Sequence<BootOfMachine>) {
        for id in ids where boots[id] != nil { uncheckedBoots.insert(id) }
    }

    /// Adds the boots that take turns with these in files: those of which a chain has numbers of the same counter between the
    /// numbers of one of their chains.
    private func withNeighbours(_ ids: Set<BootOfMachine>) -> Set<BootOfMachine> {
        var extents: [ID128: [ClosedRange<UInt64>]] = [:]
        for chain in ids.lazy.compactMap({ boots[$0] }).flatMap(\.chains) {
            chain.extent.map { extents[chain.id.seqnumID, default: []].append($0) }
        }
        let numbers = extents.mapValues { NumberRanges(all: $0) }
        var all = ids.filter { boots[$0] != nil }
        for (id, chain) in chains {
            if let extent = chain.extent, numbers[id.seqnumID]?.overlaps(extent) ?? false { all.insert(id.boot) }
        }
        return all
    }

    /// Returns the numbers that are missing in boots. Boots that take turns in files miss the same numbers; these are given to
    /// the boot that continues first.
    private func holes(of ids: Set<BootOfMachine>) -> [BootOfMachine: [JournalHole]] {
        let all = withNeighbours(ids).compactMap { boots[$0] }
        let counters = Counters(of: withNeighbours(Set(all.map(\.id))).flatMap { boots[$0]?.chains ?? [] })
        var missing = all.flatMap { Self.missing(in: $0, counters) }
        missing.sort { ($0.hole.numbers.lowerBound, $0.next) < ($1.hole.numbers.lowerBound, $1.next) }
        var holes = Dictionary(uniqueKeysWithValues: ids.lazy.filter { boots[$0] != nil }.map { ($0, [JournalHole]()) })
        // The end of the last hole of each counter and of each boot.
        var ends: (ofCounter: [ID128: UInt64], ofBoot: [BootOfMachine: UInt64]) = ([:], [:])
        for hole in missing.lazy.map(\.hole) {
            let (first, isShared) = (hole.numbers.lowerBound, counters.shared.contains(hole.seqnumID))
            guard ends.ofCounter[hole.seqnumID].map({ $0 < first }) ?? true,
                isShared || ends.ofBoot[hole.boot].map({ $0 < first }) ?? true
            else { continue }
            ends.ofCounter[hole.seqnumID] = hole.numbers.upperBound
            if !isShared { ends.ofBoot[hole.boot] = hole.numbers.upperBound }
            holes[hole.boot]?.append(hole)
        }
        return holes
    }

    /// What is known of the numbers of counters.
    private struct Counters {
        /// The numbers that were seen or are missing for a known reason.
        var seen: [ID128: NumberRanges]
        /// The counters of files in which boots take turns.
        var shared: Set<ID128> = []

        init(of chains: [Chain]) {
            let ofCounter = Dictionary(grouping: chains.map { (id: $0.id, coverage: $0.coverage) }, by: \.id.seqnumID)
            seen = ofCounter.mapValues { chains in
                NumberRanges(all: chains.flatMap { $0.coverage.numbers.ranges + $0.coverage.explained.ranges })
            }
            for (counter, chains) in ofCounter {
                var last: (end: UInt64, boot: BootOfMachine)?
                let inOrder = chains.sorted { $0.coverage.numbers.first ?? 0 < $1.coverage.numbers.first ?? 0 }
                for (id, coverage) in inOrder {
                    // A boot with one number may be a damaged id of a boot.
                    guard let first = coverage.numbers.first, let end = coverage.numbers.last, first < end else {
                        continue
                    }
                    if let last, first <= last.end, id.boot != last.boot { shared.insert(counter) }
                    if end >= last?.end ?? 0 { last = (end, id.boot) }
                }
            }
        }
    }

    /// Returns the numbers that are missing in the chains of a boot: those that no chain of their counter has, whatever its boot
    /// is, and no other chain of the boot. Before version 254, journald gave each user's files a counter id of their own, but
    /// numbers of the system's counter. Counters of files in which boots take turns are not journald's.
    ///
    /// Between two files of a chain, entries are missing if their numbers are. A single missing number is normal there: it belongs
    /// to an entry that did not fit into a full file. It counts only if that file was gone before it was known to be full. Within a
    /// file, no entries of its own chain are missing, but if another chain of the boot had begun by then, that chain's files may be
    /// gone.
    /// - Returns: the holes, each with the last number before the chain continues. Several chains may have the same hole.
    private static func missing(in boot: Chain.Boot, _ counters: Counters) -> [(hole: JournalHole, next: UInt64)] {
        let known = boot.chains.map { (id: $0.id, coverage: $0.coverage) }
        let journald = known.filter { !counters.shared.contains($0.id.seqnumID) }
        let seen = NumberRanges(all: journald.flatMap { $0.coverage.numbers.ranges + $0.coverage.explained.ranges })
        var missing: [(hole: JournalHole, next: UInt64)] = []
        for (id, coverage) in known {
            let isShared = counters.shared.contains(id.seqnumID)
            let others = isShared ? known.filter { $0.id.seqnumID == id.seqnumID } : journald
            let begun = others.compactMap(\.coverage.numbers.first).sorted()
            for hole in coverage.numbers.holes {
                let isBetweenFiles = !coverage.spans.contains(all: hole)
                guard isBetweenFiles || begun.count > 1 && hole.lowerBound > begun[1] else { continue }
                let rest = (counters.seen[id.seqnumID]?.missing(in: hole) ?? [hole])
                    .flatMap { isShared ? [$0] : seen.missing(in: $0) }
                // The number of missing numbers may exceed what `count` can hold.
                for numbers in rest
                where numbers.lowerBound < numbers.upperBound || coverage.openEnds.contains(numbers.lowerBound - 1) {
                    missing.append(
                        (JournalHole(boot: boot.id, seqnumID: id.seqnumID, numbers: numbers), hole.upperBound))
                }
            }
        }
        return missing
    }
}

extension ChainID {
    var boot: BootOfMachine { BootOfMachine(machineID: machineID, bootID: bootID) }
}

/// Numbers that no file of a boot has.
package struct JournalHole: Sendable, Hashable {
    package var boot: BootOfMachine
    /// The counter of the numbers.
    package var seqnumID: ID128
    package var numbers: ClosedRange<UInt64>
}
