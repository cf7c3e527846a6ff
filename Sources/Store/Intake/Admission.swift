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
    /// - Parameters:
    ///   - oldest: earlier events are not kept, in microseconds since 1970; `nil` when they are whatever their age.
    ///   - open: the block that the newest events are in.
    init(_ batch: ResolvedBatch, oldest: UInt64?, open: OpenBlock, _ db: Database) throws {
        let oldest = oldest ?? 0
        let candidates = batch.events.lazy.filter { $0.entry.mayBeKnown && $0.entry.realtimeMicroseconds >= oldest }
        var known = StoredUIDs(among: Set(candidates.map(\.entry.uid)))
        if !known.isEmpty {
            try known.find(times: candidates.map { Int64(bitPattern: $0.entry.realtimeMicroseconds) }, open: open, db)
        }
        for place in batch.events.indices {
            if batch.events[place].entry.realtimeMicroseconds < oldest {
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
