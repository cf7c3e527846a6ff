internal import GRDB
internal import Model

extension EventStore {
    /// Ensures that the files stay within the limit when `cost` is written.
    /// - Parameters:
    ///   - forDelivery: whether the room that events may not use is available.
    /// - Throws: `.full` when there is no room.
    func makeRoom(
        for cost: BatchCost, forDelivery: Bool = false, _ db: Database, _ state: inout WriterState
    ) throws {
        let reserved = forDelivery ? 0 : try reservedBytes(db)
        guard try fitsWhenEmpty(cost, reserved: reserved, db, state) else { throw tooLarge() }
        for _ in 0..<64 {
            var use = try DiskUse(db, database.file, state)
            // An error here concerns sinks only, which then move on later.
            if !forDelivery { try? announceRemovals(use, reserved: reserved, db) }
            if use.hasRoom(for: cost, reserved: reserved, limit: limit) { return }
            if use.walBytes > 0 {
                try emptyLog(db, &state)
                use = try DiskUse(db, database.file, state)
                if use.hasRoom(for: cost, reserved: reserved, limit: limit) { return }
                guard use.walBytes <= limit.walBytes else { throw fullOfLog(use) }
            }
            let spare = use.freePages - cost.newPages
            if spare > 0, use.hasRoomWithoutFreePages(for: cost, reserved: reserved, limit: limit) {
                try db.releaseFreePages(min(spare, limit.vacuumPages))
                continue
            }
            // Nothing else becomes smaller by itself.
            guard try Removal.oldest(db) != nil else { throw tooLarge() }
            guard let old = try removable(db, &state) ?? (options.whenFull == .dropOldest ? Removal.oldest(db) : nil)
            else {
                throw full()
            }
            try remove(old, db, &state)
        }
        throw try tooFull(DiskUse(db, database.file, state))
    }

    /// Ensures that the files stay within the limit when notices or watches are saved, and that events have room beside them.
    /// - Throws: `.full` when there is no room.
    func makeRoom(forKept cost: BatchCost, _ db: Database, _ state: inout WriterState) throws {
        let reserved = try reservedBytes(db) + limit.eventBytes
        guard try fitsWhenEmpty(cost, reserved: reserved, db, state) else { throw tooLarge() }
        try makeRoom(for: cost, forDelivery: true, db, &state)
    }

    /// If less than a quarter of the limit is left, or little more than packing takes, announces that the oldest quarter of the
    /// events may be removed soon. This is early enough for sinks to deliver or pass over them while more events are saved.
    private func announceRemovals(_ use: DiskUse, reserved: Int64, _ db: Database) throws {
        let used = use.usedBytes + reserved
        let enough = max(limit.bytes / 4, 8 * Int64(limit.blockPayloadBytes))
        guard limit.bytes - used < enough, let ids = try StoredRange.ids(db) else { return }
        let last = ids.lowerBound + (ids.upperBound - ids.lowerBound) / 4
        if last > removalFeed.latest { removalFeed.publish(last) }
    }

    private func reservedBytes(_ db: Database) throws -> Int64 {
        limit.reservedBytes(sinks: try SinkTable.activeCount(db))
    }

    /// Returns whether there is room if all events are removed first.
    func fitsWhenEmpty(
        _ cost: BatchCost, reserved: Int64? = nil, _ db: Database, _ state: WriterState
    ) throws -> Bool {
        let reserved = try reserved ?? reservedBytes(db)
        return try DiskUse(db, database.file, state).hasRoomWhenEmpty(for: cost, reserved: reserved, limit: limit)
    }

    /// Shortens the log after a commit. Copying the log stops where a reader still needs an earlier state, so that
    /// readers in close succession would let the log grow. Therefore it is emptied in the moment between two of them.
    func shortenLog(_ db: Database, _ state: inout WriterState) throws {
        let bytes = database.file.sizes.wal
        // If a reader of another program blocks this, not every later commit waits for it.
        guard bytes > max(4 * limit.walBytes, state.logBytesAfterEmptying + limit.walBytes) else { return }
        try emptyLog(db, &state)
    }

    /// Empties the log as far as readers permit.
    func emptyLog(_ db: Database, _ state: inout WriterState) throws {
        try db.checkpointAndTruncate()
        state.logBytesAfterEmptying = database.file.sizes.wal
    }

    /// Returns the error for something that would not fit even into an empty store. It is checked before any event is
    /// removed.
    private func tooLarge() -> StoreError {
        StoreError(
            kind: .full,
            description: """
                the data to save in one transaction is too large for the store \(database.file.path) with its \
                limit of \(limit.bytes) bytes
                """,
            hint: "Raise store.max_size.")
    }

    private func full() -> StoreError {
        StoreError(
            kind: .full,
            description: """
                the store \(database.file.path) is full: of its limit of \(limit.bytes) bytes, all but what packing and delivery \
                need is taken by events that a sink has not delivered
                """,
            hint: "Make sure that the sinks deliver, or raise store.max_size. Reading then continues automatically.")
    }

    /// Returns the error for a database that exceeds the limit, for example after the limit was lowered, by more than
    /// one step may remove.
    private func tooFull(_ use: DiskUse) -> StoreError {
        StoreError(
            kind: .full,
            description: """
                the store \(database.file.path) is full: it takes \(use.pages * SizeLimit.pageBytes) bytes, and its limit \
                is \(limit.bytes)
                """,
            hint: "It is being made smaller. Saving continues automatically when there is room.")
    }

    private func fullOfLog(_ use: DiskUse) -> StoreError {
        StoreError(
            kind: .full,
            description: """
                the write-ahead log of \(database.file.path) has \(use.walBytes) bytes and cannot be emptied, since \
                another process reads the database
                """,
            hint:
                "Close the sqlite3 shell, or any other program that has it open. Reading then continues automatically.")
    }
}
