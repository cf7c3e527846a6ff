internal import GRDB
package import Model

/// What is kept of something that counts events as they come, so that it goes on after a restart where it was.
package struct SavedWatch: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case checklist, alert
    }

    @Exact package var name: String
    /// The id of the last event that was looked at.
    package var position: Int64
    /// What was counted until there; JSON.
    @Exact package var state: String

    package init(name: String, position: Int64, state: String) {
        self.name = name
        self.position = position
        self.state = state
    }
}

extension SavedWatch {
    /// About how much it takes.
    fileprivate var bytes: Int { state.utf8.count + WatchTable.rowBytes }
}

/// The table `watches`.
enum WatchTable {
    /// What a row takes besides its state.
    fileprivate static let rowBytes = 256
    private static let sum = "SELECT coalesce(sum(length(CAST(state AS BLOB)) + \(rowBytes)), 0) FROM watches"

    /// Returns about how much all take.
    static func bytes(_ db: Database) throws -> Int64 { try Int64.fetchOne(db, sql: sum) ?? 0 }

    fileprivate static func bytes(_ kind: SavedWatch.Kind, _ names: [String], _ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "\(sum) WHERE kind = ? AND name = ?")
        return try Set(exact: names).reduce(0) { bytes, name in
            try bytes + (Int64.fetchOne(statement, arguments: [kind.rawValue, name.text]) ?? 0)
        }
    }
}

extension EventStore {
    /// Returns what was saved, by name. One that is damaged has an empty state, which cannot be read: the others go on.
    package func savedWatches(_ kind: SavedWatch.Kind) async throws(StoreError) -> [SavedWatch] {
        try await database.read(.status) { [damage = database.damage] db in
            let last = try Totals.lastEventID(db)
            return try Row.fetchAll(
                db, sql: "SELECT name, position, state FROM watches WHERE kind = ? ORDER BY name",
                arguments: [kind.rawValue]
            ).map { row in
                let name: String = try row.value("name")
                do {
                    let position: Int64 = try row.value("position")
                    guard (0...last).contains(position) else {
                        throw DatabaseError.damaged(
                            """
                            the position of the \(kind.rawValue) \(name) is \(position), and the last event is \(last)
                            """)
                    }
                    return SavedWatch(name: name, position: position, state: try row.value("state"))
                } catch let error as DatabaseError where error.isDamage {
                    _ = damage.noted(error)
                    return SavedWatch(name: name, position: 0, state: "")
                }
            }
        }
    }

    /// Saves some of them, and their notices, and removes others, in one transaction.
    /// - Parameter replacingValues: whether they replace some that had values which must not be kept any more.
    /// - Returns: how many notices were given up, that were not delivered to all yet, since notices were saved before.
    /// - Throws: `.full` also when events would have no room any more.
    @discardableResult
    package func save(
        _ watches: [SavedWatch], removing names: [String] = [], of kind: SavedWatch.Kind, notices: [NewNotice] = [],
        replacingValues: Bool = false
    ) async throws(StoreError) -> Int {
        try await change { [self] db, state in
            let added = watches.reduce(0) { $0 + $1.bytes }
            let bytes = notices.suffix(limit.notices).reduce(added) {
                $0 + $1.notice.utf8.count + 256 * (1 + $1.notifiers.count)
            }
            let replaced = try WatchTable.bytes(kind, names + watches.map(\.name), db)
            let cost = BatchCost(body: bytes, replacing: replaced)
            if bytes > replaced {
                try makeRoom(forKept: cost, db, &state)
            } else if bytes > 0 {
                // Events have no less room than before. What is only removed needs none.
                try makeRoom(for: cost, forDelivery: true, db, &state)
            }
            var givenUp = 0
            try state.transaction(db) { state in
                state.watchBytes += Int64(added) - replaced
                for name in names {
                    try db.execute(
                        sql: "DELETE FROM watches WHERE kind = ? AND name = ?", arguments: [kind.rawValue, name])
                }
                for watch in watches {
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO watches (kind, name, position, state) VALUES (?, ?, ?, ?)",
                        arguments: [kind.rawValue, watch.name, watch.position, watch.state])
                }
                givenUp = try NoticeTable.insert(notices, keeping: limit.notices, db)
            }
            if replacingValues { state.hasOldValuesInLog = true }
            guard !notices.isEmpty else { return 0 }
            defer { state.givenUpNotices = 0 }
            return givenUp + state.givenUpNotices
        }
    }

    /// Returns the position behind which are all events since a time; the newest stored event if there are none.
    /// - Parameter time: microseconds since 1970.
    package func position(before time: UInt64) async throws(StoreError) -> Int64 {
        // Before the first read: what is saved from now on is behind it, also if no event is stored yet.
        let newest = feed.latest
        var passed: Int64?
        while true {
            let query = StoredEventQuery(.sent(from: time), after: passed, limit: 1, onlyIDs: true)
            let (found, end) = try await database.read(.query) { db, turn in
                var scan = try EventScan(db, query: query, turn: turn)
                let end = try scan.run()
                return (scan.lastFound, end)
            }
            if let found { return found - 1 }
            // Not the newest event of the feed: it may have been saved after this read began.
            guard let next = end.next else { return end.newestEventID > 0 ? end.newestEventID : newest }
            passed = next
        }
    }
}
