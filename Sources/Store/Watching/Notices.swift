internal import GRDB
package import Model

/// A notice that is to be saved, and sent.
package struct NewNotice: Sendable, Hashable {
    @Exact package var alert: String
    /// What is sent; JSON.
    @Exact package var notice: String
    /// Where it is sent; none if it is silenced.
    package var notifiers: [String]
    package var isSilenced: Bool

    package init(alert: String, notice: String, notifiers: [String], isSilenced: Bool = false) {
        (self.notifiers, self.isSilenced) = (notifiers, isSilenced)
        self.alert = alert
        self.notice = notice
    }
}

/// A notice that was delivered, or has to be.
package struct StoredNotice: Sendable, Hashable {
    package var id: Int64
    @Exact package var notice: String
    package var isSilenced: Bool
    /// When each notifier got it, in microseconds since 1970; `nil` if it did not yet.
    package var deliveries: [Delivery]

    package struct Delivery: Sendable, Hashable {
        @Exact package var notifier: String
        package var delivered: UInt64?
    }
}

extension EventStore {
    /// Returns the next notice that has to be delivered to a notifier, with the idempotency key of this delivery.
    package func nextNotice(
        for notifier: String
    ) async throws(StoreError) -> (id: Int64, notice: String, key: String)? {
        try await database.read(.delivery) { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT id, notices.notice AS text, key
                    FROM notice_deliveries JOIN notices ON id = notice_deliveries.notice
                    WHERE notifier = ? AND delivered IS NULL ORDER BY id LIMIT 1
                    """, arguments: [notifier]
            ).map { (try $0.value("id"), try $0.value("text"), try $0.value("key")) }
        }
    }

    /// Records that a notice was delivered to a notifier.
    package func completeNotice(_ id: Int64, for notifier: String, at now: UInt64) async throws(StoreError) {
        try await change { db, state in
            try state.transaction(db) { _ in
                try db.execute(
                    sql: "UPDATE notice_deliveries SET delivered = ? WHERE notifier = ? AND notice = ?",
                    arguments: [Int64(clamping: now), notifier, id])
            }
        }
    }

    /// Replaces texts of notices, also of those that have to be delivered.
    /// - Parameter body: returns what replaces a text; `nil` if it stays.
    package func replaceNotices(_ body: @Sendable (String) -> String?) async throws(StoreError) {
        var (last, isEnd) = (Int64.min, false)
        while !isEnd {
            let page = try await database.read(.status) { [last] db in
                try Row.fetchAll(
                    db, sql: "SELECT id, notice FROM notices WHERE id > ? ORDER BY id LIMIT ?",
                    arguments: [last, NoticeTable.page]
                ).map { (id: try $0.value("id") as Int64, text: try $0.value("notice") as String) }
            }
            isEnd = page.count < NoticeTable.page
            last = page.last?.id ?? last
            let replaced = page.compactMap { notice in body(notice.text).map { (id: notice.id, text: $0) } }
            guard !replaced.isEmpty else { continue }
            try await change { [self] db, state in
                let bytes = replaced.reduce(0) { $0 + $1.text.utf8.count + 256 }
                try makeRoom(for: BatchCost(body: bytes), forDelivery: true, db, &state)
                try state.transaction(db) { _ in
                    for notice in replaced {
                        try db.execute(
                            sql: "UPDATE notices SET notice = ? WHERE id = ?", arguments: [notice.text, notice.id])
                    }
                }
                state.hasOldValuesInLog = true
            }
        }
    }

    /// Forgets open deliveries to notifiers that no longer exist.
    package func keepNotices(forOnly notifiers: [String]) async throws(StoreError) {
        try await change { db, state in
            let open: [String] = try Row.fetchAll(
                db, sql: "SELECT DISTINCT notifier FROM notice_deliveries WHERE delivered IS NULL"
            ).map { try $0.value("notifier") }
            let gone = open.filter { name in !notifiers.contains { $0 == name } }
            guard !gone.isEmpty else { return }
            try state.transaction(db) { _ in
                for name in gone {
                    try db.execute(
                        sql: "DELETE FROM notice_deliveries WHERE delivered IS NULL AND notifier = ?",
                        arguments: [name])
                }
            }
        }
    }

    /// Returns the latest notices, the newest first.
    /// - Parameters:
    ///   - alert: only of this one.
    ///   - id: only those before the one with this id.
    package func notices(
        of alert: String? = nil, before id: Int64? = nil, limit: Int
    ) async throws(StoreError) -> [StoredNotice] {
        try await database.read(.query) { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, page.notice AS text, silenced, notifier, delivered
                    FROM (
                        SELECT id, notice, silenced FROM notices WHERE (?1 IS NULL OR alert = ?1) AND id < ?2
                        ORDER BY id DESC LIMIT ?3
                    ) AS page
                    LEFT JOIN notice_deliveries ON notice_deliveries.notice = id ORDER BY id DESC, notifier
                    """, arguments: [alert, id ?? .max, limit])
            var notices: [StoredNotice] = []
            // One row for each delivery, or one without any.
            for row in rows {
                let id: Int64 = try row.value("id")
                if notices.last?.id != id {
                    notices.append(
                        StoredNotice(
                            id: id, notice: try row.value("text"), isSilenced: try row.value("silenced"), deliveries: []
                        ))
                }
                let (notifier, delivered): (String?, Int64?) = (try row.value("notifier"), try row.value("delivered"))
                guard let notifier else { continue }
                notices[notices.count - 1].deliveries.append(
                    .init(notifier: notifier, delivered: delivered.map { UInt64(max(0, $0)) }))
            }
            return notices
        }
    }
}

