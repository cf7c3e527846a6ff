extension VariedWorkload {
    func questions(events: Int) -> [Question] {
        Self.newest + [Question.time("a hundredth of the time", 1, in: events, matches: Self.teams)] + Self.fields
            + Self.parameters + Self.texts + Self.combinations + Self.groups + Self.values
            + Question.statements(Self.teams) + Self.statements
    }

    /// Of all events, for journalctl.
    private static let teams = (0..<8).map { "SUBSYSTEM=com.example.team\($0)" }

    /// Events whose payload jq selects.
    private static func select(_ condition: String, _ arguments: [String] = []) -> JournalQuestion {
        .jq(arguments + teams, "select(payload | \(condition))")
    }

    /// One who has events.
    private static let user: Substring =
        (0..<1000).lazy.compactMap { event -> Substring? in
            let text = VariedText.of(VariedEvent(event))
            return text.firstRange(of: #""user_id":"#).map { range in
                text[range.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }
            }
        }.first ?? ""

    /// The payload, or the text of an event without one.
    private static let text = "coalesce(payload, message)"

    // MARK: events

    private static let newest = [
        Question.newest("a rare", category: "Checkout", goal: 4), .newest("an absent", category: "Nothing", goal: 4),
    ]

    private static let fields = [
        Question.events(
            "a frequent level", "level >= err", JournalQuestion(["-p", "err"] + teams), sql: "priority <= 3"),
        .events(
            "an absent level", "level >= crit", JournalQuestion(["-p", "crit"] + teams), sql: "priority <= 2", goal: 10),
        .events(
            "a subsystem", "subsystem == com.example.team3", JournalQuestion(["SUBSYSTEM=com.example.team3"]),
            sql: "subsystem = 'com.example.team3'"),
        .events(
            "a rare category", "category == Checkout", JournalQuestion(["CATEGORY=Checkout"]),
            sql: "category = 'Checkout'", goal: 10),
        .events(
            "a unit", "unit == program7.service", JournalQuestion(["-u", "program7.service"]),
            sql: "unit = 'program7.service'"),
        .events(
            "a host and a level", "host == bench2 and level == debug",
            JournalQuestion(["_HOSTNAME=bench2", "PRIORITY=7"] + teams), sql: "host = 'bench2' AND level = 'debug'"),
        .events(
            "a rare event", "event == screen_7/tap_3",
            select(#".event_category == "screen_7" and .event_name == "tap_3""#), sql: "event = 'screen_7/tap_3'",
            goal: 10),
        .events(
            "frequent event categories", "event.category beginswith screen_1",
            select(#"(.event_category // "") | startswith("screen_1")"#), sql: "event_category GLOB 'screen_1*'"),
    ]

    private static let parameters = [
        Question.events(
            "one user", "user == \(user)", select(".user_id == \(user)"), sql: "payload ->> 'user_id' = \(user)",
            goal: 10),
        .events(
            "one value of a nested parameter", "payload.device.model == model-7",
            select(#".device.model == "model-7""#),
            sql: "payload ->> '$.device.model' = 'model-7'", goal: 10),
        .events(
            "a rare number", "elapsed > 99.5", select(".elapsed > 99.5"), sql: "payload ->> 'elapsed' > 99.5", goal: 30),
        .events("a frequent number", "position > 26", select(".position > 26"), sql: "payload ->> 'position' > 26"),
        .events(
            "a rare version", "payload.device.os.version >= 8.8", select(#".device.os.version >= "8.8""#),
            sql: "payload ->> '$.device.os.version' >= '8.8'", goal: 30),
        .events(
            "frequent versions", "payload.device.os.version < 4.5",
            select(#".device.os.version | . != null and . < "4.5""#),
            sql: "payload ->> '$.device.os.version' < '4.5'"),
        .events(
            "a parameter that some events have", "exists items", select(".items != null"),
            sql: "payload ->> 'items' IS NOT NULL"),
        .events(
            "a parameter that no event has", "exists payload.email", select(".email != null"),
            sql: "payload ->> 'email' IS NOT NULL", goal: 30),
    ]

    private static let texts = [
        Question.events(
            "a rare text in a parameter", "keyword contains \(VariedText.rareText)",
            select(#"(.keyword // "") | contains("\#(VariedText.rareText)")"#),
            sql: "instr(payload ->> 'keyword', '\(VariedText.rareText)') > 0", goal: 30),
        .events(
            "a frequent text in a parameter", "keyword contains salmon",
            select(#"(.keyword // "") | contains("salmon")"#),
            sql: "instr(payload ->> 'keyword', 'salmon') > 0"),
        .events(
            "a pattern", #"keyword like "*の?e*""#, select(#"(.keyword // "") | test("の.e")"#),
            sql: "payload ->> 'keyword' GLOB '*の?e*'"),
        .grep(
            "a text that is rare", VariedText.rareText, teams, sql: "instr(\(text), '\(VariedText.rareText)') > 0",
            goal: 100),
        .grep("a text that never came", "Sauerampfer", teams, sql: "instr(\(text), 'Sauerampfer') > 0", goal: 100),
        .events(
            "a regular expression of messages", #"message matches "retry [34] of upload 9[0-9]{4}:""#,
            JournalQuestion(["--grep=retry [34] of upload 9[0-9]{4}:"] + teams),
            sql: "\(text) REGEXP 'retry [34] of upload 9[0-9]{4}:'", goal: 300),
    ]

    private static let combinations = [
        Question.events(
            "events without a parameter", "not exists user_id", select(".user_id == null"),
            sql: "payload ->> 'user_id' IS NULL"),
        .events(
            "levels of some units, and a value or a number",
            #"level >= warning and unit like "program1*" and (payload.platform == web or position == 3)"#,
            .jq(
                ["-p", "warning"] + teams,
                """
                select((._SYSTEMD_UNIT | startswith("program1")) and (payload | .platform == "web" or .position == 3))
                """),
            sql: """
                priority <= 4 AND unit GLOB 'program1*' \
                AND (payload ->> 'platform' = 'web' OR payload ->> 'position' = 3)
                """),
    ]

    // MARK: groups and values

    private static let groups = [
        Question.groups(
            "counts by level", by: ["level"], sql: "level", teams, members: ["PRIORITY"], jq: ".PRIORITY", goal: 300),
        .groups(
            "counts by subsystem and level", by: ["subsystem", "level"], sql: "subsystem, level", teams,
            members: ["PRIORITY", "SUBSYSTEM"], jq: ".SUBSYSTEM + .PRIORITY", goal: 300),
        .groups(
            "counts by event", by: ["event"], top: 20, sql: "event", teams, members: ["MESSAGE"],
            jq: #"payload | "\(.event_category)/\(.event_name)""#, goal: 300),
        .groups(
            "counts by hour", by: ["hour"], sql: "substr(time, 1, 13)", teams, members: ["PRIORITY"],
            jq: ".__REALTIME_TIMESTAMP | tonumber / 3600000000 | floor", goal: 300),
        .percentiles(
            "percentiles by subsystem", by: "subsystem", of: "elapsed", sql: "subsystem", teams,
            members: ["MESSAGE", "SUBSYSTEM"], jq: "[.SUBSYSTEM, (payload | .elapsed)]", goal: 600),
        .distinct(
            "distinct users by subsystem", by: "subsystem", of: "user_id", sql: "subsystem", teams,
            members: ["MESSAGE", "SUBSYSTEM"], jq: "[.SUBSYSTEM, (payload | .user_id)]", goal: 600),
    ]

    private static let values = [
        Question.values("values of a field", of: "category", JournalQuestion(["-F", "CATEGORY"]), sql: "category"),
        .values(
            "1,000 values of a parameter", of: "keyword",
            .jq(
                teams, members: ["MESSAGE"], options: "-r", "payload | .keyword // empty",
                then: "LC_ALL=C sort -u | head -n 1000"), sql: "payload ->> 'keyword'", goal: 300),
    ]

    // MARK: SQL

    private static let statements = [
        Question.rows("events of a definition", "SELECT gloss_id, gloss_time, recipe_id FROM screen_7_tap_3"),
        .rows(
            "violations by rule", "SELECT parameter, rule, count(*) FROM violations GROUP BY 1, 2", beatsSQLite: true),
    ]
}
