/// Tells entries from each other that have the same boot, monotonic time and hash: journald stamps all lines of one write
/// with the same time, and equal lines then have equal hashes. For the entries of one counter in one boot, in their order.
struct RepeatCount: Sendable, Hashable {
    /// More different entries of one time are not told from each other: a write has 48 KiB at most.
    static let maximumHashes = 1 << 16

    /// Of the entries that came last.
    private(set) var monotonicMicroseconds: UInt64
    private(set) var counts: [UInt64: UInt32]

    /// - Parameter counts: how many entries of this time were there before, by their hashes.
    init(monotonicMicroseconds: UInt64 = 0, counts: [UInt64: UInt32] = [:]) {
        self.monotonicMicroseconds = monotonicMicroseconds
        self.counts = counts
    }

    /// - Returns: how many entries of the same time and hash came before this one.
    mutating func ordinal(monotonicMicroseconds time: UInt64, xorHash hash: UInt64) -> UInt32 {
        if time != monotonicMicroseconds || counts.count >= Self.maximumHashes {
            monotonicMicroseconds = time
            counts.removeAll(keepingCapacity: counts.count < 64)
        }
        defer { counts[hash, default: 0] += 1 }
        return counts[hash] ?? 0
    }
}
