internal import GRDB

extension EventStore {
    /// Counts the stored events after one, up to the newest or as many as there is time for.
    /// - Parameters:
    ///   - after: the last event that was counted.
    ///   - last: the last event to count.
    /// - Returns: what each group's items counted, and the last event that was counted. It is less than `last` if there is more.
    package func count(
        _ watch: EventWatch, after: Int64, through last: Int64
    ) async throws(StoreError) -> (sums: [[WatchedSum]], position: Int64) {
        guard after < last else { return (watch.empty, after) }
        return try await database.read(.delivery) { db, turn in
            var (sums, kept) = (watch.empty, 0)
            let blocks = BlockMatcher(times: watch.times)
            let reached = try ColumnWalk.forEach(of: after + 1...last, blocks, db, turn) { events in
                kept += try watch.add(events, of: after + 1...last, to: &sums, until: turn)
                return kept < EventWatch.mostKept
            }
            return (sums, reached ?? last)
        }
    }
}
