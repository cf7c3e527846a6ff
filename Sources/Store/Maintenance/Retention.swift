internal import GRDB
internal import Model

/// The times until which events are kept at a given moment. Some sources may have other times than the rest.
package struct Retention: Sendable {
    /// Events before this time are expired, in microseconds since 1970. 0 when none are.
    private let oldest: UInt64
    private let bySource: [ExactString: UInt64]
    /// The current sources.
    private let sources: Set<ExactString>
    /// Microseconds since 1970.
    private let now: UInt64

    init(maximumAge: Duration?, sources: [ExactString: SourceRetention], now: UInt64) {
        func time(_ age: Duration?) -> UInt64 { age.map { now - min(now, $0.wholeMicroseconds) } ?? 0 }
        oldest = time(maximumAge)
        bySource = sources.compactMapValues { $0.maximumAge.map(time) }
        self.sources = Set(sources.keys)
        self.now = now
    }

    /// Returns the time before which the events of a source are not kept.
    package func oldest(of source: String) -> UInt64 { bySource[ExactString(source)] ?? oldest }

    /// The time from which events of every source are kept.
    var latest: Int64 { Int64(clamping: max(oldest, bySource.values.max() ?? 0)) }

    /// Returns the times until which events of the current sources were removed. A time in the future does not count: one such
    /// event says nothing of those that were sent until now.
    func removedUntil(_ db: Database) throws -> RemovedUntil {
        try RemovalTable.removedUntil(db).notAfter(now).adopted(by: sources)
    }

    /// Returns the times of the events of a source that are not kept. A time from 2^63 on, which is negative here, is that
    /// of a damaged entry, and does not say how old it is.
    func expiredTimes(of source: String) -> Range<Int64> { 0..<Int64(clamping: oldest(of: source)) }

    func hasExpired(_ event: Event) -> Bool {
        expiredTimes(of: event.origin.source).contains(Int64(bitPattern: event.realtimeMicroseconds))
    }

    func hasExpired(_ entry: Entry) -> Bool {
        // Most entries are younger than every limit, and need no lookup of their source.
        entry.realtimeMicroseconds < UInt64(latest) && entry.realtimeMicroseconds < oldest(of: entry.origin.source)
    }
}

/// The table `removals`: the time until which retention removed events.
enum RemovalTable {
    static let schema = """
        CREATE TABLE removals ( -- until when retention removed events
            source TEXT PRIMARY KEY,     -- of the sources rule that says how long its events are kept, or how many; empty: of any
            removed_until INTEGER NOT NULL -- the latest time that such an event had, microseconds since 1970
        ) WITHOUT ROWID;
        """

    private static let any = ""

    /// - Parameter source: `nil` when events are removed regardless of their source.
    static func note(until time: Int64, of source: String? = nil, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO removals (source, removed_until) VALUES (?, ?)
                ON CONFLICT (source) DO UPDATE SET removed_until = max(removed_until, excluded.removed_until)
                """
        ).execute(arguments: [source ?? any, time])
    }

    /// Returns the times in microseconds since 1970.
    static func removedUntil(_ db: Database) throws -> RemovedUntil {
        var removed = RemovedUntil()
        for row in try Row.fetchAll(db, sql: "SELECT source, removed_until FROM removals") {
            let (source, time): (String, Int64) = (try row.value("source"), try row.value("removed_until"))
            if source == any {
                removed.any = UInt64(clamping: time)
            } else {
                removed.bySource[ExactString(source)] = UInt64(clamping: time)
            }
        }
        return removed
    }
}
