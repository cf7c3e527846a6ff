internal import GRDB

/// The events of a block, added up by what they are counted by: the row of `event_use`.
struct EventTally: Sendable {
    private(set) var uses: [Int64: UseSum] = [:]

    init() {}

    mutating func count(eventUse: Int64, id: Int64, time: Int64) {
        uses[eventUse, default: UseSum()].add(UseSum(count: 1, times: time...time, lastEvent: id))
    }

    /// Adds stored events, one by one.
    /// - Parameters:
    ///   - times: only of events within.
    ///   - condition: SQL, on rows of `series_use`.
    mutating func countStored(
        _ ids: ClosedRange<Int64>, times: ClosedRange<Int64>? = nil, where condition: String = "true", _ db: Database
    ) throws {
        let rows = try BareStatement(
            db,
            """
            SELECT id, time, event_use FROM event_rows JOIN series_use USING (series)
            WHERE id BETWEEN ? AND ? AND \(condition)
            """)
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        while try rows.step() {
            let time = rows.int64(1)
            guard times?.contains(time) ?? true else { continue }
            count(eventUse: rows.int64(2), id: rows.int64(0), time: time)
        }
    }

    /// Adds what was counted of a complete block.
    mutating func countStored(block: Int64, _ db: Database) throws {
        let rows = try BareStatement(
            db, reusing: "SELECT event_use, events, last_event, first_time, last_time FROM block_use WHERE block = ?")
        try rows.bind(1, block)
        while try rows.step() {
            uses[rows.int64(0), default: UseSum()].add(UseSum(rows, from: 1))
        }
    }
}

/// The table `block_use`, for the connection that writes.
enum BlockUse {
    /// Adds to what the block has.
    static func save(_ tally: EventTally, block: Int64, _ db: Database) throws {
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO block_use (block, event_use, events, last_event, first_time, last_time) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (block, event_use) DO UPDATE SET events = events + excluded.events,
                last_event = max(last_event, excluded.last_event), first_time = min(first_time, excluded.first_time),
                last_time = max(last_time, excluded.last_time)
                """)
        for (use, sum) in tally.uses {
            try insert.bind(1, block)
            try insert.bind(2, use)
            try sum.bind(to: insert, from: 3)
            try insert.run()
        }
    }

    /// Takes back events that were resolved again.
    /// - Parameter losses: how many, by the row of `event_use`.
    static func subtract(_ losses: [Int64: Int64], block: Int64, _ db: Database) throws {
        let update = try BareStatement(
            db, reusing: "UPDATE block_use SET events = events - ? WHERE block = ? AND event_use = ?")
        for (use, events) in losses {
            try update.bind(1, events)
            try update.bind(2, block)
            try update.bind(3, use)
            try update.run()
        }
        try db.execute(sql: "DELETE FROM block_use WHERE block = ? AND events <= 0", arguments: [block])
    }
}
