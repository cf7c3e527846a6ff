import Foundation

/// One program that sends one kind of event of about 250 bytes, of which one in a hundred breaks its definition and one in
/// a thousand has none.
struct UniformWorkload: Workload {
    let name = "uniform"
    let mark = ""
    let files = JournalFiles(count: 4)
    let goals = WorkloadGoals(
        catchUp: "ratio 16", enumerate: "ratio 1", memory: "12 MB", bytesPerEvent: "45", report: "50 ms",
        everything: "400 k", everythingMemory: "16 MB", idle: "0.1 %")
    /// Those over millions of events are another part.
    let reportFilters: [WorkloadFilter] = []

    static let rareText = "Quittenbrot"

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

    static func user(_ event: Int) -> Int { 1_000_000_000 + event * 2 % 5000 }

    static func recipe(_ event: Int) -> Int { 9_007_199_254_740_993 + event * 2 }

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
