package import API
package import ArgumentParser

package struct ReportCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report where events and definitions do not agree.",
        usage: "glossctl report [undefined] [unseen] [violations] [obsolete] [<options>]",
        discussion: """
            undefined: sent, but not defined. unseen: defined, but never sent. violations: sent in a way that breaks the \
            definition. obsolete: marked obsolete, and how often still sent. SAMPLE is the latest such event as long as it is \
            stored: glossctl event ID shows it.

            --fail-on makes a gate of it: when one of its reports has rows, the exit status is 1 and one line on standard error \
            says which. It first waits until the daemon has stored everything that was sent before the command began; when \
            that takes longer than --timeout, the exit status is 1, too.

            csv is one table with the same columns whatever is asked for, times in UTC. Control characters are written as \
            escapes (\\u001b), everything else as it is, also what a spreadsheet would take for a formula: import it as text.

            Examples:
              glossctl report
              glossctl report undefined violations --since today --subsystem 'com.example.*'
              glossctl report --last 10m --fail-on undefined,violations
              glossctl report violations -o csv > violations.csv
            """)

    @Argument(help: ArgumentHelp("Which reports (default: all).", valueName: "report"))
    package var reports: [ReportKind] = []

    @OptionGroup(title: "Filters") package var filters: FilterOptions

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp(
            "How many rows of each report at most, or all, which is 10,000 at most (default: 100 of text, else all).",
            valueName: "number"))
    package var lines: LineCount?

    @Option(
        name: .long,
        help: ArgumentHelp("Exit with 1 when one of these reports has rows.", valueName: "report,..."))
    package var failOn: [ReportList] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long --fail-on waits for what was sent before (default: 60s).", valueName: "time span"))
    package var timeout: String?

    @Option(name: .shortAndLong, help: "text, json (an array with a member for each report), csv or markdown.")
    package var output = ReportFormat.text

    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    package mutating func validate() throws {
        if timeout != nil && failOn.isEmpty { throw ValidationError("--timeout is for --fail-on: only that waits.") }
        for report in failing where !wanted.contains(report) {
            throw ValidationError("--fail-on \(report.rawValue): ask for that report too, or for all by naming none.")
        }
    }

    /// In the order in which they are always told.
    private var wanted: [ReportKind] {
        reports.isEmpty ? ReportKind.allCases : ReportKind.allCases.filter(reports.contains)
    }

    private var failing: [ReportKind] {
        let all = failOn.flatMap(\.reports)
        return ReportKind.allCases.filter(all.contains)
    }

    func run(on console: Console) async throws {
        let query = try query(console)
        let limit = try waitLimit()
        let client = ControlClient(socket: try connection.socketPath(console))
        if !failing.isEmpty { try await JournalWait(client: client, limit: limit).run(on: console) }
        var replies: [[UInt8]] = []
        for report in wanted {
            replies.append(try await client.document(APIPath.report(report, query)))
        }
        let tables = try zip(wanted, replies).map { try ReportTable($0, reply: $1) }
        try print(tables, replies, on: console)
        let failed = tables.filter { failing.contains($0.report) && $0.total > 0 }
        guard failed.isEmpty else {
            let counts = failed.map { "\(Quantity.count($0.total)) \($0.report.rawValue)" }
            throw ControlError.no("--fail-on: there are \(counts.joined(separator: ", "))")
        }
    }

    private func waitLimit() throws(ControlError) -> Duration {
        guard let timeout else { return .seconds(60) }
        guard let span = TimeSpan.microseconds(timeout) else {
            throw .wrongUsage("--timeout \(timeout): not a length of time; write one such as \(TimeSpan.examples)")
        }
        return .microseconds(Int64(span))
    }

    private func query(_ console: Console) throws(ControlError) -> ReportQuery {
        var query = ReportQuery()
        let events = try filters.query(console)
        query.filter = events.filter
        (query.users, query.devices) = (events.users, events.devices)
        switch lines ?? (output == .text ? .last(100) : .all) {
        case .last(let number): query.limit = min(number, ReportQuery.maximumLimit)
        case .all: query.limit = ReportQuery.maximumLimit
        }
        return query
    }

    private func print(_ tables: [ReportTable], _ replies: [[UInt8]], on console: Console) throws {
        switch output {
        case .text: try console.print(ReportRenderer(style: text.style(console)).text(tables))
        case .markdown: try console.print(ReportMarkdown(zone: text.utc ? .utc : console.zone).text(tables))
        case .json: try console.print(array: replies)
        case .csv:
            try console.print(ReportCSV.text(tables))
            // A table has no place to say so.
            for table in tables where table.omitted > 0 && (lines ?? .all) == .all {
                console.complain("\(table.report.rawValue): only the first \(Quantity.count(table.rows.count)) rows")
            }
        }
    }
}
