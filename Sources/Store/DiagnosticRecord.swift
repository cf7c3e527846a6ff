internal import GRDB
package import Model

/// Something that went wrong, or still does.
package struct DiagnosticRecord: Sendable, Hashable {
    package struct Key: Sendable, Hashable {
        @Exact package var code: String
        /// What it is about, such as a sink; empty if that needs no name.
        @Exact package var subject: String

        package init(code: String, subject: String) {
            self.code = code
            self.subject = subject
        }
    }

    package var key: Key
    /// Times in microseconds since 1970.
    package var first: UInt64
    package var last: UInt64
    /// How often it was raised, or has happened.
    package var count: Int64 = 0
    /// Since when it lasts; `nil` when it does not.
    package var raised: UInt64?
    /// The latest time it was said, in words.
    @Exact package var text: String = ""

    package init(key: Key, first: UInt64) { (self.key, self.first, last) = (key, first, first) }
}

extension EventStore {
    /// Returns what went wrong since the store was made.
    package func diagnostics() async throws(StoreError) -> [DiagnosticRecord] {
        try await database.read(.status) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM diagnostics").map { row in
                var record = DiagnosticRecord(
                    key: .init(code: try row.value("code"), subject: try row.value("subject")),
                    first: UInt64(clamping: try row.value("first") as Int64))
                let raised: Int64? = try row.value("raised")
                (record.last, record.count) = (UInt64(clamping: try row.value("last") as Int64), try row.count("count"))
                (record.raised, record.text) = (raised.map(UInt64.init(clamping:)), try row.value("text"))
                return record
            }
        }
    }

    /// - Parameter gap: the id of the last gap record that they are about.
    package func save(_ records: [DiagnosticRecord], notedGap gap: Int64) async throws(StoreError) {
        try await change { [self] db, state in
            let bytes = records.reduce(0) { $0 + $1.text.utf8.count + 256 }
            try makeRoom(for: BatchCost(body: bytes), forDelivery: true, db, &state)
            try state.transaction(db) { _ in
                for record in records {
                    try db.execute(
                        sql: """
                            INSERT OR REPLACE INTO diagnostics (code, subject, first, last, count, raised, text)
                            VALUES (?, ?, ?, ?, ?, ?, ?)
                            """,
                        arguments: [
                            record.key.code, record.key.subject, Int64(clamping: record.first),
                            Int64(clamping: record.last), record.count, record.raised.map { Int64(clamping: $0) },
                            record.text,
                        ])
                }
                try db.execute(sql: "UPDATE marks SET noted_gap = ?", arguments: [gap])
                // Subjects come and go; what is long over may be forgotten.
                try db.execute(
                    sql: """
                        DELETE FROM diagnostics WHERE raised IS NULL AND rowid NOT IN
                        (SELECT rowid FROM diagnostics ORDER BY last DESC LIMIT 1000)
                        """)
            }
        }
    }

    /// Returns the id of the last gap record that diagnostics are about; 0 if they are about none.
    package func notedGap() async throws(StoreError) -> Int64 {
        try await database.read(.status) { db in
            try Row.fetchOne(db, sql: "SELECT noted_gap FROM marks").map { try $0.value("noted_gap") as Int64 } ?? 0
        }
    }
}
