internal import GRDB

extension Schema {
    /// Version 2 counts findings (which version 3 does anew), keeps the counts of undefined events beyond their last
    /// row, knows how many events of a series are stored, remembers the dictionaries, and finds events by their
    /// parameters.
    static func migrateToVersion2(_ db: Database) throws {
        try db.execute(sql: "PRAGMA user_version = 2; DROP VIEW event_counts")
        // Made anew rather than altered, so that `.schema` shows every column with its comment.
        for table in ["totals", "series_use", "retired"] {
            try db.execute(sql: "ALTER TABLE \(table) RENAME TO old_\(table)")
        }
        for statement in [totals2, seriesUse2, retired2, findingUse, parameterValues, dictionaries, eventCounts2] {
            try db.execute(sql: statement)
        }
        try db.execute(sql: copies)
        for table in ["totals", "series_use", "retired"] { try db.execute(sql: "DROP TABLE old_\(table)") }
    }

    private static let copies = """
        INSERT INTO totals SELECT name, value FROM old_totals;
        INSERT INTO series_use
            WITH posted AS (
                SELECT series, events FROM postings UNION ALL
                SELECT series, 1 FROM event_rows WHERE id > (SELECT coalesce(max(last_id), 0) FROM blocks)),
            stored AS (SELECT series, sum(events) AS events FROM posted GROUP BY series)
            SELECT u.series, u.seen, coalesce(s.events, 0), u.last_event, u.first_time, u.last_time
            FROM old_series_use AS u LEFT JOIN stored AS s ON s.series = u.series;
        INSERT INTO retired SELECT dictionary, event_category, event_name, resolution, '(other)', '(other)', seen, 0, 0, 0
            FROM old_retired;
        """

    private static let totals2 = """
        CREATE TABLE totals ( -- counters since the store was made, kept in the transaction of the events
            name TEXT PRIMARY KEY,       -- last_event_id, dropped_events, resolved_again, or seen_ and a resolution
            value INTEGER NOT NULL       -- retention lowers none of them; resolving again moves between those of seen_
        ) WITHOUT ROWID;
        """

    private static let seriesUse2 = """
        CREATE TABLE series_use ( -- counters of each series, apart from its texts: every save writes them
            series INTEGER PRIMARY KEY,  -- series.id
            seen INTEGER NOT NULL,       -- events ever saved; retention does not lower it, resolving again does
            stored INTEGER NOT NULL,     -- of them, those that are still in event_rows
            last_event INTEGER NOT NULL, -- id of the newest of them; 0 where it was resolved again and none is stored
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; resolving again does not change it
            last_time INTEGER NOT NULL   -- latest time, microseconds since 1970; resolving again does not change it
        );
        """

    private static let retired2 = """
        CREATE TABLE retired ( -- counts of keyed events whose series went with their last row
            dictionary TEXT NOT NULL,    -- as in series; empty where it has none
            event_category TEXT NOT NULL, -- as in series; (other) for undefined keys that are too many or too long
            event_name TEXT NOT NULL,    -- as in series, or (other)
            resolution TEXT NOT NULL,    -- resolved, violating or undefined
            subsystem TEXT NOT NULL,     -- as in series; (other) where they are too many, or counted before version 2
            category TEXT NOT NULL,      -- as in series, or (other)
            seen INTEGER NOT NULL,       -- events ever saved
            last_event INTEGER NOT NULL, -- id of the newest of them; 0 where it is not known
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; 0 where it is not known
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970; 0 where it is not known
            PRIMARY KEY (dictionary, event_category, event_name, resolution, subsystem, category)
        ) WITHOUT ROWID;
        CREATE TABLE retired_findings ( -- counts of violations and warnings whose series went with their last row
            dictionary TEXT NOT NULL,    -- as in retired
            event_category TEXT NOT NULL, -- as in retired; empty for events without a key
            event_name TEXT NOT NULL,    -- as in retired; empty for events without a key
            resolution TEXT NOT NULL,    -- resolved, violating, undefined, unkeyed, plain or malformed
            subsystem TEXT NOT NULL,     -- as in retired
            category TEXT NOT NULL,      -- as in retired
            rule TEXT NOT NULL,          -- as in finding_use
            parameter TEXT NOT NULL,     -- as in finding_use
            seen INTEGER NOT NULL,       -- findings ever saved
            last_event INTEGER NOT NULL, -- id of the newest event that had it
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970
            PRIMARY KEY (
                dictionary, event_category, event_name, resolution, subsystem, category, rule, parameter)
        ) WITHOUT ROWID;
        """

    private static let findingUse = """
        CREATE TABLE finding_use ( -- counts of violations and warnings in the events of each series
            series INTEGER NOT NULL,     -- series.id
            rule TEXT NOT NULL,          -- such as type or obsolete-parameter
            parameter TEXT NOT NULL,     -- whose; empty for rules about none; (other) where made-up names are too many
            seen INTEGER NOT NULL,       -- findings ever saved; those of events removed before version 2 are not in it
            last_event INTEGER NOT NULL, -- id of the newest event that had it when it was saved
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; resolving again does not change it
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970; resolving again does not change it
            PRIMARY KEY (series, rule, parameter)
        ) WITHOUT ROWID;
        """

    private static let parameterValues = """
        CREATE TABLE parameter_values ( -- finds events of a block by the parameters that definitions call indexed
            block INTEGER PRIMARY KEY,   -- blocks.block
            names TEXT NOT NULL,         -- the parameters, in alphabetical order with a space between
            entries BLOB NOT NULL        -- sorted: 32-bit hash of name and value, 16-bit id - block; little-endian
        );
        """

    private static let dictionaries = """
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
        """

    private static let eventCounts2 = """
        CREATE VIEW event_counts AS SELECT -- how often each event was seen since the store was made
            dictionary,                                   -- where the key was looked up
            event_category,                               -- the event's key: its category
            event_name,                                   -- the event's key: its name
            resolution,                                   -- resolved, violating or undefined
            sum(seen) AS seen                             -- events ever saved, by what is known of them now
        FROM (
            SELECT dictionary, event_category, event_name, resolution, seen
                FROM series JOIN series_use ON series = id WHERE event_name IS NOT NULL AND seen > 0
            UNION ALL SELECT nullif(dictionary, ''), event_category, event_name, resolution, seen FROM retired)
        GROUP BY dictionary, event_category, event_name, resolution;
        """
}
