import GRDB
import Testing

@testable import Store

extension EventStore {
    /// Checks that the tables are consistent with each other.
    func checkTables() async throws {
        let wrong = try await database.read(.query) { db in
            try [
                "SELECT 1 FROM blocks WHERE first_id NOT IN (SELECT first_id FROM block_data)",
                "SELECT 1 FROM block_data WHERE first_id NOT IN (SELECT first_id FROM blocks)",
                "SELECT 1 FROM block_values WHERE first_id NOT IN (SELECT first_id FROM blocks)",
                "SELECT 1 FROM blocks AS b JOIN blocks AS c ON c.first_id BETWEEN b.first_id + 1 AND b.last_id",
                "SELECT 1 FROM open_events WHERE id <= (SELECT max(last_id) FROM blocks)",
                "SELECT 1 FROM open_events WHERE kind NOT IN (SELECT kind FROM open_kinds)",
                "SELECT 1 FROM open_events WHERE sender NOT IN (SELECT sender FROM open_senders)",
                "SELECT 1 FROM event_counts WHERE seen <= 0",
                "SELECT 1 FROM finding_counts WHERE seen <= 0 OR event_count NOT IN (SELECT id FROM event_counts)",
            ].filter { try Int.fetchOne(db, sql: $0) != nil }
        }
        #expect(wrong == [])
        // The state in memory equals the state that a restart reads.
        let (remembered, stored) = try await change { [limit] db, state in
            let fresh = try WriterState(db, limit: limit)
            return (
                [state.counters.bytes, Int64(state.appender.openSize.count), state.lastEventID],
                [fresh.counters.bytes, Int64(fresh.appender.openSize.count), fresh.lastEventID]
            )
        }
        #expect(remembered == stored)
    }
}
