internal import GRDB
internal import Model

/// Which events of a batch are stored: not those that were stored before, nor those that are older than events are kept.
struct Admission {
    /// Those that are stored, in order.
    let events: [ResolvedEvent]
    private(set) var duplicates: Int64 = 0
    private(set) var expired: Int64 = 0
    /// The places in the batch of those that are not stored, ascending.
    private var refused: [Int] = []

    /// Within the transaction that stores them.
    init(_ batch: ResolvedBatch, _ retention: Retention, _ db: Database) throws {
        let candidates = batch.events.indices.filter {
            batch.events[$0].entry.mayBeKnown && !retention.isOver(batch.events[$0].entry)
        }
        var known = StoredUIDs(among: Set(candidates.map { batch.events[$0].entry.uid }))
        for times in Self.spans(
            of: candidates.map { Int64(bitPattern: batch.events[$0].entry.realtimeMicroseconds) })
        {
            _ = try known.look(at: times, in: 1 ... .max, db)
        }
        for place in batch.events.indices {
            if retention.isOver(batch.events[place].entry) {
                expired += 1
            } else if !known.isEmpty, !known.admits(batch.events[place].entry.uid) {
                duplicates += 1
            } else {
                continue
            }
            refused.append(place)
        }
        events = refused.isEmpty ? batch.events : Self.events(of: batch, without: refused)
    }

    /// How long nothing may be asked for within a span.
    private static let longestPause: Int64 = 3_600_000_000

    /// The times of events, without long pauses: the files that come late may be of any days.
    private static func spans(of times: [Int64]) -> [ClosedRange<Int64>] {
        var spans: [ClosedRange<Int64>] = []
        for time in times.sorted() {
            if let last = spans.last, time - last.upperBound <= longestPause {
                spans[spans.count - 1] = last.lowerBound...time
            } else {
                spans.append(time...time)
            }
        }
        return spans
    }

    /// - Parameter refused: places, ascending.
    private static func events(of batch: ResolvedBatch, without refused: [Int]) -> [ResolvedEvent] {
        var rest = refused[...]
        return batch.events.indices.filter { place in
            guard rest.first == place else { return true }
            rest.removeFirst()
            return false
        }.map { batch.events[$0] }
    }

    /// How many stored events come before a place in the batch.
    func storedEvents(before place: Int) -> Int {
        let place = min(max(place, 0), events.count + refused.count)
        return place - (refused.firstIndex { $0 >= place } ?? refused.count)
    }
}
