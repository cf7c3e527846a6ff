/// The identity of a chain: the entries that one machine wrote in one boot into files of one name, numbered by one
/// counter. Rotation continues the chain in the next file. The system's files and those of each user are separate
/// chains that share one counter.
package struct ChainID: Hashable, Sendable {
    package var machineID: ID128
    package var seqnumID: ID128
    package var bootID: ID128
    /// The name of its files, without the suffix that rotation adds: `system`, `user-1000`.
    @Exact package var name: String

    package init(machineID: ID128, seqnumID: ID128, bootID: ID128, name: String) {
        self.machineID = machineID
        self.seqnumID = seqnumID
        self.bootID = bootID
        self.name = name
    }
}

/// What is known about a chain, independent of the files that hold it.
package struct ChainCoverage: Hashable, Sendable {
    /// The numbers that were seen.
    package var numbers: NumberRanges
    /// The missing numbers whose reason is known, within the range of this chain.
    package var explained: NumberRanges
    /// The numbers that were seen, counting everything between two entries of one file as seen: a hole is between
    /// files.
    package var spans: NumberRanges
    /// The numbers of entries after which their files may have had more: the files were gone before this was known.
    package var openEnds: NumberRanges
    /// The times from the first to the last entry, in microseconds since the boot; `nil` before the first.
    package var monotonicMicroseconds: ClosedRange<UInt64>?
    /// The latest time at which an entry was written, in microseconds since 1970.
    package var latestRealtimeMicroseconds: UInt64
    /// The counts of the entries that came last.
    package var repeats: RepeatCount

    package init(
        numbers: NumberRanges = .init(), explained: NumberRanges = .init(), spans: NumberRanges = .init(),
        openEnds: NumberRanges = .init(),
        monotonicMicroseconds: ClosedRange<UInt64>? = nil, latestRealtimeMicroseconds: UInt64 = 0,
        repeats: RepeatCount = .init()
    ) {
        self.numbers = numbers
        self.explained = explained
        self.spans = spans
        self.openEnds = openEnds
        self.monotonicMicroseconds = monotonicMicroseconds
        self.latestRealtimeMicroseconds = latestRealtimeMicroseconds
        self.repeats = repeats
    }
}
