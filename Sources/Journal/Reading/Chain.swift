import Model

/// What is known about a chain of entries while its files are read.
final class Chain {
    let id: ChainID
    private unowned let boot: Boot
    /// Whether this is the boot's only chain of files with this name. After a flush from /run to /var, the entries that
    /// one machine wrote into such files in one boot have a second set of numbers.
    private var isAlone = true
    /// Times since the boot, in microseconds, at which the other chains have no entries; reset when one of them is
    /// read.
    private var timesWithoutSiblings: Range<UInt64> = 0..<0
    /// The time until which the boot's other chains had been read when this one began, in microseconds since 1970: until then,
    /// its files may be copies of theirs with another name.
    private(set) var mayBeCopyUntil: UInt64 = 0
    /// The saved coverage, without `run` and without what `coverage` adds.
    private var saved: ChainCoverage
    private var run = Run()
    private var repeats: RepeatCount
    /// Whether it differs from what was saved.
    private var isChanged = false
    /// How many numbers after copies from /run are not missing.
    private var skippedByFlush: UInt64 = 0

    /// The chains of one boot of one machine.
    final class Boot {
        let id: BootOfMachine
        private(set) var chains: [Chain] = []
        /// Whether the holes may have changed.
        var holesMayHaveChanged = true
        /// The last batch in which it had entries.
        var lastBatch = 0

        init(_ id: BootOfMachine) { self.id = id }

        /// Adds a chain that has no entries yet.
        /// - Parameter now: the time in microseconds since 1970. A time has no checksum: one in the future is wrong.
        func begin(_ id: ChainID, now: UInt64) -> Chain {
            let last = chains.map(\.latestRealtimeMicroseconds).max() ?? 0
            let chain = add(id, ChainCoverage())
            chain.mayBeCopyUntil = min(last, now)
            return chain
        }

        func add(_ id: ChainID, _ coverage: ChainCoverage) -> Chain {
            let chain = Chain(id, coverage, of: self)
            chains.append(chain)
            noteSiblings(of: chain)
            holesMayHaveChanged = true
            return chain
        }

        func remove(_ chain: Chain) {
            chains.removeAll { $0 === chain }
            noteSiblings(of: chain)
        }

