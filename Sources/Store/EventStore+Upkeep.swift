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
            hasMore = try retire(db, &state) || hasMore
            try state.transaction(db) { _ in try GapTable.trim(keeping: limit.gaps, db) }
            hasMore = try pruneVersions(db, &state) || hasMore
            hasMore = try giveBack(db, &state) || hasMore
            return hasMore
        }
    }

    private func removeOld(now: UInt64, _ db: Database, _ state: inout WriterState) throws -> Bool {
        guard let oldest = oldestKept(now: now).map({ Int64(clamping: $0) }) else { return false }
        for _ in 0..<Self.removalsPerStep {
            guard let segment = try Segment.oldest(db, state), segment.newestTime < oldest,
                try remove(segment, dropping: false, db, &state)
            else { return false }
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
                let segment = try Segment.oldest(db, state), !segment.isOpen,
                try remove(segment, dropping: false, db, &state)
            else { return false }
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

    private func retire(_ db: Database, _ state: inout WriterState) throws -> Bool {
        guard state.mayHaveUnusedSeries else { return false }
        var removed = 0
        try state.transaction(db) { state in
            removed = try SeriesRetirement.run(limit: limit, findings: &state.findings, db)
        }
        state.series.forget()
        state.findingNames.forget()
        if removed > 0 { state.mayHaveUnusedVersions = true }
        state.mayHaveUnusedSeries = SeriesRetirement.mayHaveMore(removed)
        return state.mayHaveUnusedSeries
    }

    private func pruneVersions(_ db: Database, _ state: inout WriterState) throws -> Bool {
        guard state.mayHaveUnusedVersions else { return false }
        try state.transaction(db) { state in
            state.mayHaveUnusedVersions = try VersionRetirement.run(limit: limit, db)
            state.dictionaryBytes = try VersionTable.bytes(db)
        }
        return state.mayHaveUnusedVersions
    }

    /// - Parameter dropping: also when a sink lacks them.
    /// - Returns: whether they were removed.
    func remove(
        _ segment: Segment, dropping: Bool, _ db: Database, _ state: inout WriterState
    ) throws -> Bool {
        let had = try SinkTable.lastHadByAll(db)
        let lost = max(0, segment.ids.upperBound - max(had, segment.ids.lowerBound - 1))
        guard lost == 0 || dropping else { return false }
        try state.transaction(db) { state in
            try segment.remove(db, &state)
            if lost > 0 { try DropRecord.save(segment.ids, lost: lost, at: clock(), db) }
        }
        state.mayHaveUnusedSeries = true
        return true
    }
}
