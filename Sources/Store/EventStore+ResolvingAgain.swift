internal import GRDB
package import Model

extension EventStore {
    /// Goes through the kinds of stored events that have one of these resolutions; one may come more than once. There may
    /// be as many as senders please, so that only those of one block are in memory.
    /// - Parameters:
    ///   - version: only of events that were resolved with it; `nil`: of all.
    ///   - update: takes from a kind what is wanted. It runs on a thread of the database.
    package func storedKinds<Result: Sendable>(
        resolutions: Set<Resolution>, of version: PastVersion? = nil, into result: Result,
        _ update: @escaping @Sendable (inout Result, StoredKind) -> Void
    ) async throws(StoreError) -> Result {
        var scan = (after: Int64(0), result: result)
        try await inSteps(&scan, on: .definitions) { scan, db, turn in
            let reached = try KindScan(db, turn, of: version).forEachKind(after: scan.after) { stored in
                guard resolutions.contains(stored.resolution), version?.isOf(stored.kind) ?? true else { return }
                update(&scan.result, stored)
            }
            scan.after = reached ?? .max
            return reached != nil
        }
        return scan.result
    }

    /// Events of these kinds after an id, oldest first: all those that the next block has. It reads a snapshot: what is saved
    /// or replaced meanwhile is not held up.
    package func events(ofKinds kinds: Set<StoredKind.ID>, after: Int64) async throws(StoreError) -> EventPage {
        try await database.read(.definitions) { db, turn in try KindScan(db, turn).events(of: kinds, after: after) }
    }

    /// Replaces what was found out about stored events. Each block that has some of them is written once, in a transaction
    /// of its own. Id, time, cursor and uid stay; counters follow. Where an event is named twice, the later change holds.
    ///
    /// What payloads were before is overwritten in the database, and is in the write-ahead log until `tidy` empties it.
    ///
    /// A batch that was frozen for a sink keeps the bytes that it has. The feed is not told: tails have shown these
    /// events and do not show them again.
    /// - Returns: how many were changed, by what they are now. Events that are gone, or already are as they should be, are
    ///   passed over.
    /// - Throws: `.full` as `save` does. What was changed by then stays changed.
    package func replace(_ changes: [ResolvedAgain]) async throws(StoreError) -> [Resolution: Int] {
        var replaced: [Resolution: Int] = [:]
        var rest = Dictionary(changes.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        while let first = rest.keys.min() {
            let (part, ids) = try await replace(rest, from: first)
            replaced.merge(part, uniquingKeysWith: +)
            rest = rest.filter { !ids.contains($0.key) }
        }
        return replaced
    }

    /// Replaces the events that are in the block of the first of them, or among the newest.
    /// - Returns: how many were changed, and the ids that need not be looked at again.
    private func replace(
        _ changes: [Int64: ResolvedAgain], from first: Int64
    ) async throws(StoreError) -> ([Resolution: Int], ClosedRange<Int64>) {
        try await change { [self] db, state in
            let rewriter = EventRewriter(db)
            let block = try rewriter.block(from: first)
            let ids = first...(block?.ids.upperBound ?? .max)
            let part = changes.filter { ids.contains($0.key) }
            // It may be the block itself that makes room: then its events are gone.
            try makeRoom(for: BatchCost(part, stored: block?.size ?? state.appender.openSize), db, &state)
            let (retention, had) = (retention(now: clock()), try SinkTable.lastHadByAll(db))
            var (replaced, over) = ([Resolution: Int](), [ExactString: Int64]())
            try state.transaction(db) { state in
                (replaced, over) = try state.replace(part, in: rewriter.block(from: first), by: rewriter, db) {
                    retention.isOver($0) && $0.id <= had
                }
                for (source, time) in over { try note(removed: source, until: time, db) }
            }
            if !replaced.isEmpty || !over.isEmpty { columns.forget() }
            if part.values.contains(where: { $0.payload != nil }) { state.hasOldPayloadsInLog = true }
            // What was committed stays committed: this may fail, and comes again.
            try? shortenLog(db, &state)
            return (replaced, ids)
        }
    }
}

extension WriterState {
    /// Within a transaction.
    /// - Parameters:
    ///   - block: that the events are in; `nil` for those that are in none.
    ///   - isOver: of events that are no longer kept. They leave with a block that is written.
    /// - Returns: how many were changed, and of the sources whose events left, the latest time of one.
    fileprivate mutating func replace(
        _ changes: [Int64: ResolvedAgain], in block: StoredBlock?, by rewriter: EventRewriter, _ db: Database,
        isOver: (Event) -> Bool
    ) throws -> (replaced: [Resolution: Int], over: [ExactString: Int64]) {
        var (tally, replaced, seen) = (CountTally(), [Resolution: Int](), [Resolution: Int64]())
        var over: [ExactString: Int64] = [:]
        func edit(_ event: inout Event) -> EventRewriter.Change {
            let time = Int64(bitPattern: event.realtimeMicroseconds)
            if isOver(event) {
                over[ExactString(event.origin.source), default: 0] = max(
                    over[ExactString(event.origin.source)] ?? 0, time)
                return .removed
            }
            guard let change = changes[event.id], event.differs(from: change) else { return .none }
            tally.remove(event.origin, ResolvedKind(event.resolution, event.kind), event.findings)
            tally.add(
                event.origin, ResolvedKind(change.resolution, change.kind), change.findings, id: event.id, time: time)
            seen[event.resolution, default: 0] -= 1
            seen[change.resolution, default: 0] += 1
            replaced[change.resolution, default: 0] += 1
            event.take(change)
            return .changed
        }
        if let block { try rewriter.rewrite(block, edit) } else { try rewriter.rewriteOpen(edit) }
        mayHaveUnusedVersions = mayHaveUnusedVersions || !over.isEmpty || !replaced.isEmpty
        // Among the newest events there may be kinds that it does not know, or fewer events.
        if block == nil { try appender.reload(db) }
        if !replaced.isEmpty {
            try counters.add(tally, db)
            try Totals.move(seen: seen, db)
            try Totals.add(resolvedAgain: Int64(replaced.values.reduce(0, +)), db)
        }
        return (replaced, over)
    }
}
