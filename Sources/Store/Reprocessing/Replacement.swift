internal import GRDB
internal import Model

/// What takes the place of a block, made from a snapshot: only writing it keeps others from writing. The newest events
/// change all the time, and are changed where they are written.
struct Replacement: Sendable {
    private let changes: [Int64: ReprocessedEvent]
    private let retention: Retention
    /// Up to which event every sink had them.
    private let had: Int64
    /// `nil` for the newest events.
    private let block: Block?
    /// Those that need not be looked at again.
    let ids: ClosedRange<Int64>

    private struct Block {
        let stored: StoredBlock
        let data: [UInt8]
        let changed: ReplacedEvents
        /// `nil` when it stays as it is.
        let edition: EventRewriter.Edition?
    }

    /// - Parameters:
    ///   - changes: those of events in the first block from `first` on, or among the newest, are taken.
    ///   - retention: events that are over, and that every sink has had, leave with what is written.
    init(of changes: [Int64: ReprocessedEvent], from first: Int64, _ retention: Retention, _ db: Database) throws {
        let rewriter = EventRewriter(db)
        let (stored, had) = (try rewriter.block(from: first), try SinkTable.lastHadByAll(db))
        let ids = first...(stored?.ids.upperBound ?? .max)
        let changes = changes.filter { ids.contains($0.key) }
        var changed = ReplacedEvents()
        block = try stored.map { stored in
            let edition = try rewriter.edition(of: stored) {
                Self.edit(&$0, changes, retention, had, &changed)
            }
            return Block(stored: stored, data: try stored.data(db), changed: changed, edition: edition)
        }
        (self.changes, self.ids, self.retention, self.had) = (changes, ids, retention, had)
    }

    private static func edit(
        _ event: inout Event, _ changes: [Int64: ReprocessedEvent], _ retention: Retention, _ had: Int64,
        _ changed: inout ReplacedEvents
    ) -> EventRewriter.Change {
        if retention.isOver(event), event.id <= had {
            changed.remove(event)
            return .removed
        }
        guard let change = changes[event.id], event.differs(from: change) else { return .none }
        changed.replace(&event, by: change)
        return .changed
    }

    /// Whether there is something to write.
    var isNeeded: Bool { block.map { $0.edition != nil } ?? true }

    /// Whether payloads are replaced.
    var hidesPayloads: Bool { changes.values.contains { $0.payload != nil } }

    /// - Parameter open: of the newest events.
    func cost(open: EventAppender.Size) -> BatchCost { BatchCost(changes, stored: block?.stored.size ?? open) }

    // MARK: on the connection that writes

    /// Whether the events are as they were when it was made.
    func fits(_ db: Database) throws -> Bool {
        let now = try EventRewriter(db).block(from: ids.lowerBound)
        guard now == block?.stored, try SinkTable.lastHadByAll(db) >= had else { return false }
        return try now.map { try $0.data(db) == block?.data } ?? true
    }

    /// Within a transaction.
    func write(_ db: Database, _ state: inout WriterState) throws -> ReplacedEvents {
        var changed = block?.changed ?? ReplacedEvents()
        if let block, let edition = block.edition {
            try PackedBlockTable.replace(block.stored.ids.lowerBound, by: edition.block, db)
        } else {
            try EventRewriter(db).rewriteOpen { Self.edit(&$0, changes, retention, had, &changed) }
            // There may be kinds that it does not know, or fewer events.
            try state.appender.reload(db)
        }
        try changed.count(db, &state)
        return changed
    }
}
