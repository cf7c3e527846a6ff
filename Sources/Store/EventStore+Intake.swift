internal import GRDB
package import Model

extension EventStore {
    /// The journal position saved under `journal` (`JournalLocation.name`).
    package func position(ofJournal journal: String) async throws(StoreError) -> JournalCursor? {
        try await database.read(.status) { db in try Positions.load(journal: journal, db) }
    }

    /// Events, gaps, counters and the journal's position in one transaction. When the store is full (its own limit or
    /// the disk) it throws `StoreError` whose `kind` is `.full`; nothing is saved then, and the caller tries again.
    ///
    /// A batch takes its size twice for a moment, in the log and in the database: see `maximumBatchBytes`.
    package func save(_ batch: ResolvedBatch, journal: String) async throws(StoreError) {
        try await change { [self] db, state in
            let cost = BatchCost(
                batch, known: state.series, indexed: state.block.index.names.count, open: state.block.findings.cost)
            try makeRoom(for: cost, db, &state)
            try state.transaction(db) { state in
                var writer = BatchWriter(db, limit: limit)
                try writer.write(batch, journal: journal, state: &state)
            }
            // A gap wakes tails as well, which show it.
            if !batch.events.isEmpty || !batch.gaps.isEmpty { feed.publish(state.lastEventID) }
            // What was committed stays committed: this may fail, and comes again.
            try? shortenLog(db, &state)
        }
    }

    /// A gap that belongs to no batch; it lies behind the newest event.
    package func save(_ gap: Gap) async throws(StoreError) {
        try await change { [self] db, state in
            try makeRoom(for: BatchCost(gap), db, &state)
            try state.transaction(db) { state in
                try GapTable.insert(gap, afterEventID: state.lastEventID, db)
            }
            feed.publish(state.lastEventID)
        }
    }

    /// The most payload bytes that one batch should have so that a store of this size can take it with ease.
    package var maximumBatchBytes: Int { limit.blockBytes }
}
