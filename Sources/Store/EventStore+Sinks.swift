internal import GRDB
package import Model
internal import Synchronization

extension EventStore {
    /// Returns the record of each sink, in the given order. A sink that the store does not know gets a record at
    /// `start`.
    ///
    /// Sinks that are not in `sinks` no longer hold events back. Their position and their frozen batch stay: a sink
    /// that is configured again sends that batch again, the same bytes with the same key, and continues with the
    /// events that still exist.
    package func openSinks(_ sinks: [(name: String, start: StartPoint)], now: UInt64) async throws(StoreError)
        -> [SinkRecord]
    {
        let starts = try await startPositions(of: sinks, now: now)
        let records = try await change { db, state in
            let records = try sinks.compactMap { try SinkTable.fetch($0.name, db) }
            // Nothing is written when nothing changes, so that a full disk stops no sink that the store knows.
            let isOpen = try Set(SinkTable.active(db).map(\.name)) == Set(sinks.map(\.name))
            if isOpen, records.count == sinks.count { return records }
            try state.transaction(db) { state in
                for sink in sinks where try SinkTable.fetch(sink.name, db) == nil {
                    let position = starts[ExactString(sink.name)] ?? state.lastEventID
                    try SinkTable.insert(sink.name, position: position, now: now, db)
                }
                try SinkTable.setActive(sinks.map(\.name), db)
            }
            return try sinks.compactMap { try SinkTable.fetch($0.name, db) }
        }
        sinkStarts.withLock { $0 = [:] }
        return records
    }

    /// Returns where sinks begin that the store does not know, except those that begin with the next event. It may look
    /// through all blocks, and intake does not wait for that. What was found stays until the sinks are open: they are
    /// tried again every few seconds.
    private func startPositions(
        of sinks: [(name: String, start: StartPoint)], now: UInt64
    ) async throws(StoreError) -> [ExactString: Int64] {
        let new = try await database.read(.status) { db in
            try sinks.filter { try SinkTable.fetch($0.name, db) == nil }
        }
        let known = sinkStarts.withLock(\.self)
        var starts: [ExactString: (start: StartPoint, position: Int64)] = [:]
        for (name, start) in new {
            switch start {
            case .now: break
            case .oldest: starts[ExactString(name)] = (start, 0)
            case .ago(let duration):
                if let found = known[ExactString(name)], found.start == start {
                    starts[ExactString(name)] = found
                    continue
                }
                // Events that arrived late are older than some before them. The position is before the first event
                // that is young enough.
                let position = try await position(before: now - min(now, duration.wholeMicroseconds))
                starts[ExactString(name)] = (start, position)
            }
        }
        sinkStarts.withLock { [starts] in $0 = starts }
        return starts.mapValues(\.position)
    }

    /// Returns the records of the sinks that hold events back, by name.
    package func openedSinks() async throws(StoreError) -> [SinkRecord] {
        try await database.read(.status) { db in try SinkTable.active(db) }
    }

    /// Returns the batch that was frozen and not yet completed. If it is damaged, it is removed: its events, which are
    /// after the sink's position, have to be sent in another batch.
    package func frozenBatch(ofSink name: String) async throws(StoreError) -> FrozenBatch? {
        do throws(StoreError) {
            return try await database.read(.delivery) { db in try BatchTable.load(sink: name, db) }
        } catch  where error.kind == .corrupt {
            try await removeDamagedBatch(ofSink: name)
            return nil
        }
    }

    private func removeDamagedBatch(ofSink name: String) async throws(StoreError) {
        try await change { [self] db, state in
            try state.transaction(db) { state in
                let position = try Self.record(of: name, db).position
                let batch = try BatchTable.extent(ofSink: name, after: position, db)
                // If that is damaged, any event may have been in it.
                let ids = batch?.ids ?? position + 1 ... .max
                try removeUnsent(ofSink: name, ids, atMost: batch?.count ?? .max, db, state)
            }
            state.hasOldValuesInLog = true
        }
    }

    /// Removes a batch, within a transaction. Events that were removed while the sink had them in it are missing from now on.
    /// Those behind what every sink has frozen were counted when they were removed; which others were is not known.
    /// Ids that had no event count, too.
    /// - Parameters:
    ///   - ids: of the events that may have been in it.
    ///   - most: the most events that it can have had.
    private func removeUnsent(
        ofSink name: String, _ ids: ClosedRange<Int64>, atMost most: Int64, _ db: Database, _ state: WriterState
    ) throws {
        let (first, frozen) = (ids.lowerBound, try SinkTable.lastFrozenForAll(with: (name, ids.upperBound), db))
        let last = min(ids.upperBound, state.lastEventID, frozen)
        if first <= last {
            // If that cannot be read, any of them may be missing.
            var (stored, place) = (Int64(0), last)
            do {
                stored = try StoredRange.count(of: first...last, db)
                if let oldest = try StoredRange.ids(db)?.lowerBound, oldest > first { place = min(last, oldest - 1) }
            } catch let error as DatabaseError where error.isDamage {}
            let lost = min(last - first + 1 - stored, most)
            if lost > 0 { try GapTable.addDropped(first...place, lost: lost, at: clock(), db) }
        }
        try BatchTable.remove(ofSink: name, db)
    }

    /// Saves a batch with synchronous=FULL. It replaces the sink's previous batch.
    package func freeze(_ batch: FrozenBatch) async throws(StoreError) {
        try await change { [self] db, state in
            try makeRoom(for: BatchCost(body: batch.body.count), forDelivery: true, db, &state)
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // If this fails, later commits are merely slower.
            defer { try? db.execute(sql: "PRAGMA synchronous = NORMAL") }
            try state.transaction(db) { _ in try BatchTable.save(batch, db) }
            state.hasOldValuesInLog = true
        }
    }

    /// Deletes a batch that was not sent and will not be: other events are to be sent instead.
    package func discard(_ batch: FrozenBatch) async throws(StoreError) {
        try await change { [self] db, state in
            try state.transaction(db) { state in
                guard try BatchTable.contains(batch, db) else { return }
                guard batch.firstEventID <= batch.lastEventID else { return try BatchTable.remove(batch, db) }
                try removeUnsent(
                    ofSink: batch.sink, batch.firstEventID...batch.lastEventID, atMost: Int64(batch.eventCount), db,
                    state)
            }
            state.hasOldValuesInLog = true
        }
    }

    /// Moves the sink's position behind events that it does not deliver, unless it is behind them already.
    package func pass(_ name: String, to position: Int64) async throws(StoreError) -> SinkRecord {
        try await change { db, state in
            try state.transaction(db) { _ in try SinkTable.pass(name, to: position, db) }
            return try Self.record(of: name, db)
        }
    }

    /// Moves the sink's position to the end of the batch and deletes its body, if it was saved, in one transaction. Repeating
    /// the call has no effect.
    package func complete(_ batch: FrozenBatch, at now: UInt64) async throws(StoreError) -> SinkRecord {
        try await change { db, state in
            try state.transaction(db) { _ in
                try BatchTable.remove(batch, db)
                try SinkTable.recordDelivery(of: batch, at: now, db)
            }
            state.hasOldValuesInLog = true
            return try Self.record(of: batch.sink, db)
        }
    }

    private static func record(of name: String, _ db: Database) throws -> SinkRecord {
        guard let record = try SinkTable.fetch(name, db) else {
            throw StoreError(kind: .failed, description: "the store knows no sink \(name)")
        }
        return record
    }
}
