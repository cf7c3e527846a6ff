internal import GRDB

/// The tables. SQLite keeps the text, so that `.schema` in the sqlite3 shell shows the comments.
enum Schema {
    /// The mark that identifies the file as ours: "Glos".
    static let applicationID: Int32 = 0x476C_6F73

    /// The number of this layout, `user_version` in the file. Until the first release, every change to `script` takes
    /// the next number, and files with other numbers are refused. Layouts 1 to 3 had migrations.
    static let layout: Int32 = 27

    /// Creates the tables in an empty database, within a transaction.
    static func create(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(layout); \(script)")
    }

    /// Plain SQL that does not depend on the program. The content of blocks is described in docs/store.md.
    private static let script = """
        \(PackedBlockTable.schema)
        \(OpenEventTable.schema)
        \(EventCountTable.schema)
        \(FindingCountTable.schema)
        \(Totals.schema)
        \(RemovalTable.schema)
        CREATE TABLE journals ( -- the journals that are read
            journal TEXT PRIMARY KEY,    -- machine, namespace:NAME or directory:PATH
            start INTEGER NOT NULL,      -- entries from then on are read, microseconds since 1970
            known_until INTEGER          -- entries until then may be stored although journal_files does not say so: a batch was
                                         -- saved in parts and the last is not there, or the journal had another name before;
                                         -- NULL, which is usual, when there are none
        ) WITHOUT ROWID;
        CREATE TABLE journal_files ( -- how far each file of a journal was read
            journal TEXT NOT NULL,       -- journals.journal
            file_id TEXT NOT NULL,       -- the file's, 32 hexadecimal digits; copies share it
            path TEXT NOT NULL,          -- where it was last
            machine_id TEXT NOT NULL,    -- the machine that writes it, 32 hexadecimal digits
            seqnum_id TEXT NOT NULL,     -- the counter of its entries, 32 hexadecimal digits
            entries INTEGER NOT NULL,    -- how many of its entries were read, or are lost
            offset INTEGER NOT NULL,     -- behind the last of them, in bytes
            promised_entries INTEGER NOT NULL, -- the number in its header when it was last read
            first_seqnum INTEGER,        -- the sequence number of the first of those; NULL when there is none
            last_seqnum INTEGER,         -- the sequence number of the last of those; NULL when there is none
            last_cursor TEXT,            -- the last entry that was read; NULL when none was
            last_offset INTEGER,         -- where that is in the file, in bytes
            PRIMARY KEY (journal, file_id)
        ) WITHOUT ROWID;
        CREATE TABLE journal_chains ( -- what is known of the entries that one counter numbers; 4096 a journal at most
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
            spans TEXT NOT NULL,         -- the ranges that were seen; everything between two entries of one file counts as seen
            open_ends TEXT NOT NULL,     -- of them those behind which a file may have had more when it went
            repeat_counts TEXT NOT NULL, -- how many entries of that time came: the hash of its fields in hexadecimal=count, with commas
            PRIMARY KEY (journal, machine_id, seqnum_id, boot_id, name)
        );
        CREATE TABLE sinks ( -- destinations upstream
            name TEXT PRIMARY KEY,       -- as the settings name it
            position INTEGER NOT NULL,   -- id of the last event that was delivered, or that lay before the start
            delivered_events INTEGER NOT NULL,  -- events ever accepted
            delivered_batches INTEGER NOT NULL, -- batches ever accepted
            last_success INTEGER,        -- when the last one was accepted, microseconds since 1970
            active INTEGER NOT NULL,     -- 1: the settings name it, and retention keeps events that it has not delivered
            known_since INTEGER NOT NULL -- when the settings first named it, microseconds since 1970
        ) WITHOUT ROWID;
        CREATE TABLE batches ( -- batches that are on their way: a resend is the same bytes under the same key
            sink TEXT PRIMARY KEY,       -- sinks.name
            key TEXT NOT NULL,           -- the Idempotency-Key
            content_encoding TEXT,       -- gzip, deflate, or NULL
            first_event_id INTEGER NOT NULL, -- id of its first event
            last_event_id INTEGER NOT NULL,  -- id of its last event
            event_count INTEGER NOT NULL,    -- how many events it has
            body BLOB NOT NULL,          -- 4061 zeros, which keep the rest out of shared pages; the request's body as it is sent
            checksum INTEGER NOT NULL    -- of the columns before it, see docs/store.md
        );
        CREATE TABLE watches ( -- what counts events as they come
            kind TEXT NOT NULL,          -- checklist or alert
            name TEXT NOT NULL,          -- of the run, or of the rule
            position INTEGER NOT NULL,   -- id of the last event that was looked at
            state TEXT NOT NULL,         -- JSON: what is watched for, and what was counted until there
            PRIMARY KEY (kind, name)
        ) WITHOUT ROWID;
        CREATE TABLE notices ( -- what alerts sent, or have to send: the newest 10,000
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- ascending
            alert TEXT NOT NULL,         -- as the settings name it
            silenced INTEGER NOT NULL,   -- 1: not sent, because somebody had silenced the alert
            notice TEXT NOT NULL         -- JSON: what is sent
        );
        CREATE TABLE notice_deliveries ( -- to whom
            notice INTEGER NOT NULL,     -- notices.id
            notifier TEXT NOT NULL,      -- as the settings name it
            key TEXT NOT NULL,           -- the Idempotency-Key
            delivered INTEGER,           -- when it was, microseconds since 1970; NULL before
            PRIMARY KEY (notifier, notice)
        ) WITHOUT ROWID;
        CREATE INDEX notice_deliveries_open ON notice_deliveries (notifier, notice) WHERE delivered IS NULL;
        CREATE INDEX notice_deliveries_notice ON notice_deliveries (notice);
        CREATE TABLE diagnostics ( -- what went wrong, and still does: the latest 1,000, and all that last
            code TEXT NOT NULL,          -- its stable name, such as sink.held
            subject TEXT NOT NULL,       -- what it is about, such as a sink; empty if that needs no name
            first INTEGER NOT NULL,      -- when it was noticed first, microseconds since 1970
            last INTEGER NOT NULL,       -- when it was raised, noted or cleared last, or its text changed
            count INTEGER NOT NULL,      -- how often it was raised, or has happened
            raised INTEGER,              -- since when it lasts; NULL when it does not
            text TEXT NOT NULL,          -- what was wrong the last time
            PRIMARY KEY (code, subject)
        );
        CREATE TABLE gaps ( -- places where entries are known or suspected to be missing
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- ascending
            after_event_id INTEGER NOT NULL, -- the event before the gap; 0: before the first event
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
            version TEXT NOT NULL,       -- 16 hexadecimal digits, as events name it
            loaded INTEGER NOT NULL,     -- when it was put in force first, microseconds since 1970
            last_loaded INTEGER NOT NULL, -- when it was put in force last, microseconds since 1970
            definitions INTEGER NOT NULL, -- how many it has
            key TEXT NOT NULL,           -- where events had their category and name, one on each line
            layout TEXT NOT NULL,        -- all that the settings said about the layout of payloads
            extra TEXT NOT NULL,         -- *, or the names of parameters that need no definition, one on each line
            has_files INTEGER NOT NULL   -- 1: all of its files are kept
        );
        CREATE UNIQUE INDEX dictionary_versions_identity ON dictionary_versions (dictionary, version);
        CREATE TABLE dictionary_version_files ( -- which files a version consists of
            version INTEGER NOT NULL,    -- dictionary_versions.id
            name TEXT NOT NULL,          -- the file's path in the folder
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
        CREATE TABLE marks ( -- one row
            revealed INTEGER NOT NULL,   -- events from this id on were stored while privacy was set to reveal, or later, and are not all protected yet; 0 if none
            noted_gap INTEGER NOT NULL   -- gaps.id of the last one that diagnostics have
        );
        INSERT INTO marks VALUES (0, 0);
        CREATE TABLE protected_names ( -- the parameters whose values are replaced, also when no definition says so any more
            dictionary TEXT NOT NULL,    -- as the settings name it
            parameter TEXT NOT NULL,     -- its name
            privacy TEXT NOT NULL,       -- private or hash
            PRIMARY KEY (dictionary, parameter)
        ) WITHOUT ROWID;
        """
}
