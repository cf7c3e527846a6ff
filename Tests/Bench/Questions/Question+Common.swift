/// Questions that are asked of every workload.
extension Question {
    /// A part of the time, from the middle.
    /// - Parameter hundredths: of the time of all events.
    static func time(_ what: String, _ hundredths: Int, in events: Int, matches: [String]) -> Question {
        let seconds = EntryNumbers.time(ofEvent: events) / 1_000_000 - EntryNumbers.start / 1_000_000
        let first = EntryNumbers.start / 1_000_000 + seconds / 2
        let last = first + max(1, seconds * hundredths / 100)
        return .events(
            what, #"time >= "@\#(first)" and time <= "@\#(last)""#,
            JournalQuestion(["--since=@\(first)", "--until=@\(last)"] + matches),
            sql: """
                time >= strftime('%Y-%m-%d %H:%M:%f000', \(first), 'unixepoch') \
                AND time <= strftime('%Y-%m-%d %H:%M:%f000', \(last), 'unixepoch')
                """)
    }

    /// Groups with the percentiles of a parameter's numbers.
    /// - Parameter jq: prints an array of a key and a number, or null.
    static func percentiles(
        _ what: String, by key: String, of parameter: String, sql: String, _ matches: [String], members: [String],
        jq: String, goal: Double
    ) -> Question {
        let awk = """
            function show() { if (c) print c, k, v[1], s / c, v[int(m * .5)], v[int(m * .9)], v[int(m * .95)], \
            v[int(m * .99)], v[m] } $1 != k { show(); k = $1; c = m = s = 0 } { c++ } \
            $2 != "" { v[++m] = $2; s += $2 } END { show() }
            """
        let percentiles = [50, 90, 95, 99].map { "max(CASE WHEN n - c + m <= m * \($0) / 100 THEN x END)" }
        return groups(
            what, by: [key], [("of", parameter)], top: 200,
            sql: """
                SELECT max(c), k, min(x), avg(x), \(percentiles.joined(separator: ", ")), max(x) FROM (
                    SELECT k, x, row_number() OVER (PARTITION BY k ORDER BY x) AS n, count(*) OVER (PARTITION BY k) AS c,
                        count(x) OVER (PARTITION BY k) AS m
                    FROM (SELECT \(sql) AS k, payload ->> '\(parameter)' AS x FROM events)
                ) GROUP BY k
                """,
            .jq(
                matches, members: members, options: "-r", "\(jq) | @tsv",
                then: #"LC_ALL=C sort -t "$(printf '\t')" -k 1,1 -k 2,2n | awk -F '\t' '\#(awk)'"#), goal: goal)
    }

    /// Groups with the number of distinct values of a parameter.
    /// - Parameter jq: prints an array of a key and a value, or null.
    static func distinct(
        _ what: String, by key: String, of parameter: String, sql: String, _ matches: [String], members: [String],
        jq: String, goal: Double
    ) -> Question {
        let awk = """
            function show() { if (c) print c, k, d } $2 != k { show(); k = $2; c = d = 0 } \
            { c += $1 } $3 != "" { d++ } END { show() }
            """
        return groups(
            what, by: [key], [("distinct", parameter)], top: 200,
            sql: """
                SELECT count(*), \(sql), count(DISTINCT payload ->> '\(parameter)') FROM events GROUP BY \(sql)
                """,
            .jq(
                matches, members: members, options: "-r", #"\#(jq) | @tsv"#,
                then: #"LC_ALL=C sort | uniq -c | sed 's/^ *\([0-9]*\) /\1\t/' | awk -F '\t' '\#(awk)'"#), goal: goal)
    }

    /// Statements about `events`.
    /// - Parameter matches: of all events, for journalctl.
    static func statements(_ matches: [String]) -> [Question] {
        [
            .rows("a statement that reads nothing", "SELECT 1"),
            .rows(
                "how many events", "SELECT count(*) FROM events",
                JournalQuestion(["--output-fields=PRIORITY"] + matches, pipe: "wc -l")),
            .rows(
                "groups by event", "SELECT event, count(*) FROM events GROUP BY event",
                .jq(
                    matches, members: ["MESSAGE"], options: "-r",
                    #"payload | if .event_name then .event_category + "/" + .event_name else "" end"#,
                    then: #"LC_ALL=C sort | uniq -c | awk '{ print $2 "," $1 }'"#), beatsSQLite: true),
            .rows(
                "groups by event and level", "SELECT event, level, count(*) FROM events GROUP BY event, level",
                beatsSQLite: true),
            .rows(
                "groups by unit, with times", "SELECT unit, min(time), max(time) FROM events GROUP BY unit",
                beatsSQLite: true),
            .rows(
                "groups by minute", "SELECT time_minute, count(*) FROM events GROUP BY time_minute",
                sqlite: "SELECT substr(time, 1, 16), count(*) FROM events GROUP BY 1", beatsSQLite: true),
            .rows(
                "groups by minute, as an expression", "SELECT substr(time, 1, 16), count(*) FROM events GROUP BY 1",
                beatsSQLite: true),
            .rows(
                "the newest 20", "SELECT id, time, event, payload FROM events ORDER BY time DESC LIMIT 20"),
            .rows("events of a name", "SELECT count(*) FROM events WHERE event = 'no/such' OR level = 'crit'"),
            .rows("all ids and times", "SELECT id, time FROM events"),
        ]
    }
}
