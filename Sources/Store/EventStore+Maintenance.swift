internal import GRDB
internal import Linux
internal import Model
internal import Synchronization

extension EventStore {
    /// The maximum number of blocks that one call removes, so that intake never waits long.
    private static let removalsPerStep = 4
    /// How long an expired open event may wait, so that one rewrite removes several of them. In microseconds.
    private static let openEventDelay: Int64 = 60_000_000

    /// Runs one step of retention: removes events by age and size, checkpoints, and returns pages to the file system.
    /// It is called every few seconds.
    /// - Returns: whether it should be called again immediately.
    package func maintain(now: UInt64) async throws(StoreError) -> Bool {
        try await change { [self] db, state in
            let steps: [(Database, inout WriterState) throws -> Bool] = [
                // Before events are removed for room that these take.
                { try self.trimNotices($0, &$1) },
                { try self.removeExpiredOpenEvents(now: now, $0, &$1) }, { try self.removeExpired(now: now, $0, &$1) },
                { try self.removeForShares($0, &$1) }, { try self.removeForSize($0, &$1) },
                { try self.foldCounters($0, &$1) }, { try self.trimGaps($0, &$1) }, { try self.pruneVersions($0, &$1) },
                { try self.shrink($0, &$1) },
            ]
            var hasMore = false
            var damage: DatabaseError?
            for step in steps {
                do {
                    hasMore = try step(db, &state) || hasMore
                } catch let error as DatabaseError where error.isDamage {
                    // Steps that do not need the damaged part still run.
                    damage = damage ?? error
                    try state.refresh(db)
                }
            }
            if let damage { throw damage }
            return hasMore
        }
    }

    /// Removes the notices that are too many since the limit was lowered. Others that come may have no room until then.
    private func trimNotices(_ db: Database, _ state: inout WriterState) throws -> Bool {
        while let surplus = try NoticeTable.last(ofOldest: limit.vacuumPages, beyond: limit.notices, db) {
            var givenUp = 0
            try state.transaction(db) { _ in givenUp = try NoticeTable.trim(through: surplus, db) }
            state.givenUpNotices += givenUp
            try shortenLog(db, &state)
        }
        return false
    }

    private func trimGaps(_ db: Database, _ state: inout WriterState) throws -> Bool {
        // There rarely are any: each step would be a commit.
        guard let surplus = try GapTable.newestID(beyond: limit.gaps, db) else { return false }
        try state.transaction(db) { _ in try GapTable.trim(through: surplus, db) }
        return false
    }

    /// Removes expired events from blocks.
    private func removeExpired(now: UInt64, _ db: Database, _ state: inout WriterState) throws -> Bool {
        let retention = retention(now: now)
        return try remove(db, &state) { try nextExpired(retention, db) }
    }

    /// Removes from a few blocks. A block that is rewritten takes longer, so it is the last one.
    /// - Returns: whether there may be more to remove.
    private func remove(
        _ db: Database, _ state: inout WriterState, next: () throws -> Removal?
    ) throws -> Bool {
        for _ in 0..<Self.removalsPerStep {
            guard let old = try next(), try hasRoom(for: old.cost, db, &state) else { return false }
            try remove(old, db, &state)
            if old.isPart { break }
        }
        return true
    }

    /// Returns the times until which events are kept.
    package func retention(now: UInt64) -> Retention {
        Retention(maximumAge: options.maximumAge, sources: sources.withLock(\.self), now: now)
    }

    /// Returns the expired events of the next block, if every sink has delivered them.
    /// - Throws: the error of what is damaged, when nothing else has expired.
    private func nextExpired(_ retention: Retention, _ db: Database) throws -> Removal? {
        let lastDelivered = try SinkTable.lastDeliveredToAll(db)
        var damage: DatabaseError?
        let passOver = { (error: DatabaseError) in damage = damage ?? error }
        for source in try BlockSourceTable.sources(db, passingOver: passOver) {
            let times = retention.expiredTimes(of: source)
            guard
                let block = try BlockSourceTable.oldest(
                    of: source, newestIn: times, upTo: lastDelivered, db, passingOver: passOver)
            else { continue }
            let sources = try BlockSourceTable.sources(ofBlock: block.ids.lowerBound, db).filter {
                retention.expiredTimes(of: $0.wrappedValue).contains(block.times.upperBound)
            }
            return try Removal(block, of: sources, db)
        }
        if let damage { throw damage }
        return nil
    }

