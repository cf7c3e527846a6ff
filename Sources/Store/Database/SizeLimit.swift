internal import Model

/// The parts of `store.max_size`. The database and its write-ahead log together never exceed it.
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

    /// The size of the log at which it is copied into the database. A larger log means fewer syncs. It counts
    /// against the limit.
    var walBytes: Int64 { min(max(bytes / 32, 128 << 10), 8 << 20) }

    /// The maximum size of the payloads in a block. It is bounded so that removing one block removes only a small
    /// part of the store.
    var blockPayloadBytes: Int { min(Int(max(bytes / 16, 128 << 10)), BlockPacker.payloadCapacity) }

    /// The maximum number of events in a block. It is bounded so that many small events do not make a large block.
    var blockEvents: Int { min(BlockPacker.capacity, blockPayloadBytes / 128) }

    /// Returns the room that events may not use. Without room for a batch in delivery, a full store could never free
    /// any.
    func reservedBytes(sinks: Int) -> Int64 {
        2 * walBytes + min(Int64(sinks) * min(bytes / 16, 2 << 20), bytes / 4)
    }

    /// The number of free pages that are returned in one step: each may write a page to the log.
    var vacuumPages: Int64 { walBytes / Self.pageBytes / 2 }

    /// The maximum number of gap records.
    var gaps: Int64 { min(max(bytes / 16384, 128), 10_000) }

    /// The maximum number of events that are counted by name. It holds for defined events and for all others
    /// separately.
    var countedNames: Int64 { min(max(bytes / 16384, 128), 10_000) }

    /// The maximum number of violations and warnings that are counted individually.
    var countedFindings: Int64 { 4 * countedNames }

    /// The maximum size of each of these tables, since names may be long.
    var countedBytes: Int64 { bytes / 32 }

    /// The maximum size of the gap records and of the state of the journal's chains and files.
    var recordBytes: Int64 { bytes / 8 }

    /// The maximum number of notices. With its deliveries, each takes a page at most.
    var notices: Int { Int(min(bytes / 8 / Self.pageBytes, Int64(AlertNotice.mostKept))) }

    /// The room that notices and what watches have counted leave to events at least: what saving one takes that fills a block,
    /// whose filter may have half of its size, in the database and in the log.
    var eventBytes: Int64 { max(bytes / 16, Int64(blockPayloadBytes) * 7 / 2) }

    /// The maximum size of one version of a dictionary, and of the keys of its definitions.
    var dictionaryBytes: Int64 { bytes / 16 }

    /// The maximum size of all versions together.
    var allDictionariesBytes: Int64 { bytes / 8 }
}
