import API
import Model

extension OpenAPISchemas {
    static let status: [String: DocumentNode] = [
        "Status": object(
            [
                "version": text("The daemon's version"),
                "state": choice(StatusReply.State.allCases.map(\.rawValue), "How the daemon is"),
                "problems": array(problem, "What a person should look at"),
                "started_at": time("When the daemon started"),
                "uptime_seconds": number("For how long it has been running"), "pid": integer("Its process id"),
                "journal": journal, "events": eventCounts,
                "dictionaries": list("Dictionary", "The dictionaries, in the order of the settings"),
                "sinks": array(sink, "Where events are delivered to"), "gaps": gaps, "store": store,
                "tails": integer("How many tails are open"),
                "privacy": choice(
                    PrivacyMode.allCases.map(\.rawValue), "What becomes of values that definitions protect"),
                "reprocessing": object(
                    [
                        "done": integer("How many stored events were looked at"),
                        "total": integer("How many a change of the definitions may concern"),
                    ], "How far that is; absent when nothing is being reprocessed"),
            ], optional: ["events", "gaps", "reprocessing"])
    ]

    private static let problem = object(
        ["what": text("What is wrong"), "hint": text("What to do about it")], optional: ["hint"])

    private static let journal = object(
        [
            "location": text("machine, namespace:NAME or directory:PATH"),
            "files": integer("How many journal files are read"),
            "position_time": time("When the entry that was read last was written"),
            "complete_until": time("What the journal had by then is in the store, as far as sources take it"),
            "lag_seconds": number(
                "How much older the oldest entry that is not read yet is than the newest one; 0 when all are read"),
            "entries_read": integer("How many entries were read since the daemon started"),
            "entries_per_second": number("How many it reads at present"),
            "entries": entries,
            "catch_up": object(
                [
                    "percent": number("How much is done, 0 to 100"),
                    "entries_per_second": number("How many entries are read at present"),
                    "seconds_left": number("How long it will take, where that can be estimated"),
                ], optional: ["seconds_left"], "How far reading is that what was written before; absent when it is done"
            ),
            "unreadable_files": array(
                object(["path": text("The file"), "reason": text("Why it cannot be read")]),
                "Journal files that cannot be read"),
        ], optional: ["position_time", "complete_until", "lag_seconds", "entries", "catch_up"],
        "How far the journal has been read")

    private static let entries = object(
        [
            "read": integer("All of them, the sum of the others"), "stored": integer("They became events"),
            "passed": integer("No source takes them"),
            "duplicates": integer("They came again, in another file, and were not stored a second time"),
            "expired": integer("They are older than events are kept: their source's keep, or else store.max_age"),
        ],
        """
        What became of the entries that were read, since the store was made; absent when the store is damaged where that is \
        kept
        """)

    private static let eventCounts = object(
        [
            "stored": integer("How many events the store has"), "oldest_time": time("When the oldest of them was sent"),
            "newest_time": time("When the newest of them was sent"),
            "newest_id": integer("The id of the newest event; 0 when there never was one"),
            "ever_seen": counts("By resolution, since the store was made; retention does not lower them"),
            "reprocessed": integer("How many times a stored event was reprocessed"),
        ], optional: ["oldest_time", "newest_time"],
        "What the store holds, and what it ever held; absent when the store is damaged where that is kept")

    private static let gaps = object(
        [
            "count": integer("How many gap records there are"),
            "dropped_events": integer("Events that were removed before every sink had had them"),
        ], "What is missing")

    private static let store = object(
        [
            "path": text("The database file"), "bytes": integer("The size of it and of its write-ahead log"),
            "max_bytes": integer("How large it may become"), "when_full": text("pause or drop_oldest"),
            "paused": flag("Whether reading waits until the store takes events again"),
            "sources": array(
                object(
                    [
                        "source": text("The rule of the settings' sources that took the events"),
                        "events": integer("How many there are, without the newest few thousand of all sources"),
                        "bytes": integer("About what these take of the store"),
                        "max_bytes": integer("What they may take, where the rule has a share"),
                        "keep_seconds": number("How long they are kept, where the rule has a keep"),
                    ], optional: ["max_bytes", "keep_seconds"], "The events of one source"),
                "What each source takes, the one that takes most first; absent when that cannot be read"),
        ], optional: ["sources"], "The store's file and its limit")

    private static let sink = object(
        [
            "name": text("What the settings call it"), "url": text("Where it delivers to"),
            "state": choice(
                SinkStatus.State.allCases.map(\.rawValue), "How delivery goes; paused: it waits for the store"),
            "position": integer("The last event that was delivered"),
            "lag_events": integer("How many events of the store it has not had"),
            "lag_seconds": number("The age of the oldest of them, where it can be read"),
            "delivered_events": integer("How many events were delivered"),
            "delivered_batches": integer("How many batches were delivered"),
            "last_success": time("When the upstream last took a batch"),
            "last_error": text("Why the last attempt failed"), "next_attempt": time("When it is tried again"),
        ], optional: ["lag_seconds", "last_success", "last_error", "next_attempt"])
}
