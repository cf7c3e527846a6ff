import Foundation

/// Many programs on several hosts that send many kinds of events, plain lines among them, in no order.
struct VariedWorkload: Workload {
    let name = "varied"
    let mark = "varied: "
    let goals = WorkloadGoals(
        catchUp: "ratio 8", enumerate: "ratio 0.5", memory: "24 MB", bytesPerEvent: "90", report: "100 ms",
        everything: "200 k", everythingMemory: "")

    private static let screen = 7
    private static let host = 2

    /// A file for each host, all of the same time.
    let files = JournalFiles(count: VariedEvent.hosts, areSideBySide: true)

    func host(of number: Int) -> JournalHost { JournalHost(number: number % VariedEvent.hosts) }

    func fields(of event: Int) -> String {
        let event = VariedEvent(event)
        let program = "program\(event.sender.program)"
        return """
            PRIORITY=\(event.level)
            SUBSYSTEM=\(event.sender.subsystem)
            CATEGORY=\(event.category)
            SYSLOG_IDENTIFIER=\(program)
            _UID=\(1000 + event.sender.program % 7)
            _SYSTEMD_UNIT=\(program).service
            _SYSTEMD_CGROUP=/system.slice/\(program).service
            _COMM=\(program)
            _EXE=/usr/bin/\(program)
            _CMDLINE=/usr/bin/\(program) --serve
            _PID=\(3000 + event.sender.program)
            MESSAGE=\(VariedText.of(event))
            """
    }

    var reportFilters: [WorkloadFilter] {
        [
            WorkloadFilter(what: "", query: { _ in "" }, takes: { _, _ in true }),
            WorkloadFilter(
                what: " of one event category", query: { _ in "&event=screen_\(Self.screen)/*" },
                takes: { event, _ in VariedEvent(event).kind.map { $0 / 10 == Self.screen } ?? false }, isOfKeys: true),
            WorkloadFilter(
                what: " of one level", query: { _ in "&level=warning" },
                takes: { event, _ in VariedEvent(event).level <= 4 }),
            WorkloadFilter(
                what: " of one boot", query: { _ in "&boot=\(JournalHost(number: Self.host).bootID)" },
                takes: { event, _ in VariedEvent(event).sender.host.number == Self.host }),
            WorkloadFilter(
                what: " of the last tenth of the time",
                query: { "&since=\(EntryNumbers.time(ofEvent: $0 / 10 * 9))" },
                takes: { event, events in event >= events / 10 * 9 }),
            WorkloadFilter(what: " of all the time", query: { _ in "&since=1" }, takes: { _, _ in true }),
        ]
    }

    func writeDefinitions(to folder: URL) throws {
        try DefinitionText.common.write(to: folder.appending(path: "common.md"), atomically: true, encoding: .utf8)
        for first in stride(from: 0, to: VariedEvent.kinds, by: 10) {
            let name = VariedEvent.category(of: first)
            let kinds = (first..<first + 10).filter(VariedEvent.isDefined)
            let text = "# \(name)\n" + kinds.map { Self.definition($0) }.joined()
            try text.write(to: folder.appending(path: "\(name).md"), atomically: true, encoding: .utf8)
        }
    }

    private static func definition(_ kind: Int) -> String {
        """

        ## \(VariedEvent.name(of: kind))
        Something that happens on the screen.

        - recipe_id: !bigint
        - position: !smallint
        - keyword: !string? 256
        - elapsed: !double?
        - tags: Tags?
        - items: Items?
        - note: !string?
        - [obsolete] page: !integer

        """
    }
}
