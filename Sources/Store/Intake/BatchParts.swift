package import Model

/// Batches that the store has no room for at once, although it would be empty.
extension ResolvedBatch {
    /// The first events, and the rest, with which all of the progress is saved. In between there is a time until which entries
    /// may be known already: a start that comes then reads them again.
    func parted(at count: Int) -> (first: ResolvedBatch, rest: ResolvedBatch) {
        var (first, rest) = (self, self)
        (first.bytes, first.events) = part(events[..<count])
        (rest.bytes, rest.events) = part(events[count...])
        first.gaps = gaps.filter { $0.entryIndex <= count }
        rest.gaps = gaps.filter { $0.entryIndex > count }
        for place in rest.gaps.indices { rest.gaps[place].entryIndex -= count }
        first.progress = ReadingProgress()
        first.progress.startMicroseconds = progress.startMicroseconds
        first.progress.knownUntilMicroseconds = events.lazy.map(\.entry.realtimeMicroseconds).max()
        rest.progress.knownUntilMicroseconds = 0
        return (first, rest)
    }

    private func part(_ events: ArraySlice<ResolvedEvent>) -> ([UInt8], [ResolvedEvent]) {
        var bytes: [UInt8] = []
        let part = events.map { event in
            var event = event
            let start = bytes.count
            bytes += self.bytes[event.entry.payload]
            event.entry.payload = start..<bytes.count
            return event
        }
        return (bytes, part)
    }

    /// Puts what follows behind it. The progress of the other is that of both.
    mutating func append(_ other: ResolvedBatch) {
        gaps += other.gaps.map { gap in
            var gap = gap
            gap.entryIndex += events.count
            return gap
        }
        events += other.events.map { event in
            var event = event
            event.entry.payload =
                bytes.count + event.entry.payload.lowerBound..<bytes.count + event.entry.payload.upperBound
            return event
        }
        bytes += other.bytes
        progress = other.progress
    }

    /// Its only event with a shorter payload, and flagged.
    func cut(toPayload length: Int) -> ResolvedBatch {
        var batch = self
        guard var event = events.first, event.entry.payload.count > length else { return self }
        batch.bytes = Array(bytes[event.entry.payload].prefix(length))
        event.entry.payload = 0..<length
        event.findings = Findings(warnings: [.cut])
        if event.resolution.hasPayload || event.resolution == .malformed {
            event.resolution = .malformed
            event.findings?.reason = "cut at \(length) bytes, since store.max_size has no room for more"
            event.kind = EventKind(
                dictionary: event.kind.dictionary, definitionsVersion: event.kind.definitionsVersion, key: nil)
        }
        batch.events = [event]
        return batch
    }
}

/// A batch, and what its events add to the counters and to the database: known before the batch is to be saved, and so found by
/// whoever reads it, while the one before is being saved.
package struct CountedBatch: Sendable {
    package let batch: ResolvedBatch
    let tally: CountTally
    /// Of what does not depend on what is stored.
    let cost: BatchCost

    package init(_ batch: ResolvedBatch) {
        self.batch = batch
        tally = CountTally(batch.events)
        cost = BatchCost(batch, tally)
    }
}

/// What saving a batch did.
package struct SavedBatch: Sendable {
    /// What became of its entries.
    package var counts: EntryCounts
    /// How many gap records were removed because what was missing has come.
    package var closedGaps: Int
    /// What is not saved yet, as there was no room for all of it at once: to be saved next.
    package var rest: ResolvedBatch?

    package init(counts: EntryCounts = .init(), closedGaps: Int = 0, rest: ResolvedBatch? = nil) {
        self.counts = counts
        self.closedGaps = closedGaps
        self.rest = rest
    }
}
