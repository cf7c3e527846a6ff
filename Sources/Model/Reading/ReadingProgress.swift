/// How far a journal was read. The next start continues from here.
package struct ReadingState: Sendable, Hashable {
    /// The time before which entries are not read, whenever their files appear; microseconds since 1970.
    package var startMicroseconds: UInt64
    /// The time until which entries may be stored although they are not among those that were read, in microseconds
    /// since 1970. It is usually `nil`: there are none.
    package var knownUntilMicroseconds: UInt64?
    package var files: [FilePosition]
    package var chains: [ChainID: ChainCoverage]
    /// The numbers that gap records call missing, ascending, also of boots without chains.
    package var missing: [BootOfMachine: [MissingRange]]

    package init(
        startMicroseconds: UInt64, knownUntilMicroseconds: UInt64? = nil, files: [FilePosition] = [],
        chains: [ChainID: ChainCoverage] = [:], missing: [BootOfMachine: [MissingRange]] = [:]
    ) {
        self.startMicroseconds = startMicroseconds
        self.knownUntilMicroseconds = knownUntilMicroseconds
        self.files = files
        self.chains = chains
        self.missing = missing
    }
}

/// Numbers that a gap record calls missing.
package struct MissingRange: Sendable, Hashable {
    /// The counter of the entries beside them; `nil` if these were not found.
    package var seqnumID: ID128?
    package var numbers: ClosedRange<UInt64>

    package init(seqnumID: ID128?, numbers: ClosedRange<UInt64>) {
        self.seqnumID = seqnumID
        self.numbers = numbers
    }

    /// Whether they may be numbers of this counter.
    package func mayBe(of seqnumID: ID128) -> Bool { self.seqnumID.map { $0 == seqnumID } ?? true }
}

/// The changes to a `ReadingState`, to be saved in the same transaction as the events that were read.
package struct ReadingProgress: Sendable, Hashable {
    /// The time from which entries are read, if it is not saved yet.
    package var startMicroseconds: UInt64?
    /// The time until which entries may be stored that the state does not cover; 0 when there are none any more.
    package var knownUntilMicroseconds: UInt64?
    /// The changed positions by `fileID`; `nil` for a file that is gone and has nothing left to read.
    package var files: [ID128: FilePosition?] = [:]
    /// The changed chains; `nil` for one that is forgotten.
    package var chains: [ChainID: ChainCoverage?] = [:]
    /// The places where numbers are missing as far as is known now; they replace those known before.
    package var holes: [BootOfMachine: [Gap]] = [:]
    /// The number of entries that were read since the previous progress, by what became of them.
    package var counts = EntryCounts()

    package init() {}

    package var isEmpty: Bool { self == ReadingProgress() }

    /// Adds later changes.
    package mutating func add(_ later: ReadingProgress) {
        startMicroseconds = later.startMicroseconds ?? startMicroseconds
        knownUntilMicroseconds = later.knownUntilMicroseconds ?? knownUntilMicroseconds
        Self.add(later.files, to: &files)
        Self.add(later.chains, to: &chains)
        Self.add(later.holes, to: &holes)
        counts.add(later.counts)
    }

    /// Adds changes. While there are none yet, it takes the other dictionary without copying it.
    private static func add<Key, Value>(_ later: [Key: Value], to all: inout [Key: Value]) {
        if all.isEmpty { all = later } else { all.merge(later) { $1 } }
    }
}

package struct BootOfMachine: Hashable, Sendable {
    package var machineID: ID128
    package var bootID: ID128

    package init(machineID: ID128, bootID: ID128) {
        self.machineID = machineID
        self.bootID = bootID
    }
}

/// What became of the entries that were read: each is counted here once, or is damaged and has a gap record.
package struct EntryCounts: Sendable, Hashable {
    /// Entries that became events.
    package var stored: Int64 = 0
    /// Entries that no rule takes.
    package var skipped: Int64 = 0
    /// Entries that were stored earlier and were found again in another file.
    package var duplicates: Int64 = 0
    /// Entries that are older than events are kept, or were removed and read again.
    package var expired: Int64 = 0

    package init(stored: Int64 = 0, skipped: Int64 = 0, duplicates: Int64 = 0, expired: Int64 = 0) {
        self.stored = stored
        self.skipped = skipped
        self.duplicates = duplicates
        self.expired = expired
    }

    package var read: Int64 { stored + skipped + duplicates + expired }

    package mutating func add(_ other: EntryCounts) {
        stored += other.stored
        skipped += other.skipped
        duplicates += other.duplicates
        expired += other.expired
    }
}
