/// Which chain of entries: what one machine wrote in one boot into files of one name, numbered by one counter. Rotation goes
/// on with it in the next file. The system's files and those of each user are chains of their own, which draw from one
/// counter.
package struct ChainID: Hashable, Sendable {
    package var machineID: ID128
    package var seqnumID: ID128
    package var bootID: ID128
    /// Of its files, without what rotation adds to it: `system`, `user-1000`.
    @Exact package var name: String

    package init(machineID: ID128, seqnumID: ID128, bootID: ID128, name: String) {
        self.machineID = machineID
        self.seqnumID = seqnumID
        self.bootID = bootID
        self.name = name
    }
}

/// What is known of a chain, whatever files it is in.
package struct ChainCoverage: Hashable, Sendable {
    /// Numbers that were seen.
    package var numbers: NumberRanges
    /// Those that are missing for a reason that is known, as far as this chain has had them.
    package var explained: NumberRanges
    /// Numbers that were seen, where what lies between two entries of one file counts as seen: a hole in it lies between files.
    package var spans: NumberRanges
    /// Numbers of entries behind which their files may have had more, as they went before that was known.
    package var openEnds: NumberRanges
    /// From the first to the last entry, in microseconds since the boot; `nil` before the first.
    package var monotonicMicroseconds: ClosedRange<UInt64>?
    /// When the last entry was written, in microseconds since 1970.
    package var lastRealtimeMicroseconds: UInt64
    /// Of the entries that came last.
    package var repeats: RepeatCount

    package init(
        numbers: NumberRanges = .init(), explained: NumberRanges = .init(), spans: NumberRanges = .init(),
        openEnds: NumberRanges = .init(),
        monotonicMicroseconds: ClosedRange<UInt64>? = nil, lastRealtimeMicroseconds: UInt64 = 0,
        repeats: RepeatCount = .init()
    ) {
        self.numbers = numbers
        self.explained = explained
        self.spans = spans
        self.openEnds = openEnds
        self.monotonicMicroseconds = monotonicMicroseconds
        self.lastRealtimeMicroseconds = lastRealtimeMicroseconds
        self.repeats = repeats
    }
}