/// The tables `notices` and `notice_deliveries`.
enum NoticeTable {
    /// How many are replaced at a time.
    static let page = 500

    /// Returns how much they take at most.
    static func bytes(_ db: Database) throws -> Int64 {
        // The ids are successive, and have no checksum.
        let statement = try db.cachedStatement(
            sql: "SELECT (SELECT max(id) FROM notices) - (SELECT min(id) FROM notices) + 1")
        let count = try Int64.fetchOne(statement) ?? 0
        return min(max(count, 0), Int64(AlertNotice.mostKept)) * SizeLimit.pageBytes
    }

    /// Returns the last of the oldest `most` that are before the newest `count`; `nil` if there are no more.
    static func last(ofOldest most: Int64, beyond count: Int, _ db: Database) throws -> Int64? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT max(id) FROM (
                    SELECT id FROM notices WHERE id <= (SELECT max(id) FROM notices) - ? ORDER BY id LIMIT ?)
                """)
        return try Int64.fetchOne(statement, arguments: [count, most])
    }

    /// Removes the oldest.
    /// - Returns: how many of them were not delivered to all yet.
    static func trim(through id: Int64, _ db: Database) throws -> Int {
        let waiting = try Int.fetchOne(
            db,
            sql: "SELECT count(DISTINCT notice) FROM notice_deliveries WHERE notice <= ? AND delivered IS NULL",
            arguments: [id])
        try db.execute(sql: "DELETE FROM notices WHERE id <= ?", arguments: [id])
        try db.execute(sql: "DELETE FROM notice_deliveries WHERE notice <= ?", arguments: [id])
        return waiting ?? 0
    }

    /// Keeps the newest of these and of those before.
    /// - Returns: how many were given up, that were not delivered to all yet.
    static func insert(_ notices: [NewNotice], keeping count: Int, _ db: Database) throws -> Int {
        guard !notices.isEmpty else { return 0 }
        let givenUp = notices.dropLast(count).count { !$0.notifiers.isEmpty }
        let addNotice = try db.cachedStatement(sql: "INSERT INTO notices (alert, silenced, notice) VALUES (?, ?, ?)")
        let addDelivery = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO notice_deliveries (notice, notifier, key)
                VALUES (?, ?, lower(hex(randomblob(16))))
                """)
        for notice in notices.suffix(count) {
            try addNotice.execute(arguments: [notice.alert, notice.isSilenced, notice.notice])
            let id = db.lastInsertedRowID
            for notifier in notice.notifiers { try addDelivery.execute(arguments: [id, notifier]) }
        }
        let oldest = db.lastInsertedRowID - Int64(count)
        return oldest > 0 ? try givenUp + trim(through: oldest, db) : givenUp
    }
}
