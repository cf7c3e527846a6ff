internal import GRDB
package import Model

/// The replacement of a block. It is made from a snapshot, so that other writes wait only while it is written. The
/// open events change all the time, and are changed when the replacement is written.
struct Replacement: Sendable {
    private let changes: [Int64: ReprocessedEvent]
    private let retention: Retention
    /// The last event that every sink has received.
    private let lastDelivered: Int64
    /// `nil` for the open events.
    private let block: Block?
    /// The ids that need not be read again.
    let ids: ClosedRange<Int64>

    private struct Block {
        let stored: StoredBlock
        let data: [UInt8]
        let changed: ReplacedEvents
        /// `nil` when the block does not change.
        let rewritten: EventRewriter.RewrittenBlock?
    }

    /// - Parameters:
    ///   - changes: only those of events in the first block from `first` on, or among the open events, are used.
    ///   - retention: expired events that every sink has delivered are removed from what is written.
    init(of changes: [Int64: ReprocessedEvent], from first: Int64, _ retention: Retention, _ db: Database) throws {
        let rewriter = EventRewriter(db)
        let (stored, lastDelivered) = (try rewriter.block(from: first), try SinkTable.lastDeliveredToAll(db))
        let ids = first...(stored?.ids.upperBound ?? .max)
        let changes = changes.filter { ids.contains($0.key) }
        var changed = ReplacedEvents()
        block = try stored.map { stored in
            let rewritten = try rewriter.rewritten(stored) {
                Self.edit(&$0, changes, retention, lastDelivered, &changed)
            }
            return Block(stored: stored, data: try stored.data(db), changed: changed, rewritten: rewritten)
        }
        (self.changes, self.ids, self.retention, self.lastDelivered) = (changes, ids, retention, lastDelivered)
    }

    private static func edit(
        _ event: inout Event, _ changes: [Int64: ReprocessedEvent], _ retention: Retention, _ lastDelivered: Int64,
        _ changed: inout ReplacedEvents
    ) -> EventRewriter.Change {
        if retention.hasExpired(event), event.id <= lastDelivered {
            changed.remove(event)
            return .removed
        }
        guard let change = changes[event.id], event.differs(from: change) else { return .none }
        changed.replace(&event, by: change)
        return .changed
    }

    /// Whether there is something to write.
    var isNeeded: Bool { block.map { $0.rewritten != nil } ?? true }

    var replacesPayloads: Bool { changes.values.contains { $0.payload != nil } }

    /// - Parameter open: the size of the open events.
    func cost(open: EventAppender.Size) -> BatchCost { BatchCost(changes, stored: block?.stored.size ?? open) }

    // MARK: on the connection that writes

    /// Returns whether the events are still as they were when the replacement was made.
    func isCurrent(_ db: Database) throws -> Bool {
        let now = try EventRewriter(db).block(from: ids.lowerBound)
        guard now == block?.stored, try SinkTable.lastDeliveredToAll(db) >= lastDelivered else { return false }
        return try now.map { try $0.data(db) == block?.data } ?? true
    }

    /// Writes the replacement, within a transaction.
    func write(_ db: Database, _ state: inout WriterState) throws -> ReplacedEvents {
        var changed = block?.changed ?? ReplacedEvents()
        if let block {
            guard let rewritten = block.rewritten else { return changed }
            try PackedBlockTable.replace(block.stored.ids.lowerBound, by: rewritten.block, db)
        } else {
            try EventRewriter(db).rewriteOpen { Self.edit(&$0, changes, retention, lastDelivered, &changed) }
            // The appender's state may lack new kinds, or have removed events.
            try state.appender.reload(db)
        }
        try changed.updateCounters(db, &state)
        return changed
    }
}

/// The changes that replacing events causes besides the events.
struct ReplacedEvents: Sendable {
    private var tally = CountTally()
    /// The changes of the totals by resolution.
    private var seen: [Resolution: Int64] = [:]
    /// The number of changed events by their new resolution.
    private(set) var replaced: [Resolution: Int] = [:]
    /// The latest time of a removed event, by source.
    private(set) var removedUntil: [ExactString: Int64] = [:]

    var isEmpty: Bool { replaced.isEmpty && removedUntil.isEmpty }

    mutating func replace(_ event: inout Event, by change: ReprocessedEvent) {
        tally.remove(event.origin, ResolvedKind(event.resolution, event.kind), event.findings)
        tally.add(
            event.origin, ResolvedKind(change.resolution, change.kind), change.findings, id: event.id,
            time: Int64(bitPattern: event.realtimeMicroseconds))
        seen[event.resolution, default: 0] -= 1
        seen[change.resolution, default: 0] += 1
        replaced[change.resolution, default: 0] += 1
        event.take(change)
    }

    mutating func remove(_ event: Event) {
        let (source, time) = (ExactString(event.origin.source), Int64(bitPattern: event.realtimeMicroseconds))
        removedUntil[source] = max(removedUntil[source] ?? 0, time)
    }

    /// Within the transaction that changes the events.
    func updateCounters(_ db: Database, _ state: inout WriterState) throws {
        state.mayHaveUnusedVersions = state.mayHaveUnusedVersions || !isEmpty
        guard !replaced.isEmpty else { return }
        try state.counters.add(tally, db)
        try Totals.add(seen: seen, db)
        try Totals.add(reprocessed: Int64(replaced.values.reduce(0, +)), db)
    }
}

/// The result of resolving a stored event with the current definitions.
package struct ReprocessedEvent: Sendable {
    package var id: Int64
    package var resolution: Resolution
    package var kind: EventKind
    package var findings: Findings?
    /// `nil` leaves it and its text unchanged.
    package var payload: [UInt8]?
    package var text: MessageText?
    package var program: ProgramFacts

    package init(
        id: Int64, resolution: Resolution, kind: EventKind, findings: Findings? = nil, payload: [UInt8]? = nil,
        text: MessageText? = nil, program: ProgramFacts = .none
    ) {
        self.id = id
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
        self.payload = payload
        self.text = text
        self.program = program
    }
}
