/// How far a journal was read: what the next start goes on with.
package struct ReadingState: Sendable, Hashable {
    /// Entries that are older are not read, whenever their files come; microseconds since 1970.
    package var startMicroseconds: UInt64
    /// Entries until then may be stored although they are not among those that were read; microseconds since 1970. `nil`,
    /// which is usual: there are none.
    package var knownUntilMicroseconds: UInt64?
    package var files: [FilePosition]
    package var chains: [ChainID: ChainCoverage]

    package init(
        startMicroseconds: UInt64, knownUntilMicroseconds: UInt64? = nil, files: [FilePosition] = [],
        chains: [ChainID: ChainCoverage] = [:]
    ) {
        self.startMicroseconds = startMicroseconds
        self.knownUntilMicroseconds = knownUntilMicroseconds
        self.files = files
        self.chains = chains
    }
}

/// What changed of it, to be saved in the transaction of the events that were read.
package struct ReadingProgress: Sendable, Hashable {
    /// Since when entries are read, where that is not saved yet.
    package var startMicroseconds: UInt64?
    /// Until when entries may be stored that the rest says nothing of; 0: there are none any more.
    package var knownUntilMicroseconds: UInt64?
    /// By `fileID`; `nil`: it is gone, and nothing of it is left to be read.
    package var files: [ID128: FilePosition?] = [:]
    /// `nil`: it is forgotten.
    package var chains: [ChainID: ChainCoverage?] = [:]
    /// Where numbers are missing as far as is known now, in place of what was known before.
    package var holes: [BootOfMachine: [Gap]] = [:]
    /// Entries that were read since the last progress, by what became of them.
    package var counts = EntryCounts()

    package init() {}

    package var isEmpty: Bool { self == ReadingProgress() }

    /// Adds what changed after this.
    package mutating func add(_ later: ReadingProgress) {
        startMicroseconds = later.startMicroseconds ?? startMicroseconds
        knownUntilMicroseconds = later.knownUntilMicroseconds ?? knownUntilMicroseconds
        Self.add(later.files, to: &files)
        Self.add(later.chains, to: &chains)
        Self.add(later.holes, to: &holes)
        counts.add(later.counts)
    }

    /// What nothing is added to shares its memory.
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

/// What became of the entries that were read: each is in one of these, or damaged, which gap records tell.
package struct EntryCounts: Sendable, Hashable {
    /// Events.
    package var stored: Int64 = 0
    /// No rule takes them.
    package var passed: Int64 = 0
    /// They were stored before, and came again in another file.
    package var duplicates: Int64 = 0
    /// They are older than events are kept.
    package var expired: Int64 = 0

    package init(stored: Int64 = 0, passed: Int64 = 0, duplicates: Int64 = 0, expired: Int64 = 0) {
        self.stored = stored
        self.passed = passed
        self.duplicates = duplicates
        self.expired = expired
    }

    package var read: Int64 { stored + passed + duplicates + expired }

    package mutating func add(_ other: EntryCounts) {
        stored += other.stored
        passed += other.passed
        duplicates += other.duplicates
        expired += other.expired
    }
}
