import Model

/// What is known of a chain of entries, while files of it are read.
final class Chain {
    let id: ChainID
    /// Chains of the same files, with other numbers.
    private unowned let family: Family
    private var isAlone = true
    /// Without the run, and without what `coverage` adds.
    private var saved: ChainCoverage
    private var run = Run()
    private var repeats: RepeatCount
    /// Whether it differs from what was saved.
    private var isChanged = false
    /// How many numbers are not missing that come behind copies from /run.
    private var skippedByFlush: UInt64 = 0
    /// Whether holes may have come or gone.
    fileprivate(set) var hasOtherHoles = true

    /// What one machine wrote in one boot into files of one name. Other numbers for the same entries come of the flush from
    /// /run to /var.
    final class Family {
        private(set) var chains: [Chain] = []

        func add(_ chain: Chain) {
            chains.append(chain)
            for chain in chains { chain.isAlone = chains.count == 1 }
        }
    }

    init(_ id: ChainID, _ coverage: ChainCoverage = ChainCoverage(), of family: Family) {
        self.id = id
        saved = coverage
        repeats = coverage.repeats
        self.family = family
    }

    /// Whether the same files had entries from before and after this time under other numbers: the entry may be one of them.
    @inline(__always)
    func mayHaveOtherNumber(monotonicMicroseconds time: UInt64) -> Bool {
        !isAlone && family.chains.contains { $0 !== self && $0.times?.contains(time) ?? false }
    }

    /// Takes note of an entry that may be one of another chain under another number. journald copies all that is left in
    /// /run to /var, the newest too: who finds a copy of the last entry that was read in /run will find copies of those that
    /// were written behind it. Their own numbers are not missing: those before the copies, or as many behind them as the
    /// copies are numbered lower than what they are of.
    @inline(never)
    func noteCopy(_ entry: EntryHead) {
        for other in family.chains where other !== self {
            guard other.repeats.hasLast(entry.monotonicMicroseconds, entry.xorHash),
                let last = other.coverage.numbers.last
            else { continue }
            if last >= entry.seqnum {
                skippedByFlush = last - entry.seqnum
            } else if let unseen = coverage.numbers.missing(in: last + 1...entry.seqnum).first,
                unseen.lowerBound == last + 1
            {
                explain(unseen)
            }
        }
    }

    /// Takes note of an entry that has the number behind the highest, in the same file, and a later time, as nearly all have.
    /// - Parameter last: the number of the entry before it in its file.
    /// - Returns: how many equal entries came before it; `nil` for another one.
    @inline(__always)
    func noteNext(_ entry: EntryHead, after last: UInt64?) -> UInt32? {
        let (number, time) = (entry.seqnum, entry.monotonicMicroseconds)
        guard run.count > 0, number == run.last &+ 1, last == run.last, time >= run.time else { return nil }
        run = Run(
            first: run.first, last: number, count: run.count + 1, time: time,
            realtime: max(run.realtime, entry.realtimeMicroseconds))
        return repeats.ordinal(seqnum: number, monotonicMicroseconds: time, xorHash: entry.xorHash)
    }

    /// Entries with the highest numbers, one after the other in one file.
    private struct Run {
        var first: UInt64 = 0
        var last: UInt64 = 0
        var count: UInt64 = 0
        /// Of the last one, and of none a later one.
        var time: UInt64 = 0
        var realtime: UInt64 = 0
    }