    /// Removes the expired open events. The others have to be written again, so this is not done for each event.
    private func removeExpiredOpenEvents(
        now: UInt64, _ db: Database, _ state: inout WriterState
    ) throws -> Bool {
        let retention = retention(now: now)
        let lastDelivered = try SinkTable.lastDeliveredToAll(db)
        let isDue = try OpenEventTable.times(upTo: lastDelivered, db).contains { source, times in
            let expired = retention.expiredTimes(of: source)
            return expired.contains(times.upperBound)
                || expired.contains(times.lowerBound.plus(clamped: Self.openEventDelay))
        }
        guard isDue else { return false }
        let rest = try OpenEventTable.size(db) { id, source, time in
            id > lastDelivered || !retention.expiredTimes(of: source).contains(time)
        }
        let cost = rest.count > 0 ? BatchCost([:], stored: rest) : nil
        guard try hasRoom(for: cost, db, &state) else { return false }
        var removed: [ExactString: Int64] = [:]
        try state.transaction(db) { state in
            try EventRewriter(db).rewriteOpen { event in
                guard retention.hasExpired(event), event.id <= lastDelivered else { return .none }
                let source = ExactString(event.origin.source)
                removed[source] = max(removed[source] ?? 0, Int64(bitPattern: event.realtimeMicroseconds))
                return .removed
            }
            try note(removed, db)
            if !removed.isEmpty { try state.appender.reload(db) }
        }
        guard !removed.isEmpty else { return false }
        state.mayHaveUnusedVersions = true
        state.hasOldValuesInLog = true
        return false
    }

    /// Records removals, within a transaction.
    /// - Parameter removed: the latest time of a removed event, by source.
    func note(_ removed: [ExactString: Int64], _ db: Database) throws {
        let sources = sources.withLock(\.self)
        for (source, time) in removed {
            let isUsual = sources[source]?.isUsual ?? true
            try RemovalTable.note(until: time, of: isUsual ? nil : source.wrappedValue, db)
        }
    }

    /// Removes events from the sources that exceed their share.
    private func removeForShares(_ db: Database, _ state: inout WriterState) throws -> Bool {
        try remove(db, &state) { try exceedingShare(db) }
    }

    /// Returns the oldest events of a source that exceeds its share, if every sink has delivered them.
    func exceedingShare(_ db: Database) throws -> Removal? {
        let lastDelivered = try SinkTable.lastDeliveredToAll(db)
        for (source, most) in sources.withLock(\.self).compactMapValues({ $0.bytes(of: limit.bytes) }) {
            guard try BlockSourceTable.bytes(of: source.wrappedValue, db) > most,
                // A damaged block is removed with the oldest of all.
                let block = try BlockSourceTable.oldest(
                    of: source.wrappedValue, upTo: lastDelivered, db, passingOver: { _ in })
            else { continue }
            return try Removal(block, of: [source], db)
        }
        return nil
    }

    /// Returns whether there is room for what a removal writes again. Empties the log if there is none otherwise.
    /// - Parameter cost: `nil` when nothing is written again.
    func hasRoom(for cost: BatchCost?, _ db: Database, _ state: inout WriterState) throws -> Bool {
        guard let cost else { return true }
        let use = try DiskUse(db, database.file, state)
        if use.hasRoom(for: cost, reserved: 0, limit: limit) { return true }
        guard use.walBytes > 0 else { return false }
        try emptyLog(db, &state)
        return try DiskUse(db, database.file, state).hasRoom(for: cost, reserved: 0, limit: limit)
    }

    /// Removes events until there is enough room that `save` need not make any.
    private func removeForSize(_ db: Database, _ state: inout WriterState) throws -> Bool {
        let reserved = limit.reservedBytes(sinks: try SinkTable.activeCount(db)) + 4 * limit.walBytes
        for _ in 0..<Self.removalsPerStep {
            let use = try DiskUse(db, database.file, state)
            guard use.usedBytes + reserved > limit.bytes,
                let old = try removable(db, &state), !old.isOpen
            else { return false }
            try remove(old, db, &state)
            if old.isPart { break }
        }
        return true
    }

