import API
import ArgumentParser
import Model
import Predicates

/// Where a range begins: at an event, by the cursor of its journal entry.
/// - Source: journalctl(1), `--cursor` and `--after-cursor`
struct CursorOptions: ParsableArguments {
    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp(
            "Begin with the event that has this cursor, in the order in which events were read.", valueName: "cursor"))
    var cursor: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Begin after the event that has this cursor.", valueName: "cursor"))
    var afterCursor: String?

    var isGiven: Bool { cursor != nil || afterCursor != nil }

    mutating func validate() throws {
        guard cursor == nil || afterCursor == nil else {
            throw ValidationError("--cursor and --after-cursor both say where to begin: give one of them.")
        }
        for text in [cursor, afterCursor].compactMap(\.self) where JournalCursor(text) == nil {
            throw ValidationError(
                "\(text) is not a cursor, which journalctl --show-cursor and glossctl show -o ndjson have.")
        }
    }

    /// Finds the event, and makes the query begin there. If the event is not stored, the query begins at its time.
    func apply(to query: inout EventQuery, _ client: ControlClient, _ console: Console) async throws {
        guard let cursor = (cursor ?? afterCursor).flatMap({ JournalCursor($0) }) else { return }
        let time = String(cursor.realtimeMicroseconds)
        var near = EventQuery()
        (near.limit, near.order) = (nil, .oldest)
        near.filter[.since] = [time]
        near.filter[.until] = [time]
        near.filter[.boot] = [cursor.bootID.description]
        var found: Int64?
        try await client.lines(APIPath.events(near), passingOver: { _, _ in }) { lines in
            for line in lines {
                guard case .event(let event) = try? StreamLine.parse(line), let other = JournalCursor(event.cursor),
                    other.isOfSameEntry(as: cursor)
                else { continue }
                found = event.id
            }
        }
        if let found {
            query.after = afterCursor == nil ? found - 1 : found
        } else {
            console.complain("no stored event has this cursor; beginning at its time")
            let since = query.filter[.since].first.flatMap { UInt64($0) } ?? 0
            query.filter[.since] = [String(max(since, cursor.realtimeMicroseconds))]
            // Not the newest, but the first of the range.
            if query.limit != nil { query.after = 0 }
        }
    }
}

extension JournalCursor {
    /// The numbers of an entry change when the journal is flushed to disk; the rest stays.
    fileprivate func isOfSameEntry(as other: JournalCursor) -> Bool {
        bootID == other.bootID && monotonicMicroseconds == other.monotonicMicroseconds && xorHash == other.xorHash
            && realtimeMicroseconds == other.realtimeMicroseconds
    }
}
