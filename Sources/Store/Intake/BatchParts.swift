package import Model

/// Splits batches that do not fit even into an empty store.
extension ResolvedBatch {
    /// Returns the first events, and the rest, with which the whole progress and the gaps are saved. Between the two, the
    /// store has a time until which entries may be known already; a start in this state reads them again, and finds the gaps
    /// again.
    func parted(at count: Int) -> (first: ResolvedBatch, rest: ResolvedBatch) {
        var (first, rest) = (self, self)
        (first.bytes, first.events) = part(events[..<count])
        (rest.bytes, rest.events) = part(events[count...])
        first.gaps = []
        rest.moveGaps(by: -count)
        first.progress = ReadingProgress()
        first.progress.startMicroseconds = progress.startMicroseconds
        let known = progress.knownUntilMicroseconds ?? 0
        first.progress.knownUntilMicroseconds = max(known, events.lazy.map(\.entry.realtimeMicroseconds).max() ?? 0)
        rest.progress.knownUntilMicroseconds = known
        return (first, rest)
    }

    /// Whether `parted` leaves something to the rest.
    var isDivisible: Bool {
        guard events.count == 1 else { return events.count > 1 }
        var least = ReadingProgress()
        least.startMicroseconds = progress.startMicroseconds
        least.knownUntilMicroseconds = progress.knownUntilMicroseconds
        return !gaps.isEmpty || progress != least
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

    /// Moves the places of gaps and missing numbers. Those that would be before the first event are at the beginning.
    private mutating func moveGaps(by count: Int) {
        func moved(_ gap: Gap) -> Gap {
            var gap = gap
            gap.entryIndex = max(0, gap.entryIndex + count)
            return gap
        }
        gaps = gaps.map(moved)
        progress.holes = progress.holes.mapValues { $0.map(moved) }
    }

    /// Appends the batch that follows. Its progress becomes that of both.
    mutating func append(_ other: ResolvedBatch) {
        var other = other
        other.moveGaps(by: events.count)
        gaps += other.gaps
        events += other.events.map { event in
            var event = event
            event.entry.payload =
                bytes.count + event.entry.payload.lowerBound..<bytes.count + event.entry.payload.upperBound
            return event
        }
        bytes += other.bytes
        progress = other.progress
    }

    /// Returns the batch with a shorter payload of its only event, which is flagged.
    func cut(toPayload length: Int) -> ResolvedBatch {
        var batch = self
        guard var event = events.first, event.contentBytes > length else { return self }
        let payload = bytes[event.entry.payload]
        batch.bytes = Array((event.text?.whole(with: payload) ?? Array(payload)).prefix(length))
        event.entry.payload = batch.bytes.indices
        // What else was found is about the whole payload.
        let warnings = event.findings?.warnings.filter { $0 == .payloadField || $0 == .senderCut }
        event.findings = Findings(warnings: [.cut] + (warnings ?? []))
        event.text = nil
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

/// A batch, and what its events add to the counters and to the database. This is computed in advance by the task that
/// reads the batch, while the previous batch is being saved.
package struct CountedBatch: Sendable {
    package let batch: ResolvedBatch
    let tally: CountTally
    let size: EventAppender.Size
    /// The part of the cost that does not depend on the content of the store.
    let cost: BatchCost

    package init(_ batch: ResolvedBatch) {
        self.batch = batch
        tally = CountTally(batch.events)
        size = EventAppender.Size(
            count: batch.events.count, payloadBytes: batch.events.reduce(0) { $0 + $1.contentBytes })
        cost = BatchCost(batch, tally)
    }
}

/// The result of saving a batch.
package struct SavedBatch: Sendable {
    /// The results of its entries.
    package var counts: EntryCounts = .init()
    /// The events that were stored, by resolution.
    package var seen: [Resolution: Int64] = [:]
    /// The number of gap records that were removed because the missing entries have arrived.
    package var closedGaps: Int = 0
    /// The part that is not saved, as there was no room for the whole batch. It is to be saved next.
    package var rest: ResolvedBatch?
}