        private func noteSiblings(of chain: Chain) {
            let others = chains.filter(chain.hasFilesOf)
            for other in others {
                other.isAlone = others.count == 1
                other.timesWithoutSiblings = 0..<0
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

    /// Whether another chain of the same files has entries from before and after this time: the entry may be one of
    /// them, under another number.
    @inline(__always)
    func mayHaveOtherNumber(monotonicMicroseconds time: UInt64) -> Bool {
        !isAlone && !timesWithoutSiblings.contains(time) && hasSiblings(at: time)
    }

    @inline(never)
    private func hasSiblings(at time: UInt64) -> Bool {
        var (hasSiblings, end) = (false, UInt64.max)
        for other in boot.chains where other !== self && hasFilesOf(other) {
            other.timesWithoutSiblings = 0..<0
            guard let times = other.times else { continue }
            if times.contains(time) { hasSiblings = true }
            if times.lowerBound > time { end = min(end, times.lowerBound) }
        }
        timesWithoutSiblings = hasSiblings ? 0..<0 : time..<end
        return hasSiblings
    }

    /// Records an entry that may have another number in another chain. When journald flushes /run to /var, it copies
    /// all entries that are left in /run, including the newest. So a copy of the last entry that was read in /run is
    /// followed by copies of the entries that were written after it. Some numbers are then not missing: those before
    /// the copies, or after the copies as many as the difference between the original numbers and those of the copies.
    @inline(never)
    func noteCopy(_ entry: EntryHead) {
        for other in boot.chains where other !== self && hasFilesOf(other) {
            guard other.repeats.contains(entry.monotonicMicroseconds, entry.xorHash),
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

    /// Records an entry that has the number after the highest one, is in the same file, and has a later time, as nearly
    /// all entries.
    /// - Parameter last: the number of the previous entry in its file.
    /// - Returns: the number of equal entries before it; `nil` if it is not such an entry.
    @inline(__always)
    func noteNext(_ entry: EntryHead, after last: UInt64?) -> UInt32? {
        let (number, time) = (entry.seqnum, entry.monotonicMicroseconds)
        guard run.count > 0, number > run.last, number - run.last == 1, last == run.last, time >= run.time else {
            return nil
        }
        run = Run(
            first: run.first, last: number, count: run.count + 1, time: time,
            realtime: max(run.realtime, entry.realtimeMicroseconds))
        return repeats.ordinal(entry)
    }

    /// Entries with the highest numbers, consecutive in one file.
    private struct Run {
        var first: UInt64 = 0
        var last: UInt64 = 0
        var count: UInt64 = 0
        /// The time of the last entry, which is the latest.
        var time: UInt64 = 0
        var realtime: UInt64 = 0
    }

    /// Records any entry.
    /// - Parameters:
    ///   - last: the number of the previous entry in its file; `nil` if that is of another boot.
    ///   - first: the first number of its file.
    ///   - own: counts the entries of a file that was found late, whose numbers are below those that were already
    ///     counted.
    /// - Returns: the number of equal entries before it, whether its number was certainly read before, and whether the entry
    ///   may have been: under that number, or under another one, as copies from /run by newer versions of journald.
    @inline(never)
    func note(
        _ entry: EntryHead, after last: UInt64?, fileFrom first: UInt64, _ own: inout RepeatCount
    ) -> (ordinal: UInt32, wasRead: Bool, mayBeKnown: Bool) {
        if let ordinal = noteNext(entry, after: last) { return (ordinal, false, false) }
        endRun()
        let (number, time) = (entry.seqnum, entry.monotonicMicroseconds)
        if skippedByFlush > 0, let last, number > last, number - last > 1 {
            explain(last + 1...last + min(number - last - 1, skippedByFlush))
            skippedByFlush = 0
        }
        let isHighest = saved.numbers.last.map { number > $0 } ?? true
        let isSeen = !isHighest && saved.numbers.contains(number)
        if !isSeen { boot.holesMayHaveChanged = true }
        let isOld = saved.monotonicMicroseconds.map { time <= $0.upperBound } ?? false
        if isOld, repeats.contains(time, entry.xorHash) {
            skippedByFlush = repeats.seqnum - min(number, repeats.seqnum)
        }
        let range = saved.monotonicMicroseconds ?? time...time
        if isHighest, time >= range.upperBound { run = Run(first: number, last: number, count: 1, time: time) }
        // In files of many machines the entries of their boots alternate: the numbers between are those of others.
        let before = last ?? saved.numbers.last.flatMap { isHighest && $0 >= first ? $0 : nil }
        saved.latestRealtimeMicroseconds = max(saved.latestRealtimeMicroseconds, entry.realtimeMicroseconds)
        saved.numbers.insert(number)
        saved.spans.insert(min(before ?? number, number)...number)
        saved.monotonicMicroseconds = min(range.lowerBound, time)...max(range.upperBound, time)
        isChanged = true
        let ordinal = number > repeats.seqnum ? repeats.ordinal(entry) : own.ordinal(entry)
        return (ordinal, isSeen && saved.numbers.isExact, isSeen || isOld)
    }

    private func endRun() {
        guard run.count > 1 else {
            run.count = 0
            return
        }
        saved.numbers.insert(run.first...run.last)
        saved.spans.insert(run.first...run.last)
        saved.latestRealtimeMicroseconds = max(saved.latestRealtimeMicroseconds, run.realtime)
        let start = saved.monotonicMicroseconds?.lowerBound ?? run.time
        saved.monotonicMicroseconds = min(start, run.time)...max(start, run.time)
        isChanged = true
        run.count = 0
    }

    /// The times of its first and last entry, in microseconds since the boot.
    private var times: ClosedRange<UInt64>? {
        guard run.count > 0 else { return saved.monotonicMicroseconds }
        return saved.monotonicMicroseconds.map { min($0.lowerBound, run.time)...max($0.upperBound, run.time) }
    }

    /// The latest time at which an entry was written, in microseconds since 1970.
    private var latestRealtimeMicroseconds: UInt64 { max(saved.latestRealtimeMicroseconds, run.realtime) }

    /// From the lowest to the highest number that was seen or is missing for a known reason.
    var extent: ClosedRange<UInt64>? {
        let first = min(saved.numbers.first ?? .max, saved.explained.first ?? .max)
        let last = max(saved.numbers.last ?? 0, saved.explained.last ?? 0, run.count > 0 ? run.last : 0)
        return first <= last ? first...last : nil
    }

    /// The current coverage.
    var coverage: ChainCoverage {
        endRun()
        saved.repeats = repeats
        return saved
    }

    /// Records that the entry with this number was seen and is a copy of another.
    func noteSeen(_ number: UInt64) {
        learn {
            $0.numbers.insert(number)
            $0.spans.insert(number...number)
        }
    }

    /// Records that the reason is known why these numbers are missing.
    func explain(_ missing: ClosedRange<UInt64>) { learn { $0.explained.insert(missing) } }

    /// Records that a file may have had entries after the one with this number.
    func noteOpenEnd(at number: UInt64) { learn { $0.openEnds.insert(number) } }

    private func learn(_ change: (inout ChainCoverage) -> Void) {
        endRun()
        change(&saved)
        isChanged = true
        boot.holesMayHaveChanged = true
    }

    /// - Returns: the coverage, if it has changed since the last call.
    func takeChange() -> ChainCoverage? {
        endRun()
        defer { isChanged = false }
        return isChanged ? coverage : nil
    }
}

extension RepeatCount {
    @inline(__always)
    fileprivate mutating func ordinal(_ entry: EntryHead) -> UInt32 {
        ordinal(
            seqnum: entry.seqnum, monotonicMicroseconds: entry.monotonicMicroseconds,
            realtimeMicroseconds: entry.realtimeMicroseconds, xorHash: entry.xorHash)
    }
}
