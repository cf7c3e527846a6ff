/// How `store.max_size` is divided: the database and its write-ahead log together never take more.
struct SizeLimit: Sendable {
    static let pageBytes: Int64 = 4096
    static let minimumBytes: Int64 = 2 << 20

    let bytes: Int64

    init(_ bytes: Int64) throws(StoreError) {
        guard bytes >= Self.minimumBytes else {
            throw StoreError(
                kind: .failed, description: "a store of \(bytes) bytes is too small to work with",
                hint: "Set store.max_size to \(Self.minimumBytes) bytes or more.")
        }
        self.bytes = bytes
    }

    /// When the log is copied into the database. Larger means fewer syncs; it counts against the limit.
    var walBytes: Int64 { min(max(bytes / 32, 128 << 10), 8 << 20) }

    /// How many bytes the payloads of a block have at most, so that what is removed at once is a small part of the store.
    var blockPayloadBytes: Int { min(Int(max(bytes / 16, 128 << 10)), BlockPacker.payloadCapacity) }

    /// How many events a block has at most: many small ones are not to make a large one.
    var blockEvents: Int { min(BlockPacker.capacity, blockPayloadBytes / 128) }

    /// What is kept free of events: without a batch on its way there would be nothing that makes room.
    func reservedBytes(sinks: Int) -> Int64 {
        2 * walBytes + min(Int64(sinks) * min(bytes / 16, 2 << 20), bytes / 4)
    }

    /// Free pages that are given back at once: each may write a page to the log.
    var vacuumPages: Int64 { walBytes / Self.pageBytes / 2 }

    /// Gap records that are kept.
    var gaps: Int64 { min(max(bytes / 16384, 128), 10_000) }

    /// How many events are counted by name: as many that are defined, and as many others.
    var countedNames: Int64 { min(max(bytes / 16384, 128), 10_000) }

    /// How many violations and warnings are counted by themselves.
    var countedFindings: Int64 { 4 * countedNames }

    /// The most that each of these takes: names may be long.
    var countedBytes: Int64 { bytes / 32 }

    /// The most that gap records and what is known of the journal's chains and files are to take.
    var recordBytes: Int64 { bytes / 8 }

    /// The most that one version of a dictionary may take, and the most that the keys of its definitions may.
    var dictionaryBytes: Int64 { bytes / 16 }

    /// The most that all versions may take together.
    var allDictionariesBytes: Int64 { bytes / 8 }
}
