internal import GRDB
package import Model

extension EventStore {
    /// Goes through the kinds of stored events that have one of these resolutions; one may come more than once. There may
    /// be as many as senders please, so that only those of one block are in memory.
    /// - Parameters:
    ///   - version: only of events that were resolved with it; `nil`: of all.
    ///   - update: takes from a kind what is wanted. It runs on a thread of the database.
    package func storedKinds<Result: Sendable>(
        resolutions: Set<Resolution>, of version: DictionaryVersionID? = nil, into result: Result,
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
    /// What payloads were before is overwritten in the database, and is in the write-ahead log until `maintain` empties it.
    ///
    /// A batch that was frozen for a sink keeps the bytes that it has. The feed is not told: tails have shown these
    /// events and do not show them again.
    /// - Returns: how many were changed, by what they are now. Events that are gone, or already are as they should be, are
    ///   passed over.
    /// - Throws: `.full` as `save` does. What was changed by then stays changed.
    package func replace(_ changes: [ReprocessedEvent]) async throws(StoreError) -> [Resolution: Int] {
        var replaced: [Resolution: Int] = [:]
        var rest = Dictionary(changes.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        while let first = rest.keys.min() {
            let (part, ids) = try await replace(rest, from: first)
            replaced.merge(part, uniquingKeysWith: +)
            rest = rest.filter { !ids.contains($0.key) }
        }
        return replaced
    }

    /// Replaces the events that are in the block of the first of them, or among the newest. A block is read and packed while
    /// others write; where it has changed before it could be replaced, that is done once more.
    /// - Returns: how many were changed, and the ids that need not be looked at again.
    private func replace(
        _ changes: [Int64: ReprocessedEvent], from first: Int64
    ) async throws(StoreError) -> ([Resolution: Int], ClosedRange<Int64>) {
        while true {
            let retention = retention(now: clock())
            let replacement = try await database.read(.definitions) { db in
                try Replacement(of: changes, from: first, retention, db)
            }
            if let replaced = try await write(replacement) { return (replaced, replacement.ids) }
        }
    }

    /// - Returns: how many events were changed; `nil` when they are not where they were.
    private func write(_ replacement: Replacement) async throws(StoreError) -> [Resolution: Int]? {
        guard replacement.isNeeded else { return [:] }
        return try await change { [self] db, state in
            // It may be the block itself that makes room: then its events are gone.
            try makeRoom(for: replacement.cost(open: state.appender.openSize), db, &state)
            guard try replacement.fits(db) else { return nil }
            var changed = ReplacedEvents()
            try state.transaction(db) { state in
                changed = try replacement.write(db, &state)
                for (source, time) in changed.over { try note(removed: source, until: time, db) }
            }
            if !changed.isEmpty { columns.forget() }
            if replacement.hidesPayloads { state.hasOldPayloadsInLog = true }
            // What was committed stays committed: this may fail, and comes again.
            try? shortenLog(db, &state)
            return changed.replaced
        }
    }
}
