/// Tells entries from each other that have the same boot, monotonic time and hash: journald stamps all lines of one write
/// with the same time, and equal lines then have equal hashes. For the entries of one chain, in the order of their numbers.
package struct RepeatCount: Sendable, Hashable {
    /// More different entries of one time are not told from each other: a write has 48 KiB at most.
    @inlinable package static var maximumHashes: Int { 1 << 16 }

    /// Of the entry that came last.
    package var seqnum: UInt64
    package var monotonicMicroseconds: UInt64
    /// Nearly always the only hash of its time.
    @usableFromInline var first: (hash: UInt64, count: UInt32)
    @usableFromInline var others: [UInt64: UInt32]

    /// - Parameter counts: how many entries of this time came, by their hashes.
    package init(seqnum: UInt64 = 0, monotonicMicroseconds: UInt64 = 0, counts: [UInt64: UInt32] = [:]) {
        self.seqnum = seqnum
        self.monotonicMicroseconds = monotonicMicroseconds
        others = counts
        first = (0, 0)
        if let any = others.popFirst() { first = (any.key, any.value) }
    }

    /// How many entries of this time came, by their hashes.
    package var counts: [UInt64: UInt32] {
        first.count == 0 ? others : others.merging([first.hash: first.count]) { $1 }
    }

    /// Whether an entry of this time and hash is among those that came last.
    package func hasLast(_ monotonicMicroseconds: UInt64, _ xorHash: UInt64) -> Bool {
        monotonicMicroseconds == self.monotonicMicroseconds
            && (first.count > 0 && first.hash == xorHash || others[xorHash] != nil)
    }

    /// - Parameter seqnum: higher than that of the entry before.
    /// - Returns: how many entries of the same time and hash came before this one.
    @inlinable
    package mutating func ordinal(seqnum: UInt64, monotonicMicroseconds time: UInt64, xorHash hash: UInt64) -> UInt32 {
        self.seqnum = seqnum
        if time != monotonicMicroseconds || others.count >= Self.maximumHashes {
            monotonicMicroseconds = time
            first = (hash, 1)
            if !others.isEmpty { others.removeAll(keepingCapacity: others.count < 64) }
            return 0
        }
        return ordinal(hash)
    }

    @usableFromInline
    mutating func ordinal(_ hash: UInt64) -> UInt32 {
        if first.count == 0 || first.hash == hash {
            first = (hash, first.count + 1)
            return first.count - 1
        }
        defer { others[hash, default: 0] += 1 }
        return others[hash] ?? 0
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
