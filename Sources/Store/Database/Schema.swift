internal import GRDB

/// The tables and views, as SQLite keeps their text: `.schema` in the sqlite3 shell shows the comments.
enum Schema {
    /// Marks the file as ours: "Glos".
    static let applicationID: Int32 = 0x476C_6F73

    /// The number of this layout, `user_version` in the file. Until the first release, whatever changes `script` takes
    /// the next number, and files of other numbers are refused. Layouts 1 to 3 had migrations.
    static let layout: Int32 = 7

    /// Within a transaction, on an empty database: all of it or nothing.
    static func create(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(layout); \(script)")
    }

    /// Plain SQL, with nothing of the program in it. The views are for people at the sqlite3 shell. SQLite has neither
    /// XOR nor unsigned integers: `(a | b) - (a & b)` is XOR, never leaves 64 bits, and `%x` shows the bits of a
    /// negative number.
    private static let script = """
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
        CREATE TABLE series_use ( -- counters of the stored events of each series, apart from its texts
            series INTEGER PRIMARY KEY,  -- series.id
            event_use INTEGER NOT NULL,  -- event_use.id: what its events are counted by
            level INTEGER NOT NULL,      -- as in series
            boot_fold INTEGER NOT NULL,  -- as in series
            stored INTEGER NOT NULL,     -- how many are in event_rows
            last_event INTEGER NOT NULL, -- id of the newest of them; 0 where it was resolved again and none is stored
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; of those that were removed too
            last_time INTEGER NOT NULL   -- latest time, microseconds since 1970; of those that were removed too
        );
        CREATE INDEX series_use_event_use ON series_use (event_use);
        CREATE TABLE event_use ( -- counters of events, by what they are counted by
            id INTEGER PRIMARY KEY,      -- within this table, series_use and finding_use only
            dictionary TEXT NOT NULL,    -- as in series; empty where it has none
            event_category TEXT NOT NULL, -- as in series; empty where it has none; (other) for names that are too many
            event_name TEXT NOT NULL,    -- as in series; empty where it has none; (other) for names that are too many
            resolution TEXT NOT NULL,    -- resolved, violating, undefined, unkeyed, plain or malformed
            subsystem TEXT NOT NULL,     -- as in series; (other) where they are too many
            category TEXT NOT NULL,      -- as in series, or (other)
            seen INTEGER NOT NULL,       -- events ever saved; retention does not lower it, resolving again does
            last_event INTEGER NOT NULL, -- id of the newest of them; 0 where it is not known
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; 0 where it is not known
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970; resolving again does not change it
            gone INTEGER NOT NULL        -- 1: none of its series is left; such rows are kept up to a bound
        );
        CREATE UNIQUE INDEX event_use_identity ON event_use (
            event_name, event_category, dictionary, resolution, subsystem, category);
        CREATE INDEX event_use_gone ON event_use (resolution) WHERE gone = 1;
        CREATE TABLE event_rows ( -- the events; the view events shows them with everything that belongs to them
            id INTEGER PRIMARY KEY,      -- ascending without holes in the order of arrival, from 1
            series INTEGER NOT NULL,     -- series.id
            time INTEGER NOT NULL,       -- microseconds since 1970 (__REALTIME_TIMESTAMP)
            monotonic INTEGER NOT NULL,  -- microseconds since the boot (__MONOTONIC_TIMESTAMP)
            seqnum INTEGER NOT NULL,     -- the entry's sequence number in the journal
            xor_hash INTEGER NOT NULL,   -- journald's hash of the entry's fields; 64 bits, so it may show as negative
            ordinal INTEGER NOT NULL,    -- how many entries of the same boot, monotonic and xor_hash came before it
            pid INTEGER,                 -- the sending process (_PID)
            findings TEXT,               -- JSON object with violations, warnings and reason, where there are any
            payload NOT NULL             -- JSON text or message; a blob where it is not UTF-8 or has a NUL
        );
        CREATE TABLE uid_mixes ( -- what ordinals other than 0 put into uid, since SQL cannot multiply 64 bits
            ordinal INTEGER PRIMARY KEY, -- event_rows.ordinal
            mix INTEGER NOT NULL         -- 64 bits that look random, so it may show as negative
        );
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
        CREATE TABLE block_use ( -- the events in a block, by what they are counted by: counts for a range of time
            block INTEGER NOT NULL,      -- blocks.block
            event_use INTEGER NOT NULL,  -- event_use.id
            events INTEGER NOT NULL,     -- how many
            last_event INTEGER NOT NULL, -- id of the last of them; resolving again does not lower it
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; resolving again does not change it
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970; resolving again does not change it
            PRIMARY KEY (block, event_use)
        ) WITHOUT ROWID;
        CREATE TABLE finding_use ( -- counters of violations and warnings, without those of events that are in no block yet
            id INTEGER PRIMARY KEY,      -- within this table and block_findings only
            event_use INTEGER NOT NULL,  -- event_use.id: the events that have it
            rule TEXT NOT NULL,          -- such as type or obsolete-parameter
            parameter TEXT NOT NULL,     -- whose; empty for rules about none; (other) where names are too many
            seen INTEGER NOT NULL,       -- findings ever saved; retention does not lower it, resolving again does
            last_event INTEGER NOT NULL, -- id of the newest event that had it when it was counted
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; resolving again does not change it
            last_time INTEGER NOT NULL   -- latest time, microseconds since 1970; resolving again does not change it
        );
        CREATE UNIQUE INDEX finding_use_identity ON finding_use (event_use, rule, parameter);
        CREATE TABLE block_findings ( -- the violations and warnings in a block: counts for a range of time
            block INTEGER NOT NULL,      -- blocks.block
            series INTEGER NOT NULL,     -- series.id
            finding INTEGER NOT NULL,    -- finding_use.id
            events INTEGER NOT NULL,     -- how many findings; an event that has the same one twice counts twice
            last_event INTEGER NOT NULL, -- id of the last event that has it
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970
            PRIMARY KEY (block, series, finding)
        ) WITHOUT ROWID;
        CREATE TABLE parameter_values ( -- finds events of a block by the parameters that definitions call indexed
            block INTEGER PRIMARY KEY,   -- blocks.block
            names TEXT NOT NULL,         -- the parameters, in alphabetical order with a space between
            entries BLOB NOT NULL        -- sorted: 32-bit hash of name and value, 16-bit id - block; little-endian
        );
        CREATE TABLE totals ( -- counters since the store was made, kept in the transaction of the events
            name TEXT PRIMARY KEY,       -- last_event_id, dropped_events, resolved_again, seen_ and a resolution; of
                                         -- entries without an event passed_, duplicate_ and expired_entries
            value INTEGER NOT NULL       -- retention lowers none of them; resolving again moves between those of seen_
        ) WITHOUT ROWID;
        CREATE TABLE journals ( -- the journals that are read
            journal TEXT PRIMARY KEY,    -- machine, namespace:NAME or directory:PATH
            start INTEGER NOT NULL       -- entries from then on are read, microseconds since 1970
        ) WITHOUT ROWID;
        CREATE TABLE journal_files ( -- how far each file of a journal was read
            journal TEXT NOT NULL,       -- journals.journal
            file_id TEXT NOT NULL,       -- the file's, 32 hexadecimal digits; copies share it
            path TEXT NOT NULL,          -- where it was last
            machine_id TEXT NOT NULL,    -- the machine that writes it, 32 hexadecimal digits
            seqnum_id TEXT NOT NULL,     -- the counter of its entries, 32 hexadecimal digits
            entries INTEGER NOT NULL,    -- how many of its entries were read, or are lost
            offset INTEGER NOT NULL,     -- behind the last of them, in bytes
            promised_entries INTEGER NOT NULL, -- how many its header counted when it was looked at last
            first_seqnum INTEGER,        -- the sequence number of the first of those; NULL when there is none
            last_seqnum INTEGER,         -- the sequence number of the last of those; NULL when there is none
            last_cursor TEXT,            -- the last entry that was read; NULL when none was
            last_offset INTEGER,         -- where that is in the file, in bytes
            PRIMARY KEY (journal, file_id)
        ) WITHOUT ROWID;
        CREATE TABLE journal_chains ( -- what is known of the entries that one counter numbers; the newest 4096 a journal at most
            journal TEXT NOT NULL,       -- journals.journal
            machine_id TEXT NOT NULL,    -- the machine that wrote them, 32 hexadecimal digits
            seqnum_id TEXT NOT NULL,     -- the counter, 32 hexadecimal digits
            boot_id TEXT NOT NULL,       -- the boot, 32 hexadecimal digits
            name TEXT NOT NULL,          -- of the files, such as system or user-1000
            last_time INTEGER NOT NULL,  -- when the last entry was written, microseconds since 1970
            first_monotonic INTEGER,     -- of the first entry, microseconds since the boot; NULL before there is one
            last_monotonic INTEGER,      -- of the last entry, microseconds since the boot; NULL before there is one
            repeat_seqnum INTEGER NOT NULL,    -- the number of the entry that came last
            repeat_monotonic INTEGER NOT NULL, -- its time, microseconds since the boot
            numbers TEXT NOT NULL,       -- sequence numbers that were seen, such as 1-100,105,107-110
            explained TEXT NOT NULL,     -- those that are missing for a reason that is known
            spans TEXT NOT NULL,         -- those that were seen, where what lies between two entries of one file counts as seen
            open_ends TEXT NOT NULL,     -- of them those behind which a file may have had more when it went
            repeat_counts TEXT NOT NULL, -- how many entries of that time came: xor_hash in hexadecimal=count, with commas
            PRIMARY KEY (journal, machine_id, seqnum_id, boot_id, name)
        );
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
        CREATE TABLE gaps ( -- places where entries are known or suspected to be missing
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- ascending
            after_event_id INTEGER NOT NULL, -- the gap lies behind this event; 0: before the first
            cause TEXT NOT NULL,         -- deleted, damaged, missing, rate_limited or dropped
            certainty TEXT NOT NULL,     -- exact: as many as count; at_most: perhaps fewer, or none
            time INTEGER NOT NULL,       -- when it was found, microseconds since 1970
            from_cursor TEXT,            -- the last entry before it, where known
            to_cursor TEXT,              -- the first entry after it, where known
            count INTEGER,               -- how many are missing, where known
            file_id TEXT,                -- the file that they were in; NULL unless it is a part of a file
            path TEXT,                   -- what that was called when it was read last
            first_byte INTEGER,          -- where in it the part begins
            end_byte INTEGER,            -- behind the part's last byte
            machine_id TEXT,             -- whose numbers are missing; NULL unless the cause is missing
            boot_id TEXT,                -- in which boot
            first_seqnum INTEGER,        -- the first sequence number that is missing
            last_seqnum INTEGER,         -- the last one
            message TEXT NOT NULL        -- what is missing, in words
        );
        CREATE INDEX gaps_place ON gaps (after_event_id);
        CREATE INDEX gaps_missing ON gaps (machine_id, boot_id) WHERE cause = 'missing';
        CREATE INDEX gaps_deleted ON gaps (file_id) WHERE cause = 'deleted';
        CREATE TABLE dictionary_versions ( -- the contents that dictionaries had: the newest 20, and those events name
            id INTEGER PRIMARY KEY,      -- within this table and dictionary_version_files only
            dictionary TEXT NOT NULL,    -- as the settings name it
            version TEXT NOT NULL,       -- 16 hexadecimal digits, as in series.definitions_version
            loaded INTEGER NOT NULL,     -- when it was put in force first, microseconds since 1970
            last_loaded INTEGER NOT NULL, -- when it was put in force last, microseconds since 1970
            definitions INTEGER NOT NULL, -- how many it has
            category_key TEXT NOT NULL,  -- the payload key that holds the event category
            name_key TEXT NOT NULL,      -- the payload key that holds the event name
            has_files INTEGER NOT NULL   -- 1: all of its files are kept
        );
        CREATE UNIQUE INDEX dictionary_versions_identity ON dictionary_versions (dictionary, version);
        CREATE TABLE dictionary_version_files ( -- which files a version consists of
            version INTEGER NOT NULL,    -- dictionary_versions.id
            name TEXT NOT NULL,          -- the file's name, without folders
            file INTEGER NOT NULL,       -- dictionary_files.id
            PRIMARY KEY (version, name)
        ) WITHOUT ROWID;
        CREATE INDEX dictionary_version_files_file ON dictionary_version_files (file);
        CREATE TABLE dictionary_files ( -- the contents of files, each once, however many versions have it
            id INTEGER PRIMARY KEY,      -- within this table and dictionary_version_files only
            hash INTEGER NOT NULL,       -- FNV-1a of the content: finds one that is the same
            bytes INTEGER NOT NULL,      -- how long the content is
            content NOT NULL             -- text; a blob where it is not UTF-8 or has a NUL
        );
        CREATE INDEX dictionary_files_hash ON dictionary_files (hash);
        CREATE TABLE definitions ( -- since when each definition is known
            dictionary TEXT NOT NULL,    -- as the settings name it
            event_category TEXT NOT NULL, -- the definition's key: its category
            event_name TEXT NOT NULL,    -- the definition's key: its name
            since INTEGER NOT NULL,      -- when it was loaded first, microseconds since 1970
            gone INTEGER,                -- when the dictionary was first loaded without it; NULL while it is defined
            PRIMARY KEY (dictionary, event_category, event_name)
        ) WITHOUT ROWID;
        CREATE TABLE protected_names ( -- the parameters whose values are replaced, also when no definition says so any more
            dictionary TEXT NOT NULL,    -- as the settings name it
            parameter TEXT NOT NULL,     -- its name
            privacy TEXT NOT NULL,       -- private or hash
            PRIMARY KEY (dictionary, parameter)
        ) WITHOUT ROWID;
        CREATE VIEW events AS SELECT -- one row an event
            e.id AS id,                                   -- the row in this store
            printf('%016x%016x', (s.boot_fold | e.monotonic) - (s.boot_fold & e.monotonic),
                (e.xor_hash | coalesce(m.mix, 0)) - (e.xor_hash & coalesce(m.mix, 0)))
                AS uid,                                   -- the identity, the same in every rebuild and upstream
            strftime('%Y-%m-%dT%H:%M:%S', e.time / 1000000, 'unixepoch') || printf('.%06dZ', e.time % 1000000)
                AS time,                                  -- UTC with microseconds
            printf('s=%s;i=%x;b=%s;m=%x;t=%x;x=%x', s.seqnum_id, e.seqnum, s.boot_id, e.monotonic, e.time, e.xor_hash)
                AS cursor,                                -- the journal entry, for journalctl --cursor
            s.subsystem AS subsystem,                     -- SUBSYSTEM, or what a sources rule calls it
            s.category AS category,                       -- CATEGORY, or what a sources rule calls it
            CASE s.level WHEN 0 THEN 'emerg' WHEN 1 THEN 'alert' WHEN 2 THEN 'crit' WHEN 3 THEN 'err'
                WHEN 4 THEN 'warning' WHEN 5 THEN 'notice' WHEN 6 THEN 'info' WHEN 7 THEN 'debug' END
                AS level,                                 -- syslog name
            s.event_category AS event_category,           -- the event's key: its category
            s.event_name AS event_name,                   -- the event's key: its name
            s.dictionary AS dictionary,                   -- where the key was looked up
            s.definitions_version AS definitions_version, -- which content the dictionary had
            s.resolution AS resolution,                   -- resolved, violating, undefined, unkeyed, plain or malformed
            json_extract(e.findings, '$.violations') AS violations, -- JSON array of what breaks the definition, or NULL
            json_extract(e.findings, '$.warnings') AS warnings,     -- JSON array, or NULL
            json_extract(e.findings, '$.reason') AS reason,         -- why the event is malformed
            s.host AS host,                               -- the machine's name
            s.identifier AS identifier,                   -- SYSLOG_IDENTIFIER
            s.unit AS unit,                               -- _SYSTEMD_UNIT
            e.pid AS pid,                                 -- the sending process
            s.process_uid AS process_uid,                 -- the user that it ran as
            s.boot_id AS boot_id,                         -- the boot
            e.payload AS payload                          -- JSON text or message
        FROM event_rows AS e JOIN series AS s ON s.id = e.series LEFT JOIN uid_mixes AS m ON m.ordinal = e.ordinal;
        CREATE VIEW event_counts AS SELECT -- how often each event was seen since the store was made
            nullif(dictionary, '') AS dictionary,         -- where the key was looked up
            event_category AS event_category,             -- the event's key: its category
            event_name AS event_name,                     -- the event's key: its name
            resolution AS resolution,                     -- resolved, violating or undefined
            sum(seen) AS seen                             -- events ever saved, by what is known of them now
        FROM event_use WHERE resolution IN ('resolved', 'violating', 'undefined') AND seen > 0
        GROUP BY 1, 2, 3, 4;
        """
}
