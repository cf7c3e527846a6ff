internal import GRDB
internal import Model

/// What `drop_oldest` leaves behind: a count, and a gap record at the place of what was removed. Removals within a
/// minute share one record.
enum DropRecord {
    private static let minute: UInt64 = 60_000_000

    static func save(
        _ removed: ClosedRange<Int64>, lost: Int64, at now: UInt64, _ db: Database
    ) throws {
        try Totals.add(dropped: lost, db)
        let next = try cursor(after: removed.upperBound, db)
        let last = try Row.fetchOne(
            db, sql: "SELECT id, time, count FROM gaps WHERE cause = 'dropped' ORDER BY id DESC LIMIT 1")
        if let last, now &- UInt64(bitPattern: last["time"]) < minute {
            let total = lost + (last["count"] as Int64? ?? 0)
            try db.execute(
                sql: "UPDATE gaps SET after_event_id = ?, count = ?, to_cursor = ?, message = ? WHERE id = ?",
                arguments: [removed.upperBound, total, next?.description, message(total), last["id"] as Int64])
        } else {
            let gap = Gap(
                cause: .dropped, realtimeMicroseconds: now, to: next, count: UInt64(lost), message: message(lost))
            try GapTable.insert(gap, afterEventID: removed.upperBound, db)
        }
    }

    private static func message(_ count: Int64) -> String {
        "the store was full: \(count) events were removed before every sink had them"
    }

    private static func cursor(after id: Int64, _ db: Database) throws -> JournalCursor? {
        let query = EventQuery(filter: EventFilter(), after: id, before: nil, order: .oldest, limit: 1)
        var scan = try EventScan(db, query: query, turn: ReadTurn(time: .zero))
        return try scan.page().events.first?.cursor
    }
}
