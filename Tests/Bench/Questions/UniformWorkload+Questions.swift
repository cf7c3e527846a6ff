extension UniformWorkload {
    func questions(events: Int) -> [Question] {
        Self.newest + Self.times(events) + Self.fields + Self.parameters + Self.texts + Self.combinations
            + Self.groups + Self.values + Question.statements(Self.shop) + Self.statements
    }

    /// Of all events, for journalctl.
    private static let shop = ["SUBSYSTEM=com.example.shop"]
    private static let user = 1_000_001_234
    private static let recipe = recipe(7000)
    private static let table = "recipe_detail_tap_save_button"

    /// Events whose payload jq selects.
    private static func select(_ condition: String) -> JournalQuestion {
        .jq(shop, "select(payload | \(condition))")
    }

    private static func grep(_ what: String, _ pattern: String, sql: String, goal: Double) -> Question {
        .grep(what, pattern, shop, sql: sql, goal: goal)
    }

    // MARK: events

    private static let newest = [
        Question.newest("a frequent", category: "ActivityLog", goal: 2),
        .newest("a rare", category: "Checkout", goal: 2),
        .newest("an absent", category: "Nothing", goal: 2),
    ]

    private static func times(_ events: Int) -> [Question] {
        [
            .time("a hundredth of the time", 1, in: events, matches: shop),
            .time("a tenth of the time", 10, in: events, matches: shop),
        ]
    }

    private static let frequent = Question.events(
        "a frequent category", "category == Search", JournalQuestion(["CATEGORY=Search"]), sql: "category = 'Search'")

    private static let fields = [
        Question.events(
            "a rare category", "category == Checkout", JournalQuestion(["CATEGORY=Checkout"]),
            sql: "category = 'Checkout'", goal: 10),
        frequent,
        frequent.printed(
            "as text", "short", as: .text, JournalQuestion(["--output=short", "CATEGORY=Search"])),
        frequent.printed(
            "all of each", "full", as: .sheets, JournalQuestion(["--output=verbose", "CATEGORY=Search"])),
        frequent.printed(
            "as CSV", "csv", as: .table,
            .jq(
                ["CATEGORY=Search"], members: ["PRIORITY", "SUBSYSTEM", "MESSAGE"], options: "-r",
                "[.__REALTIME_TIMESTAMP, .PRIORITY, .SUBSYSTEM, .MESSAGE] | @csv"),
            sql: "SELECT time, level, subsystem, event, resolution, payload FROM events WHERE category = 'Search'"),
        .events(
            "a rare event", "event == recipe_detail/tap_share_button",
            select(#".event_category == "recipe_detail" and .event_name == "tap_share_button""#),
            sql: "event = 'recipe_detail/tap_share_button'"),
        .events(
            "a frequent event", "event == recipe_detail/tap_save_button",
            select(#".event_category == "recipe_detail" and .event_name == "tap_save_button""#),
            sql: "event = 'recipe_detail/tap_save_button'"),
        .events(
            "what violates its definition", "resolution == violating", select(#".recipe_id | type == "string""#),
            sql: "resolution = 'violating'"),
    ]

    private static let parameters = [
        // jq 1.6 rounds integers of more than 53 bits.
        Question.events(
            "one value of a parameter", "recipe_id == \(recipe)",
            JournalQuestion([#"--grep="recipe_id":\#(recipe),"#] + shop), sql: "payload ->> 'recipe_id' = \(recipe)",
            goal: 5),
        .events(
            "one user", "user == \(user)", select(".user_id == \(user)"), sql: "payload ->> 'user_id' = \(user)",
            goal: 5),
        .events(
            "a frequent value of a parameter", "position == 8", select(".position == 8"),
            sql: "payload ->> 'position' = 8"),
        .events(
            "a number that is in no event", "position > 28", select(".position > 28"),
            sql: "payload ->> 'position' > 28", goal: 30),
        // One in fifty is a string.
        .events(
            "a number that some send as a text", "recipe_id < 5",
            select(".recipe_id != null and (.recipe_id | tonumber) < 5"),
            sql: "CAST(payload ->> 'recipe_id' AS INTEGER) < 5", goal: 30),
        .events(
            "a number in one of 15 events", "position > 26", select(".position > 26"),
            sql: "payload ->> 'position' > 26"),
        .events(
            "a parameter that is in no event", "exists payload.email", select(".email != null"),
            sql: "payload ->> 'email' IS NOT NULL", goal: 30),
    ]

    private static let texts = [
        Question.events(
            "a rare text in a parameter", "folder contains \(rareText)", select(#".folder | contains("\#(rareText)")"#),
            sql: "instr(payload ->> 'folder', '\(rareText)') > 0", goal: 30),
        .events(
            "a frequent text in a parameter", #"folder contains "おかず 8""#, select(#".folder | contains("おかず 8")"#),
            sql: "instr(payload ->> 'folder', 'おかず 8') > 0"),
        .events(
            "a rare start of a text", "folder beginswith Quitten", select(#".folder | startswith("Quitten")"#),
            sql: "payload ->> 'folder' GLOB 'Quitten*'", goal: 30),
        .events(
            "a rare pattern", #"folder like "Q*brot""#, select(#".folder | test("^Q.*brot$")"#),
            sql: "payload ->> 'folder' GLOB 'Q*brot'", goal: 30),
        .events(
            "a frequent pattern", #"folder like "*おかず 3?""#, select(#".folder | test("おかず 3.$")"#),
            sql: "payload ->> 'folder' GLOB '*おかず 3?'"),
        grep("a text that is rare", rareText, sql: "instr(payload, '\(rareText)') > 0", goal: 50),
        grep("a text that never came", "Sauerampfer", sql: "instr(payload, 'Sauerampfer') > 0", goal: 50),
        grep("a text that is rare, in any case", "quittenbrot", sql: "payload LIKE '%quittenbrot%'", goal: 50),
        grep(
            "a regular expression", "folder.*Q[a-z]*brot", sql: "payload REGEXP 'folder.*Q[a-z]*brot'", goal: 300),
        grep(
            "a regular expression of two texts", "(Quittenbrot|Sauerampfer)",
            sql: "payload REGEXP 'Quittenbrot|Sauerampfer'", goal: 300),
        grep(
            "a regular expression that never matches", #""user_id":[0-9]+,.*[ab]{9}"#,
            sql: #"payload REGEXP '"user_id":[0-9]+,.*[ab]{9}'"#, goal: 300),
        .events(
            "a regular expression of a parameter", #"folder matches "おかず [23]8$""#,
            select(#".folder | test("おかず [23]8$")"#), sql: "payload ->> 'folder' REGEXP 'おかず [23]8$'"),
    ]

    private static let combinations = [
        Question.events(
            "what a text does not begin with", #"not folder beginswith "夕食""#,
            select(#".folder | startswith("夕食") | not"#), sql: "NOT payload ->> 'folder' GLOB '夕食*'", goal: 30),
        .events(
            "one user in one place", "user == \(user) and position == 4",
            select(".user_id == \(user) and .position == 4"),
            sql: "payload ->> 'user_id' = \(user) AND payload ->> 'position' = 4", goal: 10),
        .events(
            "one of two, and not a third", "(folder == \(rareText) or position > 28) and not exists payload.email",
            select(#"(.folder == "\#(rareText)" or .position > 28) and .email == null"#),
            sql: """
                (payload ->> 'folder' = '\(rareText)' OR payload ->> 'position' > 28) AND payload ->> 'email' IS NULL
                """, goal: 30),
        .events(
            "a violation, and all but one value",
            #"violation.parameter == recipe_id and not folder == "夕食のおかず 10""#,
            select(#"(.recipe_id | type == "string") and .folder != "夕食のおかず 10""#),
            sql: """
                id IN (SELECT id FROM violations WHERE parameter = 'recipe_id') \
                AND payload ->> 'folder' <> '夕食のおかず 10'
                """),
    ]

    // MARK: groups and values

    private static let groups = [
        Question.groups(
            "counts by event", by: ["event"], sql: "event", shop, members: ["MESSAGE"],
            jq: #"payload | .event_category + "/" + .event_name"#, goal: 300),
        .groups(
            "counts by event and level", by: ["event", "level"], sql: "event, level", shop,
            members: ["MESSAGE", "PRIORITY"],
            jq: #".PRIORITY + (payload | .event_category + "/" + .event_name)"#, goal: 300),
        .groups(
            "counts by two parameters", by: ["folder", "position"],
            sql: "payload ->> 'folder', payload ->> 'position'", shop, members: ["MESSAGE"],
            jq: #"payload | "\(.folder) \(.position)""#, goal: 300),
        .groups(
            "counts by minute", by: ["minute"], sql: "substr(time, 1, 16)", shop, members: ["PRIORITY"],
            jq: ".__REALTIME_TIMESTAMP | tonumber / 60000000 | floor", goal: 300),
        .groups(
            "counts by user", by: ["user_id"], top: 20, sql: "payload ->> 'user_id'", shop, members: ["MESSAGE"],
            jq: "payload | .user_id", goal: 300),
        .groups(
            "counts by user and position", by: ["user_id", "position"], top: 20,
            sql: "payload ->> 'user_id', payload ->> 'position'", shop, members: ["MESSAGE"],
            jq: #"payload | "\(.user_id) \(.position)""#, goal: 300),
        .groups(
            "counts by parameters that are different in every event", by: ["session_id", "recipe_id"], top: 20,
            sql: "payload ->> 'session_id', payload ->> 'recipe_id'", shop, members: ["MESSAGE"],
            // jq 1.6 rounds integers of more than 53 bits.
            jq: #".MESSAGE | [scan("\"(?:session|recipe)_id\":\"?([-0-9a-f]+)")[]] | join(" ")"#, goal: 1000),
        .groups(
            "counts of one user by minute", by: ["minute"], [("predicate", "user == \(user)")],
            sql: """
                SELECT count(*), substr(time, 1, 16) FROM events WHERE payload ->> 'user_id' = \(user) GROUP BY 2
                """,
            .jq(
                shop, members: ["MESSAGE"], options: "-r",
                "select(payload | .user_id == \(user)) | .__REALTIME_TIMESTAMP | tonumber / 60000000 | floor",
                then: "LC_ALL=C sort | uniq -c"), goal: 10),
        .percentiles(
            "percentiles by event", by: "event", of: "position", sql: "event", shop, members: ["MESSAGE"],
            jq: #"payload | [.event_category + "/" + .event_name, .position]"#, goal: 600),
        .distinct(
            "distinct users by event", by: "event", of: "user_id", sql: "event", shop, members: ["MESSAGE"],
            jq: #"payload | [.event_category + "/" + .event_name, .user_id]"#, goal: 600),
    ]

    private static let values = [
        Question.values("values of a field", of: "category", JournalQuestion(["-F", "CATEGORY"]), sql: "category"),
        .values(
            "values of a parameter", of: "folder",
            .jq(shop, members: ["MESSAGE"], options: "-r", "payload | .folder", then: "LC_ALL=C sort -u"),
            sql: "payload ->> 'folder'", goal: 300),
    ]

    // MARK: SQL

    private static let statements = [
        Question.rows("one value of a parameter", "SELECT gloss_id, user_id FROM \(table) WHERE recipe_id = \(recipe)"),
        .rows("a number in one of 15 events", "SELECT gloss_id, position FROM \(table) WHERE position > 26"),
        .rows(
            "groups by a parameter, with a sum", "SELECT folder, count(*), sum(position) FROM \(table) GROUP BY folder",
            beatsSQLite: true),
        .rows(
            "violations by user", "SELECT user, count(*) FROM violations JOIN events USING (id) GROUP BY user",
            beatsSQLite: true),
    ]
}
