internal import GRDB
package import Model

extension EventStore {
    /// Collects the kinds of stored events that have one of these resolutions. A kind may occur several times.
    /// Senders can cause any number of kinds, so that only those of one block are in memory.
    /// - Parameters:
    ///   - version: only events that were resolved with it; `nil` for all.
    ///   - first: only events from this id on.
    ///   - damaged: gets the damaged blocks, which are passed over; `nil` throws their errors.
    ///   - update: takes what it needs from a kind. It runs on a thread of the database.
    package func storedKinds<Result: Sendable>(
        resolutions: Set<Resolution>, of version: DictionaryVersionID? = nil, from first: Int64 = 1,
        passingOver damaged: DamagedBlocks? = nil, into result: Result,
        _ update: @escaping @Sendable (inout Result, StoredKind) -> Void
    ) async throws(StoreError) -> Result {
        var scan = (after: first - 1, result: result)
        try await inSteps(&scan, on: .definitions) { [self] scan, db, turn in
            let kinds = try KindScan(db, turn, of: version, passingOver: receiver(damaged))
            let reached = try kinds.forEachKind(after: scan.after, from: first) { stored in
                guard resolutions.contains(stored.resolution), version?.isOf(stored.kind) ?? true else { return }
                update(&scan.result, stored)
            }
            scan.after = reached ?? .max
            return reached != nil
        }
        return scan.result
    }

    /// Returns the events of these kinds after an id, oldest first: all those in the next block that has any. It
    /// reads a snapshot, and does not delay what is saved or replaced meanwhile.
    /// - Parameter damaged: gets the damaged blocks, which are passed over; `nil` throws their errors.
    package func events(
        ofKinds kinds: Set<StoredKind.ID>, after: Int64, passingOver damaged: DamagedBlocks? = nil
    ) async throws(StoreError) -> EventPage {
        try await database.read(.definitions) { [self] db, turn in
            try KindScan(db, turn, passingOver: receiver(damaged)).events(of: kinds, after: after)
        }
    }

    private func receiver(_ damaged: DamagedBlocks?) -> DamagedBlocks.Receiver? {
        damaged.map { damaged in { [database] in damaged.note(database.damage.noted($1), of: $0.lowerBound) } }
    }

    /// Replaces the results of resolving stored events. Each block that has some of them is written once, in a
    /// transaction of its own. Id, time, cursor and uid stay; counters are updated. If an event occurs twice in
    /// `changes`, the later change applies.
    ///
    /// Previous payloads are overwritten in the database, but remain in the write-ahead log until `maintain` empties
    /// it.
    ///
    /// A batch that was frozen for a sink keeps its bytes. The feed is not notified: tails have shown these events,
    /// and do not show them again.
    /// - Returns: the number of changed events by their new resolution. Events that no longer exist, or that already
    ///   are as requested, are skipped.
    /// - Parameter damaged: gets a block that cannot be read, and these changes are not made from it on; `nil` throws its error.
    /// - Throws: `.full` as `save` does. Changes that were made before remain.
    package func replace(
        _ changes: [ReprocessedEvent], passingOver damaged: DamagedBlocks? = nil
    ) async throws(StoreError) -> [Resolution: Int] {
        var replaced: [Resolution: Int] = [:]
        var rest = Dictionary(changes.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        while let first = rest.keys.min() {
            let (part, ids) = try await replace(rest, from: first, damaged)
            replaced.merge(part, uniquingKeysWith: +)
            rest = rest.filter { !ids.contains($0.key) }
        }
        return replaced
    }

    /// Replaces the events that are in the block of the first one, or among the open events. A block is read and
    /// packed while others write. If it changes before it can be replaced, this is repeated.
    /// - Returns: the number of changed events, and the ids that need not be read again.
    private func replace(
        _ changes: [Int64: ReprocessedEvent], from first: Int64, _ damaged: DamagedBlocks?
    ) async throws(StoreError) -> ([Resolution: Int], ClosedRange<Int64>) {
        while true {
            let retention = retention(now: clock())
            let replacement: Replacement
            do throws(StoreError) {
                replacement = try await database.read(.definitions) { db in
                    try Replacement(of: changes, from: first, retention, db)
                }
            } catch {
                guard error.kind == .corrupt, let damaged else { throw error }
                damaged.note(error, of: first)
                return ([:], first...(changes.keys.max() ?? first))
            }
            if let replaced = try await write(replacement) { return (replaced, replacement.ids) }
        }
    }

    /// - Returns: the number of changed events; `nil` when they are no longer in the same place.
    private func write(_ replacement: Replacement) async throws(StoreError) -> [Resolution: Int]? {
        guard replacement.isNeeded else { return [:] }
        return try await change { [self] db, state in
            // This may remove the block itself to make room; then its events no longer exist.
            try makeRoom(for: replacement.cost(open: state.appender.openSize), db, &state)
            guard try replacement.isCurrent(db) else { return nil }
            var changed = ReplacedEvents()
            try columns.rewriting {
                try state.transaction(db) { state in
                    changed = try replacement.write(db, &state)
                    try note(changed.removedUntil, db)
                }
            }
            if replacement.replacesPayloads || !changed.removedUntil.isEmpty { state.hasOldValuesInLog = true }
            // The events are committed, so that an error here is not reported. A later commit tries again.
            try? shortenLog(db, &state)
            return changed.replaced
        }
    }
}
