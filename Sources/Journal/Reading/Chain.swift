import Model

/// What is known of a chain of entries, while files of it are read.
final class Chain {
    let id: ChainID
    private unowned let boot: Boot
    /// Whether the boot has no others of files of the same name: what one machine wrote into those in one boot has other
    /// numbers as well after a flush from /run to /var.
    private var isAlone = true
    /// In these microseconds since the boot none of those had entries, and none of them was read since that was found out.
    private var timesAlone: Range<UInt64> = 0..<0
    /// Without the run, and without what `coverage` adds.
    private var saved: ChainCoverage
    private var run = Run()
    private var repeats: RepeatCount
    /// Whether it differs from what was saved.
    private var isChanged = false
    /// How many numbers are not missing that come behind copies from /run.
    private var skippedByFlush: UInt64 = 0

    /// The chains of one boot of one machine.
    final class Boot {
        let id: BootOfMachine
        private(set) var chains: [Chain] = []
        /// Whether holes may have come or gone.
        var hasOtherHoles = true
        /// In which batch it had entries last.
        var lastBatch = 0

        init(_ id: BootOfMachine) { self.id = id }

        func add(_ id: ChainID, _ coverage: ChainCoverage) -> Chain {
            let chain = Chain(id, coverage, of: self)
            chains.append(chain)
            noteCompany(of: chain)
            hasOtherHoles = true
            return chain
        }

        func remove(_ chain: Chain) {
            chains.removeAll { $0 === chain }
            noteCompany(of: chain)
        }

        private func noteCompany(of chain: Chain) {
            let others = chains.filter(chain.hasFilesOf)
            for other in others {
                other.isAlone = others.count == 1
                other.timesAlone = 0..<0
            }
        }
    }

    private init(_ id: ChainID, _ coverage: ChainCoverage, of boot: Boot) {
        self.id = id
        saved = coverage
        repeats = coverage.repeats
        self.boot = boot
    }

    private func hasFilesOf(_ other: Chain) -> Bool { id.name.isExactly(other.id.name) }

    /// Whether the same files had entries from before and after this time under other numbers: the entry may be one of them.
    @inline(__always)
    func mayHaveOtherNumber(monotonicMicroseconds time: UInt64) -> Bool {
        !isAlone && !timesAlone.contains(time) && hasCompany(at: time)
    }

    @inline(never)
    private func hasCompany(at time: UInt64) -> Bool {
        var (hasCompany, end) = (false, UInt64.max)
        for other in boot.chains where other !== self && hasFilesOf(other) {
            other.timesAlone = 0..<0
            guard let times = other.times else { continue }
            if times.contains(time) { hasCompany = true }
            if times.lowerBound > time { end = min(end, times.lowerBound) }
        }
        timesAlone = hasCompany ? 0..<0 : time..<end
        return hasCompany
    }

    /// Takes note of an entry that may be one of another chain under another number. journald copies all that is left in
    /// /run to /var, the newest too: who finds a copy of the last entry that was read in /run will find copies of those that
    /// were written behind it. Their own numbers are not missing: those before the copies, or as many behind them as the
    /// copies are numbered lower than what they are of.
    @inline(never)
    func noteCopy(_ entry: EntryHead) {
        for other in boot.chains where other !== self && hasFilesOf(other) {
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
        if !wasSeen { boot.hasOtherHoles = true }
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
        boot.hasOtherHoles = true
    }

    /// - Returns: what is known, where that has changed since the last call.
    func takeChange() -> ChainCoverage? {
        endRun()
        defer { isChanged = false }
        return isChanged ? coverage : nil
    }
}
