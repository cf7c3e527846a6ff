internal import GRDB
internal import Model

/// Events that are removed together: a block, its events of some sources, or the open events, which are in no
/// block.
struct Removal {
    private enum Part {
        case block(StoredBlock)
        /// Only the events of `sources`.
        case some(StoredBlock)
        case open
        /// A block whose row is damaged.
        case damaged
    }

    private let part: Part
    let ids: ClosedRange<Int64>
    /// The time of the newest of these events, in microseconds since 1970.
    let newestTime: Int64
    /// The sources whose retention removes the events; `nil` when events are removed regardless of their source.
    private(set) var sources: Set<ExactString>?

    /// Whether the rest of the block is kept, and therefore written again.
    var isPart: Bool { if case .some = part { true } else { false } }

    var isOpen: Bool { if case .open = part { true } else { false } }

    /// Creates a removal of the events that a block has of some sources.
    init(_ block: StoredBlock, of sources: Set<ExactString>, _ db: Database) throws {
        let isWhole = try BlockSourceTable.sources(ofBlock: block.ids.lowerBound, db).isSubset(of: sources)
        part = isWhole ? .block(block) : .some(block)
        ids = block.ids
        newestTime = block.times.upperBound
        self.sources = sources
        if !isWhole {
            cost = BatchCost(
                restOf: try PackedBlockTable.bytes(ofBlock: block.ids.lowerBound, db), events: block.count)
        }
    }

    private init(part: Part, ids: ClosedRange<Int64>, newestTime: Int64) {
        (self.part, self.ids, self.newestTime) = (part, ids, newestTime)
    }

    /// The cost of writing the rest of a block.
    private(set) var cost: BatchCost?

    /// Returns the block whose newest event is the oldest, or one whose row is damaged if there are no others, or the open
    /// events where there is no block.
    /// - Parameter id: only events up to this one are considered.
    static func oldest(upTo id: Int64 = .max, _ db: Database) throws -> Removal? {
        if let block = try PackedBlockTable.oldest(upTo: id, db) {
            return Removal(part: .block(block), ids: block.ids, newestTime: block.times.upperBound)
        }
        if let (ids, newestTime) = try PackedBlockTable.first(upTo: id, db) {
            return Removal(part: .damaged, ids: ids, newestTime: newestTime)
        }
        guard try PackedBlockTable.lastID(db) == 0, let span = try OpenEventTable.span(db), span.ids.upperBound <= id
        else { return nil }
        return Removal(part: .open, ids: span.ids, newestTime: span.times.upperBound)
    }

    /// Returns how many of the events come after an id: of a damaged block, all that it may have.
    func count(after id: Int64, _ db: Database) throws -> Int64 {
        guard id < ids.upperBound else { return 0 }
        let later = id + 1...ids.upperBound
        return switch part {
        case .open: try OpenEventTable.count(of: later, db)
        case .block(let block), .some(let block): try block.count(of: later, db)
        case .damaged: Int64(min(later.count, BlockPacker.capacity))
        }
    }

    /// Leaves the events where they are, but no longer counts them among those of their sources. Must run within a
    /// transaction.
    func forgetSources(_ db: Database) throws {
        for source in sources ?? [] {
            try BlockSourceTable.remove(source.wrappedValue, ofBlock: ids.lowerBound, db)
        }
    }

    /// Removes the events, within a transaction. If the rest of a block is written, its expired events are removed
    /// too. If the block has none of them, only the names of its sources are corrected: they have no checksum.
    /// - Returns: the latest time of a removed event of each source; `nil` when events are removed regardless of
    ///   their source.
    func remove(
        _ retention: Retention, deliveredToAll lastDelivered: Int64, _ db: Database, _ state: inout WriterState
    ) throws -> [ExactString: Int64]? {
        switch part {
        case .block(let block):
            try PackedBlockTable.remove(block.ids.lowerBound, db)
            return sources.map { Dictionary(uniqueKeysWithValues: $0.map { ($0, newestTime) }) }
        case .some(let block):
            var (removed, found) = ([ExactString: Int64](), Set<ExactString>())
            try EventRewriter(db).rewrite(block) { event in
                let source = ExactString(event.origin.source)
                found.insert(source)
                let hasExpired = event.id <= lastDelivered && retention.hasExpired(event)
                guard hasExpired || sources?.contains(source) ?? true else { return .none }
                removed[source] = max(removed[source] ?? 0, Int64(bitPattern: event.realtimeMicroseconds))
                return .removed
            }
            if removed.isEmpty { try BlockSourceTable.correct(found, ofBlock: ids.lowerBound, db) }
            return removed
        case .damaged:
            try PackedBlockTable.remove(ids.lowerBound, db)
            return nil
        case .open:
            try OpenEventTable.removeAll(db)
            try state.appender.reload(db)
            return nil
        }
    }
}
