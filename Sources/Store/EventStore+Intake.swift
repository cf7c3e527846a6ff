internal import GRDB
package import Model

extension EventStore {
    /// How far the journal was read that is saved under `journal` (`JournalLocation.name`); `nil` before its first start
    /// was saved.
    package func readingState(ofJournal journal: String) async throws(StoreError) -> ReadingState? {
        try await database.read(.status) { db in try JournalTable.state(ofJournal: journal, db) }
    }

    /// Events, gaps, counters and how far the journal was read, in one transaction. When the store is full (its own limit
    /// or the disk) it throws `StoreError` whose `kind` is `.full`; nothing is saved then, and the caller tries again.
    ///
    /// Events that may be known (`Entry.mayBeKnown`) and are stored already are refused, and so are those that are older
    /// than events are kept: they are counted, besides what `batch.progress.counts` has of them and of what was passed.
    ///
    /// Missing numbers (`batch.progress.holes`) take the place of the records that there are of the same boot. A file that
    /// is saved for the first time takes away the record that it was deleted: it is back, and is read again.
    ///
    /// A batch takes its size twice for a moment, in the log and in the database: see `maximumBatch`. Of one that would not even
    /// fit into an empty store the first part is saved, and the rest is given back, to be saved next; an event that does not
    /// fit alone is cut, and flagged. Where the program ends in between, `ReadingState.knownUntilMicroseconds` says which
    /// entries may be stored already.
    @discardableResult
    package func save(_ batch: CountedBatch, journal: String) async throws(StoreError) -> SavedBatch {
        try await change { [self] db, state in
            let (part, cost, rest) = try fitting(batch, db, state)
            try makeRoom(for: cost, db, &state)
            var writer = BatchWriter(db, retention: retention(now: clock()))
            try database.logCopying.puttingOff(db) {
                try state.transaction(db) { state in
                    try writer.write(part.batch, part.tally, journal: journal, state: &state)
                }
                // A gap wakes tails as well, which show it.
                if writer.hasNews { feed.publish(state.lastEventID) }
                if state.appender.isBlockReady { blockReady.continuation.yield() }
            }
            // What was committed stays committed: this may fail, and comes again.
            try? shortenLog(db, &state)
            writer.saved.rest = rest
            return writer.saved
        }
    }

    @discardableResult
    package func save(_ batch: ResolvedBatch, journal: String) async throws(StoreError) -> SavedBatch {
        try await save(CountedBatch(batch), journal: journal)
    }

    private func cost(of part: CountedBatch, _ db: Database, _ state: WriterState) throws -> BatchCost {
        part.cost.adding(
            part.tally, to: state.counters, packed: state.appender.packed(with: part.batch),
            records: try GapTable.countMissing(of: part.batch.progress.holes.keys, db))
    }

    /// As much of a batch as fits into the store when it is empty.
    private func fitting(
        _ batch: CountedBatch, _ db: Database, _ state: WriterState
    ) throws -> (CountedBatch, BatchCost, rest: ResolvedBatch?) {
        var (part, rest) = (batch, ResolvedBatch?.none)
        while true {
            let cost = try cost(of: part, db, state)
            if try fitsWhenEmpty(cost, db, state) { return (part, cost, rest) }
            guard part.batch.events.count > 1 else {
                part = CountedBatch(part.batch.cut(toPayload: limit.blockPayloadBytes / 4))
                return (part, try self.cost(of: part, db, state), rest)
            }
            let halves = part.batch.parted(at: part.batch.events.count / 2)
            var second = halves.rest
            if let rest { second.append(rest) }
            (part, rest) = (CountedBatch(halves.first), second)
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

    /// The most that one batch should have: a block of this store, which is packed as it comes.
    package var maximumBatch: (events: Int, payloadBytes: Int) { (limit.blockEvents, limit.blockPayloadBytes) }
}
