import API
import ArgumentParser
import Model
import Predicates

/// Where a range begins: at an event, or after it, by the cursor of its journal entry.
/// - Source: journalctl(1), `--cursor` and `--after-cursor`
struct CursorStart {
    private let cursor: JournalCursor
    private let isAfter: Bool

    /// - Parameters:
    ///   - at: the cursor of the first event
    ///   - after: the cursor of the event before the first
    /// - Returns: `nil` if neither is given.
    init?(at: String?, after: String?) throws(ValidationError) {
        guard at == nil || after == nil else {
            throw ValidationError("--cursor and --after-cursor both say where to begin: give one of them.")
        }
        guard let text = at ?? after else { return nil }
        guard let cursor = JournalCursor(text) else {
            throw ValidationError(
                "\(text) is not a cursor, which journalctl --show-cursor and glossctl show -o ndjson have.")
        }
        (self.cursor, isAfter) = (cursor, after != nil)
    }

    /// Finds the event, and makes the query begin there. If the event is not stored, the query begins at its time.
    func apply(to query: inout EventQuery, _ client: ControlClient, _ console: Console) async throws {
        let time = String(cursor.realtimeMicroseconds)
        var near = EventQuery()
        (near.limit, near.order) = (nil, .oldest)
        near.filter[.since] = [time]
        near.filter[.until] = [time]
        near.filter[.boot] = [cursor.bootID.description]
        // Whole events may be longer than the longest line.
        near.members = LineMembers(toRead: ["cursor"])
        var found: Int64?
        try await client.lines(APIPath.events(near), passingOver: { _, _ in }) { lines in
            for line in lines {
                guard case .event(let event) = try? StreamLine.parse(line), let other = JournalCursor(event.cursor),
                    other.isSameEntry(as: cursor)
                else { continue }
                // If entries of one time have other numbers now, rather an event twice than not at all.
                if found == nil || other.seqnumID == cursor.seqnumID { found = event.id }
            }
        }
        if let found {
            query.after = isAfter ? found : found - 1
        } else {
            console.complain("no stored event has this cursor; beginning at its time")
            let since = query.filter[.since].first.flatMap { UInt64($0) } ?? 0
            query.filter[.since] = [String(max(since, cursor.realtimeMicroseconds))]
            // Not the newest, but the first of the range.
            if query.limit != nil { query.after = 0 }
        }
    }
}
