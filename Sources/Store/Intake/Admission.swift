internal import GRDB
internal import Model

/// Decides which events of a batch are stored: not those that are stored already, nor those that were read before and
/// have been removed since, nor those that are older than the retention permits, unless sinks wait for them. These are
/// events that were sent since there is a sink, and that were certainly not stored before: the daemon was stopped or
/// paused. What is older is not owed to anybody.
struct Admission {
    /// The events that are stored, in order.
    let events: [ResolvedEvent]
    private(set) var duplicates: Int64 = 0
    private(set) var expired: Int64 = 0
    /// The positions in the batch of the events that are not stored, ascending.
    private var refused: [Int] = []

    /// Must run within the transaction that stores the events.
    init(_ batch: ResolvedBatch, _ retention: Retention, _ db: Database) throws {
        let waiting = try Self.waiting(batch, retention, db)
        func hasExpired(_ entry: Entry) -> Bool {
            retention.hasExpired(entry) && (entry.mayBeKnown || entry.realtimeMicroseconds < waiting)
        }
        let removed =
            batch.events.contains { $0.entry.wasRead } ? try retention.removedUntil(db) : RemovedUntil()
        func mayBeRemoved(_ entry: Entry) -> Bool {
            guard entry.wasRead, let time = removed.time(of: entry.origin.source) else { return false }
            return entry.realtimeMicroseconds <= time
        }
        let candidates = batch.events.indices.filter {
            let entry = batch.events[$0].entry
            return (entry.mayBeKnown || entry.mayBeCopy) && !hasExpired(entry)
        }
        var known = StoredUIDs(among: Set(candidates.map { batch.events[$0].entry.uid }))
        for times in Self.spans(of: candidates.map { batch.events[$0].entry.realtimeMicroseconds }) {
            _ = try known.look(at: times, in: 1 ... .max, db)
        }
        for place in batch.events.indices {
            let entry = batch.events[place].entry
            if hasExpired(entry) || mayBeRemoved(entry) && !known.found.contains(entry.uid) {
                expired += 1
            } else if !known.isEmpty, !known.admits(entry.uid) {
                duplicates += 1
            } else {
                continue
            }
            refused.append(place)
        }
        events = refused.isEmpty ? batch.events : Self.events(of: batch, without: refused)
    }

    /// Returns since when sinks have waited for the events of a batch, in microseconds since 1970.
    private static func waiting(_ batch: ResolvedBatch, _ retention: Retention, _ db: Database) throws -> UInt64 {
        guard batch.events.contains(where: { retention.hasExpired($0.entry) }) else { return .max }
        return try SinkTable.knownSince(db) ?? .max
    }

    /// The longest pause between two events within a span.
    private static let longestPause: Int64 = 3_600_000_000

    /// Returns the times of events, as they are stored, in spans without long pauses, since files that arrive late may be of
    /// any days.
    static func spans(of times: some Sequence<UInt64>) -> [ClosedRange<Int64>] {
        var spans: [ClosedRange<Int64>] = []
        for time in times.map({ Int64(bitPattern: $0) }).sorted() {
            // The times of damaged entries may be any numbers.
            let pause = spans.last.map { time.subtractingReportingOverflow($0.upperBound) }
            if let last = spans.last, let pause, !pause.overflow, pause.partialValue <= longestPause {
                spans[spans.count - 1] = last.lowerBound...time
            } else {
                spans.append(time...time)
            }
        }
        return spans
    }

    /// - Parameter refused: positions, ascending.
    private static func events(of batch: ResolvedBatch, without refused: [Int]) -> [ResolvedEvent] {
        var rest = refused[...]
        return batch.events.indices.filter { place in
            guard rest.first == place else { return true }
            rest.removeFirst()
            return false
        }.map { batch.events[$0] }
    }

    /// Returns the number of stored events before a position in the batch.
    func storedEvents(before place: Int) -> Int {
        let place = min(max(place, 0), events.count + refused.count)
        return place - (refused.firstIndex { $0 >= place } ?? refused.count)
    }
}
