internal import GRDB
internal import Model

extension EventStore {
    /// Removed blocks of one call, so that intake never waits long.
    private static let removalsPerStep = 4

    /// One step of retention: removes what age and size allow, checkpoints, gives pages back. Called every few seconds.
    /// - Returns: whether there is more to do at once.
    package func tidy(now: UInt64) async throws(StoreError) -> Bool {
        try await change { [self] db, state in
            var hasMore = try removeOld(now: now, db, &state)
            hasMore = try removeForSize(db, &state) || hasMore
            hasMore = try foldCounters(db, &state) || hasMore
            try state.transaction(db) { _ in try GapTable.trim(keeping: limit.gaps, db) }
            hasMore = try pruneVersions(db, &state) || hasMore
            hasMore = try giveBack(db, &state) || hasMore
            return hasMore
        }
    }

    private func removeOld(now: UInt64, _ db: Database, _ state: inout WriterState) throws -> Bool {
        guard let oldest = oldestKept(now: now).map({ Int64(clamping: $0) }) else { return false }
        for _ in 0..<Self.removalsPerStep {
            guard let old = try removable(db), old.newestTime < oldest else { return false }
            try remove(old, db, &state)
        }
        return true
    }

    /// Events from before then are not kept, in microseconds since 1970; `nil` when they are whatever their age.
    package func oldestKept(now: UInt64) -> UInt64? {
        options.maximumAge.map { now - min(now, $0.wholeMicroseconds) }
    }

    /// Keeps so much room that `save` need not make any.
    private func removeForSize(_ db: Database, _ state: inout WriterState) throws -> Bool {
        let reserved = limit.reservedBytes(sinks: try SinkTable.activeCount(db)) + 4 * limit.walBytes
        for _ in 0..<Self.removalsPerStep {
            let use = try Space.use(db, database.file, state)
            guard (use.pages - use.freePages) * SizeLimit.pageBytes + reserved > limit.bytes,
                let old = try removable(db), !old.isOpen
            else { return false }
            try remove(old, db, &state)
        }
        return true
    }

    /// Gives free pages back to the file system where there are many, or where the limit is near, and shortens the log.
    private func giveBack(_ db: Database, _ state: inout WriterState) throws -> Bool {
        let use = try Space.use(db, database.file, state)
        let isNearLimit = use.pages * SizeLimit.pageBytes + 4 * limit.walBytes > limit.bytes
        let kept = isNearLimit ? 0 : max(64, use.pages / 4)
        if use.freePages > kept { try Space.giveBack(pages: limit.vacuumPages, db) }
        if use.freePages > kept || use.walBytes > limit.walBytes || state.hasOldPayloadsInLog {
            try Space.emptyLog(db)
            if database.file.sizes.wal == 0 { state.hasOldPayloadsInLog = false }
        }
        return use.freePages - limit.vacuumPages > kept
    }

    private func foldCounters(_ db: Database, _ state: inout WriterState) throws -> Bool {
        guard state.counters.events.isFull || state.isFolding else { return false }
        let oldest = try StoredRange.ids(db)?.lowerBound ?? state.lastEventID + 1
        guard oldest > state.foldedBefore else { return false }
        var hasMore = false
        try state.transaction(db) { state in hasMore = try state.counters.foldGone(before: oldest, db) }
        state.isFolding = hasMore
        if !hasMore { state.foldedBefore = oldest }
        return hasMore
    }

    private func pruneVersions(_ db: Database, _ state: inout WriterState) throws -> Bool {
        guard state.mayHaveUnusedVersions else { return false }
        try state.transaction(db) { state in
            state.mayHaveUnusedVersions = try VersionRetirement.run(limit: limit, db)
            state.dictionaryBytes = try VersionTable.bytes(db)
        }
        return state.mayHaveUnusedVersions
    }

    /// What may be removed first, without anything lost that a sink lacks.
    func removable(_ db: Database) throws -> Removal? { try .oldest(upTo: SinkTable.lastHadByAll(db), db) }

    /// What of it sinks lack is counted, and leaves a gap.
    func remove(_ old: Removal, _ db: Database, _ state: inout WriterState) throws {
        let lost = try old.count(after: SinkTable.lastHadByAll(db), db)
        try state.transaction(db) { state in
            try old.remove(db, &state)
            try Totals.note(removedUntil: old.newestTime, db)
            if lost > 0 { try DropRecord.save(old.ids, lost: lost, at: clock(), db) }
        }
        state.mayHaveUnusedVersions = true
    }
}
