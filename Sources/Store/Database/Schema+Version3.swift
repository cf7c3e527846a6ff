internal import GRDB

extension Schema {
    /// Version 3 counts events and findings by name rather than by series, and findings also by block: then a report
    /// reads as many rows as there are names, whatever the number of events, senders and boots. It also remembers which
    /// parameters are protected.
    static func migrateToVersion3(_ db: Database) throws {
        try db.execute(sql: "PRAGMA user_version = 3; DROP VIEW event_counts")
        for table in ["series_use", "finding_use"] {
            try db.execute(sql: "ALTER TABLE \(table) RENAME TO old_\(table)")
        }
        for statement in [eventUse3, seriesUse3, findingUse3, eventCounts3, protectedNames3, moveEvents] {
            try db.execute(sql: statement)
        }
        try countStored(db)
        try db.execute(sql: moveFindings)
        for table in ["old_series_use", "old_finding_use", "retired", "retired_findings"] {
            try db.execute(sql: "DROP TABLE \(table)")
        }
    }

    private static let eventUse3 = """
        CREATE TABLE event_use ( -- counters of events, by what they are counted by
            id INTEGER PRIMARY KEY,      -- within this table, series_use and finding_use only
            dictionary TEXT NOT NULL,    -- as in series; empty where it has none
            event_category TEXT NOT NULL, -- as in series; empty where it has none; (other) for names that are too many
            event_name TEXT NOT NULL,    -- as in series; empty where it has none; (other) for names that are too many
            resolution TEXT NOT NULL,    -- resolved, violating, undefined, unkeyed, plain or malformed
            subsystem TEXT NOT NULL,     -- as in series; (other) where they are too many, or counted before version 2
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
        """

    private static let seriesUse3 = """
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
        CREATE TABLE block_use ( -- the events in a block, by what they are counted by: counts for a range of time
            block INTEGER NOT NULL,      -- blocks.block
            event_use INTEGER NOT NULL,  -- event_use.id
            events INTEGER NOT NULL,     -- how many
            last_event INTEGER NOT NULL, -- id of the last of them; resolving again does not lower it
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; resolving again does not change it
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970; resolving again does not change it
            PRIMARY KEY (block, event_use)
        ) WITHOUT ROWID;
        """

    private static let findingUse3 = """
        CREATE TABLE finding_use ( -- counters of violations and warnings, without those of events that are in no block yet
            id INTEGER PRIMARY KEY,      -- within this table and block_findings only
            event_use INTEGER NOT NULL,  -- event_use.id: the events that have it
            rule TEXT NOT NULL,          -- such as type or obsolete-parameter
            parameter TEXT NOT NULL,     -- whose; empty for rules about none; (other) where made-up names are too many
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
        """

    private static let eventCounts3 = """
        CREATE VIEW event_counts AS SELECT -- how often each event was seen since the store was made
            nullif(dictionary, '') AS dictionary,         -- where the key was looked up
            event_category AS event_category,             -- the event's key: its category
            event_name AS event_name,                     -- the event's key: its name
            resolution AS resolution,                     -- resolved, violating or undefined
            sum(seen) AS seen                             -- events ever saved, by what is known of them now
        FROM event_use WHERE resolution IN ('resolved', 'violating', 'undefined') AND seen > 0
        GROUP BY 1, 2, 3, 4;
        """

    private static let protectedNames3 = """
        CREATE TABLE protected_names ( -- the parameters whose values are replaced, also when no definition says so any more
            dictionary TEXT NOT NULL,    -- as the settings name it
            parameter TEXT NOT NULL,     -- its name
            privacy TEXT NOT NULL,       -- private or hash
            PRIMARY KEY (dictionary, parameter)
        ) WITHOUT ROWID;
        """

    private static let moveEvents = """
        INSERT INTO event_use
            (dictionary, event_category, event_name, resolution, subsystem, category, seen, last_event, first_time,
            last_time, gone)
            WITH counted AS (
                SELECT coalesce(dictionary, '') AS dictionary, coalesce(event_category, '') AS event_category,
                coalesce(event_name, '') AS event_name, resolution, subsystem, category,
                seen, last_event, first_time, last_time, 0 AS gone FROM series JOIN old_series_use ON series = id
                UNION ALL SELECT dictionary, event_category, event_name, resolution, subsystem, category,
                seen, last_event, first_time, last_time, 1 FROM retired
                UNION ALL SELECT dictionary, event_category, event_name, resolution, subsystem, category,
                0, 0, 0, 0, 1 FROM retired_findings)
            SELECT dictionary, event_category, event_name, resolution, subsystem, category, sum(seen), max(last_event),
            coalesce(min(nullif(first_time, 0)), 0), max(last_time), min(gone) FROM counted GROUP BY 1, 2, 3, 4, 5, 6;
        INSERT INTO series_use
            SELECT s.id, e.id, s.level, s.boot_fold, u.stored, u.last_event, u.first_time, u.last_time
            FROM series AS s JOIN old_series_use AS u ON u.series = s.id JOIN event_use AS e
            ON e.event_name = coalesce(s.event_name, '') AND e.event_category = coalesce(s.event_category, '')
            AND e.dictionary = coalesce(s.dictionary, '') AND e.resolution = s.resolution
            AND e.subsystem = s.subsystem AND e.category = s.category;
        """

    /// Of stored events, `finding_use` has been filled by now. What version 2 counted more than these was of events that
    /// are removed; version 1 counted none.
    private static let moveFindings = """
        INSERT INTO finding_use (event_use, rule, parameter, seen, last_event, first_time, last_time)
            SELECT u.event_use, f.rule, f.parameter, sum(f.seen), max(f.last_event), min(f.first_time), max(f.last_time)
            FROM old_finding_use AS f JOIN series_use AS u ON u.series = f.series WHERE true GROUP BY 1, 2, 3
            ON CONFLICT (event_use, rule, parameter) DO UPDATE SET seen = max(seen, excluded.seen),
            first_time = min(first_time, excluded.first_time), last_time = max(last_time, excluded.last_time);
        INSERT INTO finding_use (event_use, rule, parameter, seen, last_event, first_time, last_time)
            SELECT e.id, f.rule, f.parameter, f.seen, f.last_event, f.first_time, f.last_time
            FROM retired_findings AS f JOIN event_use AS e ON e.event_name = f.event_name
            AND e.event_category = f.event_category AND e.dictionary = f.dictionary AND e.resolution = f.resolution
            AND e.subsystem = f.subsystem AND e.category = f.category WHERE true
            ON CONFLICT (event_use, rule, parameter) DO UPDATE SET seen = seen + excluded.seen,
            last_event = max(last_event, excluded.last_event), first_time = min(first_time, excluded.first_time),
            last_time = max(last_time, excluded.last_time);
        """

    /// Ends the open block early, so that all stored events are in one, and counts what is in each.
    private static func countStored(_ db: Database) throws {
        var (names, table) = (FindingNames(), FindingTable())
        let blocks = try BareStatement(db, "SELECT block, last_id FROM blocks ORDER BY block")
        while try blocks.step() {
            let ids = blocks.int64(0)...blocks.int64(1)
            var events = EventTally()
            _ = try events.countStored(ids, db)
            try BlockUse.save(events, block: ids.lowerBound, db)
            let findings = try FindingTally(ofStored: ids, db)
            try BlockFindings.save(findings, block: ids.lowerBound, db, names: &names, table: &table)
        }
        let last = try Totals.lastEventID(db)
        var open = try OpenBlock(db, lastEventID: last, index: ParameterIndex(names: []))
        try open.complete(db, names: &names, table: &table)
    }
}
