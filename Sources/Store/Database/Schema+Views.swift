extension Schema {
    /// For people at the sqlite3 shell. SQLite has neither XOR nor unsigned integers: `(a | b) - (a & b)` is XOR, never
    /// leaves 64 bits, and `%x` shows the bits of a negative number.
    static let views = """
        CREATE VIEW events AS SELECT -- one row an event
            e.id AS id,                                   -- the row in this store
            printf('%016x%016x', (s.boot_fold | e.monotonic) - (s.boot_fold & e.monotonic), e.xor_hash)
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
        FROM event_rows AS e JOIN series AS s ON s.id = e.series;
        CREATE VIEW event_counts AS SELECT -- how often each event was seen since the store was made
            dictionary, event_category, event_name, resolution, sum(seen) AS seen
        FROM (
            SELECT dictionary, event_category, event_name, resolution, seen
                FROM series JOIN series_use ON series = id WHERE event_name IS NOT NULL
            UNION ALL SELECT dictionary, event_category, event_name, resolution, seen FROM retired)
        GROUP BY dictionary, event_category, event_name, resolution;
        """
}
