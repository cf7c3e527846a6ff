internal import GRDB
internal import Model

/// Events that are removed at once: a block, what it has of some sources, or the newest events, which are in none.
struct Removal {
    private enum Part {
        case block(StoredBlock)
        /// Only the events of `sources`.
        case some(StoredBlock)
        case open
    }

    private let part: Part
    let ids: ClosedRange<Int64>
    /// Of the newest of them, in microseconds since 1970.
    let newestTime: Int64
    /// Whose events are removed, as their sources say how long or how many are kept; `nil`: whosever they are.
    private(set) var sources: Set<ExactString>?

    /// Whether the rest of the block stays, which has to be written for that.
    var isPart: Bool { if case .some = part { true } else { false } }

    var isOpen: Bool { if case .open = part { true } else { false } }

    /// The events that a block has of some sources.
    init(_ block: StoredBlock, of sources: Set<ExactString>, _ db: Database) throws {
        let isWhole = try BlockSourceTable.sources(ofBlock: block.ids.lowerBound, db).isSubset(of: sources)
        part = isWhole ? .block(block) : .some(block)
        ids = block.ids
        newestTime = block.times.upperBound
        self.sources = sources
    }

    private init(part: Part, ids: ClosedRange<Int64>, newestTime: Int64) {
        (self.part, self.ids, self.newestTime) = (part, ids, newestTime)
    }

    /// What is written before there is more room: the rest of a block.
    var cost: BatchCost? { if case .some(let block) = part { BatchCost([:], stored: block.size) } else { nil } }

    /// Those whose newest event is the oldest; the newest events only where there is no block.
    /// - Parameter id: only of events up to this one.
    static func oldest(upTo id: Int64 = .max, _ db: Database) throws -> Removal? {
        if let block = try PackedBlockTable.oldest(upTo: id, db) {
            return Removal(part: .block(block), ids: block.ids, newestTime: block.times.upperBound)
        }
        guard try PackedBlockTable.lastID(db) == 0, let span = try OpenEventTable.span(db), span.ids.upperBound <= id
        else { return nil }
        return Removal(part: .open, ids: span.ids, newestTime: span.times.upperBound)
    }

    /// How many of the events come after an id.
    func count(after id: Int64, _ db: Database) throws -> Int64 {
        guard id < ids.upperBound else { return 0 }
        switch part {
        case .open: return try OpenEventTable.count(after: id, db)
        case .block(let block), .some(let block):
            guard id >= ids.lowerBound else { return Int64(block.count) }
            return try block.read(db, BlockFrames()) { content in
                let ids = try content.ids()
                return Int64((0..<content.count).count { ids[$0] > id })
            }
        }
    }

    /// Within a transaction: leaves events where they are as if they were none of their sources.
    func forgetSources(_ db: Database) throws {
        for source in sources ?? [] {
            try BlockSourceTable.remove(source.wrappedValue, ofBlock: ids.lowerBound, db)
        }
    }

    /// Within a transaction.
    func remove(_ db: Database, _ state: inout WriterState) throws {
        switch part {
        case .block(let block): try PackedBlockTable.remove(block.ids.lowerBound, db)
        case .some(let block):
            let sources = sources ?? []
            try EventRewriter(db).rewrite(block) { sources.contains(ExactString($0.origin.source)) ? .removed : .none }
        case .open:
            try OpenEventTable.removeAll(db)
            try state.appender.reload(db)
        }
    }
}
