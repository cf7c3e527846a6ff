internal import GRDB
package import Model

extension EventStore {
    /// Returns how far the journal that is saved under the name `journal` (`JournalLocation.savedNames`) was read; `nil`
    /// before its first start was saved.
    package func readingState(ofJournal journal: String) async throws(StoreError) -> ReadingState? {
        try await database.read(.status) { db in try JournalTable.state(ofJournal: journal, db) }
    }

    /// Saves events, gaps, counters and the reading progress in one transaction. When the store is full (its own
    /// limit or the disk), it throws a `StoreError` whose `kind` is `.full`. Then nothing is saved, and the caller
    /// tries again.
    ///
    /// Events that may be known (`Entry.mayBeKnown`, `mayBeCopy`) are refused if they are stored already. Events that are older
    /// than the retention permits, or were read before (`Entry.wasRead`) and removed since, are refused as well. Both are
    /// counted, in addition to `batch.progress.counts` and to the entries that were skipped.
    ///
    /// Missing numbers (`batch.progress.holes`) replace the existing records of the same boot. The position of a file
    /// removes the record that it was deleted if it has returned, and goes as far as it did then.
    ///
    /// While it is being saved, a batch takes its size twice, in the log and in the database: see `maximumBatch`. If
    /// a batch would not fit even into an empty store, its first part is saved, and the rest is returned, to be saved
    /// next. An event that does not fit alone is cut and flagged. If the program ends between the parts,
    /// `ReadingState.knownUntilMicroseconds` says which entries may be stored already.
    @discardableResult
    package func save(_ batch: CountedBatch, journal: String) async throws(StoreError) -> SavedBatch {
        try await change { [self] db, state in
            let (part, cost, rest) = try fitting(batch, db, state)
            try makeRoom(for: cost, db, &state)
            var writer = BatchWriter(db, retention: retention(now: clock()))
            try database.logCopying.postponing(db) {
                try state.transaction(db) { state in
                    try writer.write(part.batch, part.tally, journal: journal, state: &state)
                }
                // A gap wakes tails too, since they show it.
                if writer.hasNews { feed.publish(state.lastEventID) }
                if state.appender.isBlockReady { blockReady.continuation.yield() }
            }
            // The events are committed, so that an error here is not reported. A later commit tries again.
            try? shortenLog(db, &state)
            writer.saved.rest = rest
            return writer.saved
        }
    }

    @discardableResult
    package func save(_ batch: ResolvedBatch, journal: String) async throws(StoreError) -> SavedBatch {
        try await save(CountedBatch(batch), journal: journal)
    }

    func cost(of part: CountedBatch, _ db: Database, _ state: WriterState) throws -> BatchCost {
        part.cost.adding(
            part.tally, to: state.counters, packed: state.appender.packed(with: part.size),
            reusesRows: state.appender.makesOneBlock,
            leavesRows: state.appender.mayLeaveRows(of: part.size),
            records: try GapTable.countMissing(of: part.batch.progress.holes.keys, db))
    }

    /// Returns as much of a batch as fits into an empty store.
    private func fitting(
        _ batch: CountedBatch, _ db: Database, _ state: WriterState
    ) throws -> (CountedBatch, BatchCost, rest: ResolvedBatch?) {
        var (part, rest) = (batch, ResolvedBatch?.none)
        while true {
            let cost = try cost(of: part, db, state)
            if try fitsWhenEmpty(cost, db, state) { return (part, cost, rest) }
            guard part.batch.isDivisible else {
                part = CountedBatch(part.batch.cut(toPayload: limit.blockPayloadBytes / 4))
                return (part, try self.cost(of: part, db, state), rest)
            }
            let halves = part.batch.parted(at: max(1, part.batch.events.count / 2))
            var second = halves.rest
            if let rest { second.append(rest) }
            (part, rest) = (CountedBatch(halves.first), second)
        }
    }

    /// The largest batch that callers should save: one that fills a block of this store, and is packed directly.
    package var maximumBatch: (events: Int, payloadBytes: Int) { (limit.blockEvents, limit.blockPayloadBytes) }
}