    /// Takes note of any entry.
    /// - Parameters:
    ///   - last: the number of the entry before it in its file; `nil` where that is of another boot.
    ///   - first: the number that its file begins with.
    ///   - own: counts entries of a file that came late, whose numbers are below those that were counted.
    /// - Returns: how many equal entries came before it, and whether it may have come before: by its number, or under another
    ///   one, as copies from /run of newer versions of journald.
    @inline(never)
    func note(
        _ entry: EntryHead, after last: UInt64?, fileFrom first: UInt64, _ own: inout RepeatCount
    ) -> (ordinal: UInt32, mayBeKnown: Bool) {
        if let ordinal = noteNext(entry, after: last) { return (ordinal, false) }
        endRun()
        let (number, time) = (entry.seqnum, entry.monotonicMicroseconds)
        if skippedByFlush > 0, let last, number > last, number - last > 1 {
            explain(last + 1...last + min(number - last - 1, skippedByFlush))
            skippedByFlush = 0
        }
        let isHighest = saved.numbers.last.map { number > $0 } ?? true
        let wasSeen = !isHighest && saved.numbers.contains(number)
        if !wasSeen { hasOtherHoles = true }
        let isOld = saved.monotonicMicroseconds.map { time <= $0.upperBound } ?? false
        if isOld, repeats.hasLast(time, entry.xorHash) { skippedByFlush = repeats.seqnum - min(number, repeats.seqnum) }
        let range = saved.monotonicMicroseconds ?? time...time
        if isHighest, time >= range.upperBound { run = Run(first: number, last: number, count: 1, time: time) }
        // Files of many machines have entries of their boots in turns: those of others lie between.
        let before = last ?? saved.numbers.last.flatMap { isHighest && $0 >= first ? $0 : nil }
        saved.lastRealtimeMicroseconds = max(saved.lastRealtimeMicroseconds, entry.realtimeMicroseconds)
        saved.numbers.insert(number)
        saved.spans.insert(min(before ?? number, number)...number)
        saved.monotonicMicroseconds = min(range.lowerBound, time)...max(range.upperBound, time)
        isChanged = true
        let ordinal =
            number > repeats.seqnum
            ? repeats.ordinal(seqnum: number, monotonicMicroseconds: time, xorHash: entry.xorHash)
            : own.ordinal(seqnum: number, monotonicMicroseconds: time, xorHash: entry.xorHash)
        return (ordinal, wasSeen || isOld)
    }

    private func endRun() {
        guard run.count > 1 else {
            run.count = 0
            return
        }
        saved.numbers.insert(run.first...run.last)
        saved.spans.insert(run.first...run.last)
        saved.lastRealtimeMicroseconds = max(saved.lastRealtimeMicroseconds, run.realtime)
        let start = saved.monotonicMicroseconds?.lowerBound ?? run.time
        saved.monotonicMicroseconds = min(start, run.time)...max(start, run.time)
        isChanged = true
        run.count = 0
    }

    /// Of its first and last entry, in microseconds since the boot.
    private var times: ClosedRange<UInt64>? {
        guard run.count > 0 else { return saved.monotonicMicroseconds }
        return saved.monotonicMicroseconds.map { min($0.lowerBound, run.time)...max($0.upperBound, run.time) }
    }

    /// What is known by now.
    var coverage: ChainCoverage {
        endRun()
        saved.repeats = repeats
        return saved
    }

    /// An entry of this number was seen, and is another's copy.
    func noteSeen(_ number: UInt64) {
        learn {
            $0.numbers.insert(number)
            $0.spans.insert(number...number)
        }
    }

    /// It is known why these numbers are missing, those of them that this chain has had.
    func explain(_ missing: ClosedRange<UInt64>) { learn { $0.explained.insert(missing) } }

    /// A file may have had entries behind that of this number.
    func noteOpenEnd(at number: UInt64) { learn { $0.openEnds.insert(number) } }

    private func learn(_ change: (inout ChainCoverage) -> Void) {
        endRun()
        change(&saved)
        isChanged = true
        hasOtherHoles = true
    }

    /// - Returns: what is known, where that has changed since the last call.
    func takeChange() -> ChainCoverage? {
        endRun()
        defer { isChanged = false }
        return isChanged ? coverage : nil
    }
}

/// The chains of a journal.
struct Chains {
    private var chains: [ChainID: Chain]
    private var ofBoots: [BootOfMachine: [Chain]] = [:]
    private var families: [FamilyID: Chain.Family] = [:]

