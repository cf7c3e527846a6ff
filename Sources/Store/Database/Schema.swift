internal import GRDB

/// The tables, as SQLite keeps their text: `.schema` in the sqlite3 shell shows the comments.
enum Schema {
    /// Marks the file as ours: "Glos".
    static let applicationID: Int32 = 0x476C_6F73
    static let version: Int32 = 3

    /// Each migration once, in order, never changed after it was released.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = 1")
            for statement in [series, eventRows, blocks, bookkeeping, delivery, gaps, views] {
                try db.execute(sql: statement)
            }
        }
        migrator.registerMigration("v2", foreignKeyChecks: .immediate, migrate: migrateToVersion2)
        migrator.registerMigration("v3", foreignKeyChecks: .immediate, migrate: migrateToVersion3)
        return migrator
    }

    private static let series = """
        CREATE TABLE series ( -- what repeats from event to event, each combination once
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again after removal
            host TEXT NOT NULL,          -- the machine's name (_HOSTNAME)
            boot_id TEXT NOT NULL,       -- the boot, 32 hexadecimal digits (_BOOT_ID)
            boot_fold INTEGER NOT NULL,  -- upper XOR lower half of the boot id: what goes into uid
            seqnum_id TEXT NOT NULL,     -- the journal's range of sequence numbers, 32 hexadecimal digits
            subsystem TEXT NOT NULL,     -- SUBSYSTEM, or what a sources rule calls it
            category TEXT NOT NULL,      -- CATEGORY, or what a sources rule calls it
            identifier TEXT,             -- SYSLOG_IDENTIFIER
            unit TEXT,                   -- _SYSTEMD_UNIT
            process_uid INTEGER,         -- the user that the sender ran as (_UID)
            source TEXT NOT NULL,        -- the sources rule that took the entry
            level INTEGER NOT NULL,      -- syslog PRIORITY, 0 (emerg) to 7 (debug)
            resolution TEXT NOT NULL,    -- resolved, violating, undefined, unkeyed, plain or malformed
            dictionary TEXT,             -- the dictionary that covers subsystem and category
            definitions_version TEXT,    -- which content the dictionary had, 16 hexadecimal digits
            event_category TEXT,         -- the event's key: its category
            event_name TEXT              -- the event's key: its name
        );
        CREATE INDEX series_identity ON series (
            event_name, event_category, boot_id, subsystem, category, identifier, unit, host, process_uid, level,
            resolution);
        CREATE TABLE series_use ( -- counters of each series, apart from its texts: every save writes them
            series INTEGER PRIMARY KEY,  -- series.id
            seen INTEGER NOT NULL,       -- events ever saved; retention does not lower it
            last_event INTEGER NOT NULL, -- id of the newest of them
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970
            last_time INTEGER NOT NULL   -- latest time, microseconds since 1970
        );
        """

    private static let eventRows = """
        CREATE TABLE event_rows ( -- the events; the view events shows them with everything that belongs to them
            id INTEGER PRIMARY KEY,      -- ascending without holes in the order of the journal, from 1
            series INTEGER NOT NULL,     -- series.id
            time INTEGER NOT NULL,       -- microseconds since 1970 (__REALTIME_TIMESTAMP)
            monotonic INTEGER NOT NULL,  -- microseconds since the boot (__MONOTONIC_TIMESTAMP)
            seqnum INTEGER NOT NULL,     -- the entry's sequence number in the journal
            xor_hash INTEGER NOT NULL,   -- journald's hash of the entry's fields; 64 bits, so it may show as negative
            pid INTEGER,                 -- the sending process (_PID)
            findings TEXT,               -- JSON object with violations, warnings and reason, where there are any
            payload NOT NULL             -- JSON text or message; a blob where it is not UTF-8 or has a NUL
        );
        """

    private static let blocks = """
        CREATE TABLE blocks ( -- runs of up to 4096 consecutive events; the newest events are in none yet
            block INTEGER PRIMARY KEY,   -- id of its first event
            last_id INTEGER NOT NULL,    -- id of its last event
            min_time INTEGER NOT NULL,   -- earliest time in it, microseconds since 1970
            max_time INTEGER NOT NULL    -- latest time in it, microseconds since 1970
        );
        CREATE TABLE postings ( -- which events of a block belong to a series: finds rare events without reading rows
            block INTEGER NOT NULL,      -- blocks.block
            series INTEGER NOT NULL,     -- series.id
            events INTEGER NOT NULL,     -- how many events of the block belong to the series
            offsets BLOB NOT NULL,       -- id - block: 16-bit little-endian numbers, or, over 256, 512 bytes of bits
            PRIMARY KEY (block, series)
        ) WITHOUT ROWID;
        """

    private static let bookkeeping = """
        CREATE TABLE totals ( -- counters since the store was made, kept in the transaction of the events
            name TEXT PRIMARY KEY,       -- last_event_id, dropped_events, or seen_ and a resolution
            value INTEGER NOT NULL       -- retention lowers none of them
        ) WITHOUT ROWID;
        CREATE TABLE retired ( -- counts of defined events whose series went with their last row
            dictionary TEXT NOT NULL,    -- as in series
            event_category TEXT NOT NULL, -- as in series
            event_name TEXT NOT NULL,    -- as in series
            resolution TEXT NOT NULL,    -- resolved or violating; the names of others may be endless and are not kept
            seen INTEGER NOT NULL,       -- events ever saved
            PRIMARY KEY (dictionary, event_category, event_name, resolution)
        ) WITHOUT ROWID;
        CREATE TABLE positions ( -- how far journals were read
            journal TEXT PRIMARY KEY,    -- machine, namespace:NAME or directory:PATH
            cursor TEXT NOT NULL,        -- the last entry that was read
            updated INTEGER NOT NULL     -- the time of that entry, microseconds since 1970
        ) WITHOUT ROWID;
        """

    private static let delivery = """
        CREATE TABLE sinks ( -- destinations upstream
            name TEXT PRIMARY KEY,       -- as the settings name it
            position INTEGER NOT NULL,   -- id of the last event that was delivered, or that lay before the start
            delivered_events INTEGER NOT NULL,  -- events ever accepted
            delivered_batches INTEGER NOT NULL, -- batches ever accepted
            last_success INTEGER,        -- when the last one was accepted, microseconds since 1970
            active INTEGER NOT NULL      -- 1: the settings name it, and retention keeps what it has not had
        ) WITHOUT ROWID;
        CREATE TABLE batches ( -- batches that are on their way: a resend is the same bytes under the same key
            sink TEXT PRIMARY KEY,       -- sinks.name
            key TEXT NOT NULL,           -- the Idempotency-Key
            content_encoding TEXT,       -- gzip, deflate, or NULL
            first_event_id INTEGER NOT NULL, -- id of its first event
            last_event_id INTEGER NOT NULL,  -- id of its last event
            event_count INTEGER NOT NULL,    -- how many events it has
            body BLOB NOT NULL           -- the request's body as it is sent
        );
        """

    private static let gaps = """
        CREATE TABLE gaps ( -- places where entries are known or suspected to be missing
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- ascending
            after_event_id INTEGER NOT NULL, -- the gap lies behind this event; 0: before the first
            cause TEXT NOT NULL,         -- vacuumed, rate_limited, damaged, renumbered or dropped
            time INTEGER NOT NULL,       -- when it was found, microseconds since 1970
            from_cursor TEXT,            -- the last entry before it, where known
            to_cursor TEXT,              -- the first entry after it, where known
            count INTEGER,               -- how many are missing, where known
            message TEXT NOT NULL        -- what is missing, in words
        );
        CREATE INDEX gaps_place ON gaps (after_event_id);
        """
}