    /// Returns free pages to the file system when there are many or the limit is near, and shortens the log.
    private func shrink(_ db: Database, _ state: inout WriterState) throws -> Bool {
        let use = try DiskUse(db, database.file, state)
        let isNearLimit = use.pages * SizeLimit.pageBytes + 4 * limit.walBytes > limit.bytes
        let kept = isNearLimit ? 0 : max(64, use.pages / 4)
        if use.freePages > kept { try db.releaseFreePages(limit.vacuumPages) }
        if use.freePages > kept || use.walBytes > limit.walBytes || state.hasOldValuesInLog {
            try emptyLog(db, &state)
            if state.logBytesAfterEmptying == 0 { state.hasOldValuesInLog = false }
        }
        return use.freePages - limit.vacuumPages > kept
    }

    /// If the counters are full, counts names that no stored event has any more together, as `CountKey.other`.
    /// - Returns: whether there is more to do.
    private func foldCounters(_ db: Database, _ state: inout WriterState) throws -> Bool {
        guard state.counters.events.isFull || state.isFolding else { return false }
        let oldest = try StoredRange.ids(db)?.lowerBound ?? state.lastEventID + 1
        guard oldest > state.foldedBefore else { return false }
        var hasMore = false
        try state.transaction(db) { state in hasMore = try state.counters.foldUnused(before: oldest, db) }
        state.isFolding = hasMore
        if !hasMore { state.foldedBefore = oldest }
        return hasMore
    }

    private func pruneVersions(_ db: Database, _ state: inout WriterState) throws -> Bool {
        guard state.mayHaveUnusedVersions else { return false }
        var hasMore = false
        try state.transaction(db) { state in
            hasMore = try VersionRetirement.run(limit: limit, noting: database.damage, db)
            state.dictionaryBytes = try VersionTable.bytes(db)
        }
        state.mayHaveUnusedVersions = hasMore
        return hasMore
    }

    /// Returns the events to remove first, if every sink has delivered them: those of sources that exceed their share,
    /// then the oldest of all.
    func removable(_ db: Database, _ state: inout WriterState) throws -> Removal? {
        if let old = try exceedingShare(db), try hasRoom(for: old.cost, db, &state) { return old }
        return try .oldest(upTo: SinkTable.lastDeliveredToAll(db), db)
    }

    /// Removes events. Those that a sink has neither delivered nor in its frozen batch are counted, and leave a gap. A batch
    /// for which they make room does not count as frozen: it may never be saved.
    func remove(_ old: Removal, _ db: Database, _ state: inout WriterState) throws {
        let frozen = try SinkTable.lastFrozenForAll(db)
        let lost = try old.count(after: frozen, db)
        do {
            try columns.rewriting {
                try state.transaction(db) { state in try self.remove(old, lost: lost, db, &state) }
            }
        } catch let error as DatabaseError where error.isDamage && old.isPart {
            // The block is damaged, so that its rest cannot be read and written. It is removed later, as a whole.
            try state.refresh(db)
            try state.transaction(db) { _ in try old.forgetSources(db) }
            throw error
        }
        state.mayHaveUnusedVersions = true
        state.hasOldValuesInLog = true
    }

    private func remove(_ old: Removal, lost: Int64, _ db: Database, _ state: inout WriterState) throws {
        let lastDelivered = try SinkTable.lastDeliveredToAll(db)
        if let removed = try old.remove(retention(now: clock()), deliveredToAll: lastDelivered, db, &state) {
            if old.isPart, removed.isEmpty {
                let ids = "\(old.ids.lowerBound) to \(old.ids.upperBound)"
                _ = database.damage.noted(
                    DatabaseError.damaged("the sources of the block with the events \(ids), which are corrected"))
                return
            }
            try note(removed, db)
        } else {
            try RemovalTable.note(until: old.newestTime, db)
        }
        if lost > 0 { try GapTable.addDropped(old.ids, lost: lost, at: clock(), db) }
    }
}

extension EventStore {
    /// With less than this, the disk counts as full.
    private static let leastRoom: UInt64 = 64 << 10

    /// The damage that any call has found in the file since it was opened; `nil` when there was none. Calls that do
    /// not need the damaged part still work.
    package var damage: StoreError? { database.damage.error }

    /// An error of the disk that calls have met and that may last; `nil` when there is none.
    package var diskError: StoreError? { database.damage.diskError }

    /// An error when the disk has no room, whether or not something was to be written; `nil` when it has.
    package var shortage: StoreError? {
        guard let room = freeBytes(at: database.file.path), room < Self.leastRoom else { return nil }
        return StoreError(
            kind: .full, description: "the disk of \(database.file.path) is full: \(room) bytes are left",
            hint: StoreError.fullHint, isOfDisk: true)
    }
}