    private struct FamilyID: Hashable {
        var boot: BootOfMachine
        @Exact var name: String
    }

    init(_ saved: [ChainID: ChainCoverage] = [:]) {
        chains = [:]
        for (id, coverage) in saved { _ = add(id, coverage) }
    }

    subscript(id: ChainID) -> Chain {
        mutating get { chains[id] ?? add(id, ChainCoverage()) }
    }

    private mutating func add(_ id: ChainID, _ coverage: ChainCoverage) -> Chain {
        let family = families[FamilyID(boot: id.boot, name: id.name)] ?? Chain.Family()
        families[FamilyID(boot: id.boot, name: id.name)] = family
        let chain = Chain(id, coverage, of: family)
        family.add(chain)
        chains[id] = chain
        ofBoots[id.boot, default: []].append(chain)
        return chain
    }

    /// Those that a file may have entries of.
    func ofFile(_ file: FilePosition) -> [Chain] {
        let name = JournalFile.chainName(file.path)
        return chains.values.filter {
            $0.id.seqnumID == file.seqnumID && $0.id.machineID == file.machineID && $0.id.name.isExactly(name)
        }
    }

    mutating func takeChanges() -> [ChainID: ChainCoverage] {
        chains.compactMapValues { $0.takeChange() }
    }

    // MARK: what is missing

    /// Numbers that may be missing.
    struct Hole: Hashable {
        var boot: BootOfMachine
        /// That had them.
        var seqnumID: ID128
        var numbers: ClosedRange<UInt64>

        func contains(_ other: Self) -> Bool {
            numbers.lowerBound <= other.numbers.lowerBound && numbers.upperBound >= other.numbers.upperBound
        }
    }

    /// Where entries may be missing, for each boot that has had other holes since the last call.
    mutating func otherHoles() -> [BootOfMachine: [Hole]] {
        var found: [BootOfMachine: [Hole]] = [:]
        for (boot, chains) in ofBoots where chains.contains(where: \.hasOtherHoles) {
            found[boot] = Self.holes(of: boot, chains)
            for chain in chains { chain.hasOtherHoles = false }
        }
        return found
    }

    /// Looks for holes once more.
    func lookAgain(at boots: some Sequence<BootOfMachine>) {
        for boot in boots {
            for chain in ofBoots[boot] ?? [] { chain.hasOtherHoles = true }
        }
    }

    /// Numbers that no chain of the boot has, as all of them draw from one counter. Between two files of a chain, entries
    /// are missing if their numbers are; one number alone is what an entry leaves that had no room in a full file, unless
    /// that file went before it was known to be full. Within a file nothing is missing of its own chain; but where another chain had begun by then, its files may be gone.
    private static func holes(of boot: BootOfMachine, _ chains: [Chain]) -> [Hole] {
        let known = chains.map(\.coverage)
        let begun = known.compactMap { $0.numbers.ranges.first?.lowerBound }.sorted()
        var holes: [Hole] = []
        for (chain, coverage) in zip(chains, known) {
            for hole in coverage.numbers.holes {
                let isBetweenFiles = !coverage.spans.contains(all: hole)
                guard isBetweenFiles || begun.count > 1 && hole.lowerBound > begun[1] else { continue }
                // The chain itself has none of them.
                let rest = known.reduce([hole]) { rest, other in
                    rest.flatMap { other.numbers.missing(in: $0) }.flatMap { other.explained.missing(in: $0) }
                }
                // Chains have holes in common. There may be more numbers than can be counted.
                for numbers in rest
                where (numbers.lowerBound < numbers.upperBound || coverage.openEnds.contains(numbers.lowerBound - 1))
                    && !holes.contains(where: { $0.numbers.overlaps(numbers) })
                {
                    holes.append(Hole(boot: boot, seqnumID: chain.id.seqnumID, numbers: numbers))
                }
            }
        }
        return holes.sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
    }
}

extension ChainID {
    var boot: BootOfMachine { BootOfMachine(machineID: machineID, bootID: bootID) }
}
