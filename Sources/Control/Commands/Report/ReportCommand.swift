import API
package import ArgumentParser
import Model

package struct ReportCommand: PagedCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report where events and definitions do not agree.",
        usage: "glossctl report [<report> ...] [<options>]",
        discussion: """
            undefined: sent, but not defined. unseen: defined, but never sent. violations: sent in a way that breaks the \
            definition. obsolete: marked obsolete, and how often still sent. unkeyed: JSON objects without the two members \
            that name their definition, perhaps misspelt. malformed: begins like a JSON object and is none. Of these two, a row is a subsystem and category. SAMPLE is the \
            latest such event as long as it is stored: glossctl event ID shows it. Every answer says how many events were \
            looked at: all that meet the filters.

            --fail-on makes a gate of it: when one of its reports has rows, the exit status is 1, and standard error says \
            which. It first waits until the daemon has stored everything that was sent before the command began; when \
            that takes longer than --timeout, the exit status is 1, too. So it is where nothing can be told: no event \
            with a key was looked at; nothing has a name that is asked for; entries of the range are missing (see \
            glossctl gaps), or retention removed them; an event is unkeyed or malformed, whatever --event says. An --allow \
            flag lets each of these pass.

            csv is one table with the same columns whatever is asked for, times in UTC. Control characters are written as \
            escapes (\\u001b), everything else as it is, also what a spreadsheet would take for a formula: import it as text.

            \(Outcome.help) A report without rows is an answer: 0.

            Examples:
              glossctl report
              glossctl report undefined violations -S today -u shop
              glossctl report unkeyed malformed --last 1h
              glossctl report --last 10m --fail-on undefined,violations
              glossctl report unseen --event 'recipe_detail/*' --last 1h --fail-on unseen
              glossctl report violations -o csv > violations.csv
            """)

    @Argument(help: ArgumentHelp("Which reports (default: all that take the filters).", valueName: "report"))
    package var lists: [ReportList] = []

    @OptionGroup(title: "Filters") package var filters: FilterOptions

    @Option(
        name: .letter("n"),
        help: ArgumentHelp(
            "How many rows of each report at most, or all, which is 10,000 at most (default: 100 of text, else all).",
            valueName: "number"))
    package var lines: LineCount?

    @OptionGroup(title: "Gate") package var gate: GateOptions

    @Option(name: .letter("o"), help: "text, json (an array with a member for each report), csv or markdown.")
    package var output = ReportFormat.text

    @OptionGroup package var text: TextOptions
    @OptionGroup package var pager: PagerOption
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    package mutating func validate() throws {
        if !filters.entries.event.isEmpty, let report = (reports + gate.failing).first(where: { !$0.hasKeys }) {
            throw ValidationError("--event does not go with the report \(report.rawValue): its events have no key.")
        }
        for report in gate.failing where !wanted.contains(report) {
            throw ValidationError("--fail-on \(report.rawValue): ask for that report too, or for all by naming none.")
        }
    }

    private var reports: [ReportKind] { lists.flatMap(\.reports) }

    /// In the order in which they are always told.
    private var wanted: [ReportKind] {
        guard reports.isEmpty else { return ReportKind.allCases.filter(reports.contains) }
        return ReportKind.allCases.filter { report in
            (report.hasKeys || filters.entries.event.isEmpty) && (report.hasResolutions || filters.resolution.isEmpty)
        }
    }

    func run(on console: Console) async throws {
        let query = try query(console)
        let limit = try gate.waitLimit()
        let client = ControlClient(socket: try connection.socketPath(console))
        if !gate.failing.isEmpty { try await JournalWait(client: client, limit: limit).run(on: console) }
        var replies: [[UInt8]] = []
        for report in wanted {
            replies.append(try await client.document(APIPath.report(report, query)))
        }
        let tables = try zip(wanted, replies).map { try ReportTable($0, reply: $1) }
        let reasons = Gate(options: gate, zone: zone(console)).reasons(
            tables.filter { gate.failing.contains($0.report) }, anyEvent: try await anyEvent(query, client))
        do {
            try print(tables, replies, on: console)
        } catch is ByteSink.Closed where !gate.failing.isEmpty {
            // Whether the gate is open does not depend on how much of the report was read.
        }
        for reason in reasons.dropLast() { console.complain(reason) }
        if let last = reasons.last { throw ControlError.no(last) }
    }

    /// What the gate is about without `--event`, which hides events that have no key; `nil` when it is not given.
    private func anyEvent(_ query: ReportQuery, _ client: ControlClient) async throws -> ReportScope? {
        guard let report = gate.failing.last, !query.filter.events.isEmpty else { return nil }
        var query = query
        query.filter.events = []
        query.limit = 0
        return try await ReportTable(report, reply: client.document(APIPath.report(report, query))).scope
    }

    private func query(_ console: Console) throws(ControlError) -> ReportQuery {
        var query = ReportQuery()
        let events = try filters.query(console)
        query.filter = events.filter
        (query.users, query.devices) = (events.users, events.devices)
        switch lines ?? (output == .text ? .last(100) : .all) {
        case .last(let number): query.limit = min(number, ReportQuery.maximumLimit)
        case .first: throw .wrongUsage("-n +N: rows are in no order of time; write -n N")
        case .all: query.limit = ReportQuery.maximumLimit
        }
        return query
    }

    private func zone(_ console: Console) -> Zone { text.utc ? .utc : console.zone }

    private func print(_ tables: [ReportTable], _ replies: [[UInt8]], on console: Console) throws {
        switch output {
        case .text: try console.print(ReportRenderer(style: text.style(console)).text(tables))
        case .markdown: try console.print(ReportMarkdown(zone: zone(console)).text(tables))
        case .json: try console.print(array: replies)
        case .csv:
            try console.print(ReportCSV.text(tables))
            // A table has no place for these.
            if !gate.failing.isEmpty, let scope = tables.last?.scope {
                scope.texts.lines(zone(console)).forEach(console.complain)
            }
            for table in tables where table.omitted > 0 && (lines ?? .all) == .all {
                console.complain("\(table.report.rawValue): only the first \(Quantity.count(table.rows.count)) rows")
            }
        }
    }
}
