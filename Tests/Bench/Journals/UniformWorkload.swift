import Foundation

/// One program that sends one kind of event of about 250 bytes, of which one in a hundred breaks its definition and one in
/// a thousand has none.
struct UniformWorkload: Workload {
    let name = "uniform"
    let mark = ""
    let files = JournalFiles(count: 4)
    let goals = WorkloadGoals(
        catchUp: "ratio 16", enumerate: "ratio 1", memory: "12 MB", bytesPerEvent: "45", newest: "2 ms",
        newestByCommand: "ratio 1", value: "5 ms", grep: "50 ms", report: "50 ms", everything: "400 k",
        everythingMemory: "16 MB", idle: "0.1 %")
    /// Those over millions of events are another part.
    let reportFilters: [WorkloadFilter] = []

    private static let rareText = "Quittenbrot"
    private static let user = 1_000_001_234

    func host(of number: Int) -> JournalHost { JournalHost(number: 0) }

    func fields(of event: Int) -> String {
        """
        PRIORITY=5
        SUBSYSTEM=com.example.shop
        CATEGORY=\(Self.category(event))
        SYSLOG_IDENTIFIER=shop
        _UID=1000
        _SYSTEMD_UNIT=shop.service
        _SYSTEMD_CGROUP=/system.slice/shop.service
        _COMM=shop
        _EXE=/usr/bin/shop
        _CMDLINE=/usr/bin/shop --serve
        _PID=1812
        CODE_FILE=ActivityLog.swift
        MESSAGE=\(Self.payload(event))
        """
    }

    /// One in 50,000, one in 14, and all others.
    static func category(_ event: Int) -> String {
        if event % 50_000 == 4711 { return "Checkout" }
        return event % 14 == 13 ? "Search" : "ActivityLog"
    }

    /// One in 100,000.
    private static func hasRareText(_ event: Int) -> Bool { event % 100_000 == 8123 }

    private static func user(_ event: Int) -> Int { 1_000_000_000 + event * 2 % 5000 }

    private static func recipe(_ event: Int) -> Int { 9_007_199_254_740_993 + event * 2 }

    static func payload(_ event: Int) -> String {
        let number = event * 2
        let session = "0b6ab3c0-6f8e-4c5e-9d57-\(String(100_000_000_000 + number % 977))"
        let name = number % 1000 == 998 ? "tap_share_button" : "tap_save_button"
        let recipe = number % 100 == 50 ? "\"\(number)\"" : "\(recipe(event))"
        let folder = hasRareText(event) ? rareText : "夕食のおかず \(number % 40)"
        return """
            {"event_category":"recipe_detail","event_name":"\(name)","user_id":\(user(event)),"session_id":"\(session)",\
            "platform":"ios","recipe_id":\(recipe),"folder":"\(folder)","position":\(number % 30)}
            """
    }

    var probes: WorkloadProbes {
        WorkloadProbes(
            categories: [("a frequent", "ActivityLog"), ("a rare", "Checkout"), ("an absent", "Nothing")],
            wholeCategory: "Search",
            values: [
                Probe("one value of a parameter", "where=recipe_id=\(Self.recipe(7000))") { $0 == 7000 },
                Probe("one user", "user=\(Self.user)") { Self.user($0) == Self.user },
            ],
            texts: [
                Probe("a text that is rare", "grep=\(Self.rareText)", journalctl: ["--grep=\(Self.rareText)"]) {
                    Self.hasRareText($0)
                },
                Probe("a text that never came", "grep=Sauerampfer", journalctl: ["--grep=Sauerampfer"]) { _ in false },
                Probe("a text that is rare, in any case", "grep=quittenbrot", journalctl: ["--grep=quittenbrot"]) {
                    Self.hasRareText($0)
                },
            ],
            expressions: [
                Probe(
                    "a regular expression", "grep=folder.*Q[a-z]*brot", journalctl: ["--grep=folder.*Q[a-z]*brot"]
                ) { Self.hasRareText($0) },
                Probe(
                    "a regular expression of two texts", "grep=(Quittenbrot%7CSauerampfer)",
                    journalctl: ["--grep=(Quittenbrot|Sauerampfer)"]
                ) { Self.hasRareText($0) },
                Probe(
                    "a regular expression that never matches", "grep=%22user_id%22:[0-9]%2B,.*[ab]%7B9%7D",
                    journalctl: [#"--grep="user_id":[0-9]+,.*[ab]{9}"#]
                ) { _ in false },
            ], predicates: Self.predicates, groups: Self.groups, category: Self.category)
    }

    private static let groups = [
        GroupProbe(
            what: "counts by event and level", query: "by=event&by=level",
            group: { $0 * 2 % 1000 == 998 ? "share" : "save" },
            shell: #"jq -r '.PRIORITY + (.MESSAGE | fromjson | .event_category + "/" + .event_name)' | sort | uniq -c"#,
            goal: "300 ms"),
        GroupProbe(
            what: "counts by two parameters", query: "by=folder&by=position",
            group: { hasRareText($0) ? "rare \($0 * 2 % 30)" : "\($0 * 2 % 40) \($0 * 2 % 30)" }, goal: "300 ms"),
        GroupProbe(
            what: "counts by user and minute", query: "by=user_id&by=minute", goal: "300 ms"),
        GroupProbe(
            what: "counts by user", query: "by=user_id&top=20", group: { "\(user($0))" }, goal: "300 ms"),
        GroupProbe(
            what: "counts by a parameter that is different in every event", query: "by=session_id&by=recipe_id&top=20",
            goal: "1000 ms"),
        GroupProbe(
            what: "numbers, distinct values and trends by event",
            query: "by=event&of=position&distinct=user_id&trend=24", goal: "600 ms"),
    ]

    private static let predicates: [(probe: Probe, goal: String)] = [
        (
            Probe("one user in one place", predicate: "user == \(user) and position == 8") {
                user($0) == user && $0 * 2 % 30 == 8
            }, "10 ms"
        ),
        (Probe("a number that is in no event", predicate: "position > 28") { _ in false }, "30 ms"),
        (
            Probe("a number in a tenth of a percent", predicate: "recipe_id < 9007199254742000") {
                $0 * 2 % 100 != 50 && recipe($0) < 9_007_199_254_742_000
            }, "30 ms"
        ),
        (Probe("the start of a text", predicate: "folder beginswith Quitten") { hasRareText($0) }, "30 ms"),
        (
            Probe("a violation without a text", predicate: "violation.parameter == recipe_id and not folder contains お")
            {
                hasRareText($0) && $0 * 2 % 100 == 50
            }, "30 ms"
        ),
        (
            Probe(
                "one of two, and not a third",
                predicate: "(folder == Quittenbrot or position > 28) and not exists payload.email"
            ) {
                hasRareText($0)
            }, "30 ms"
        ),
    ]

    func writeDefinitions(to folder: URL) throws {
        try DefinitionText.common.write(to: folder.appending(path: "common.md"), atomically: true, encoding: .utf8)
        try Self.definitions.write(
            to: folder.appending(path: "recipe_detail.md"), atomically: true, encoding: .utf8)
    }

    private static let definitions = """
        # recipe_detail

        The screen that shows one recipe.

        - recipe_id: !bigint
            - Which recipe was on the screen

        ## show
        The screen came up.

        - referrer: !string? 64
            - The screen that led here

        ## tap_save_button
        The user saved the recipe to a folder.

        - folder: !string? 128
            - 保存先のフォルダー名（日本語可）
        - position: !smallint
            - Of the button on the screen, from 1

        """
}
