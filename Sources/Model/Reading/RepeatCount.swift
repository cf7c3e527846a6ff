/// Numbers the entries of a chain that are equal in boot, monotonic time and hash, so that each has its own uid: journald
/// gives all lines of one write the same time, and equal lines have equal hashes. Entries are counted in the order of
/// their sequence numbers. The count ends when the time changes: journald's monotonic time never decreases within a boot. In files
/// that were made of other logs it may never change; then the count ends when an entry is later than all before it.
package struct RepeatCount: Sendable, Hashable {
    /// The maximum number of different hashes that are remembered for one time; beyond it, counting starts again. One
    /// write has at most 48 KiB, and so at most that many lines.
    @inlinable package static var maximumHashes: Int { 1 << 16 }

    /// The sequence number of the last entry.
    package var seqnum: UInt64
    package var monotonicMicroseconds: UInt64
    /// The latest time since 1970 of all entries, in microseconds: no entry that is later has an equal one before it.
    @usableFromInline var latestMicroseconds: UInt64
    /// The first hash of its time, which is nearly always the only one.
    @usableFromInline var first: (hash: UInt64, count: UInt32)
    @usableFromInline var others: [UInt64: UInt32]

    /// - Parameters:
    ///   - latestMicroseconds: the latest time since 1970 of all entries, in microseconds.
    ///   - counts: the number of entries of this time by their hashes.
    package init(
        seqnum: UInt64 = 0, monotonicMicroseconds: UInt64 = 0, latestMicroseconds: UInt64 = 0,
        counts: [UInt64: UInt32] = [:]
    ) {
        self.seqnum = seqnum
        self.monotonicMicroseconds = monotonicMicroseconds
        self.latestMicroseconds = latestMicroseconds
        others = counts
        first = (0, 0)
        if let any = others.popFirst() { first = (any.key, any.value) }
    }

    /// The number of entries of this time by their hashes.
    package var counts: [UInt64: UInt32] {
        first.count == 0 ? others : others.merging([first.hash: first.count]) { $1 }
    }

    /// Whether an entry with this hash was counted at this time, which must be the latest one.
    package func contains(_ monotonicMicroseconds: UInt64, _ xorHash: UInt64) -> Bool {
        monotonicMicroseconds == self.monotonicMicroseconds
            && (first.count > 0 && first.hash == xorHash || others[xorHash] != nil)
    }

    /// - Parameters:
    ///   - seqnum: a number higher than that of the previous entry.
    ///   - realtime: when it was written, in microseconds since 1970.
    /// - Returns: the number of earlier entries with the same time and hash.
    @inlinable
    package mutating func ordinal(
        seqnum: UInt64, monotonicMicroseconds time: UInt64, realtimeMicroseconds realtime: UInt64, xorHash hash: UInt64
    ) -> UInt32 {
        self.seqnum = seqnum
        let isLatest = realtime > latestMicroseconds
        if isLatest { latestMicroseconds = realtime }
        if time != monotonicMicroseconds || isLatest || others.count >= Self.maximumHashes {
            monotonicMicroseconds = time
            first = (hash, 1)
            if !others.isEmpty { others.removeAll(keepingCapacity: others.count < 64) }
            return 0
        }
        return ordinal(hash)
    }

    @usableFromInline
    mutating func ordinal(_ hash: UInt64) -> UInt32 {
        // Counts that were kept may be damaged, and of any size.
        if first.count == 0 || first.hash == hash {
            defer { first = (hash, first.count.plus(clamped: 1)) }
            return first.count
        }
        let count = others[hash] ?? 0
        others[hash] = count.plus(clamped: 1)
        return count
    }

    package static func == (one: RepeatCount, other: RepeatCount) -> Bool {
        one.seqnum == other.seqnum && one.monotonicMicroseconds == other.monotonicMicroseconds
            && one.counts == other.counts
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(seqnum)
        hasher.combine(counts)
    }
}
