import API
import ArgumentParser
import Model
import Predicates

struct ReportCommand: PagedCommand, FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", _superCommandName: Glossctl.name,
        abstract: "Report differences between events and definitions.",
        usage: "glossctl report [<report> ...] [<predicate>] [<options>]",
        discussion: """
            undefined: events that were sent but are not defined. unseen: events that are defined but were never sent. \
            violations: events that break their definitions. obsolete: events and parameters that are marked obsolete, \
            and how often they are still sent. unkeyed: JSON objects without the members that name their definition, \
            perhaps misspelt. malformed: payloads that begin like a JSON object and are not one. The last two have a \
            row for each subsystem and category. SAMPLE is the latest such event, as long as it is stored; glossctl \
            event ID shows it. Each report says how many events it examined: all that match the filters.

            --fail-on makes the command a gate: if one of its reports has rows, the exit status is 1, and standard \
            error says which. The command first waits until the daemon has stored everything that was sent before, and \
            has reprocessed stored events by the definitions in force; if that takes longer than --timeout, the exit \
            status is 1, too. It is also 1 if the result is uncertain: no event with a key was examined; nothing has a \
            name in the filters; entries of the range are missing (see glossctl gaps), or retention removed them; or an \
            event is unkeyed or malformed, regardless of --event. Each --allow flag allows one of these.

            csv is one table with the same columns for every report and with times in UTC. On a terminal, control \
            characters are written as escapes (\\u001b). Everything else is unchanged, including texts that a spreadsheet would treat \
            as a formula: import them as text.

            \(Outcome.help) A report without rows is an answer: 0.

            Examples:
              glossctl report
              glossctl report undefined violations -S today -u shop
              glossctl report unkeyed malformed --last 1h
              glossctl report violations 'app_version >= 25.4 and level >= error'
              glossctl report --last 10m --fail-on undefined,violations
              glossctl report unseen --event 'recipe_detail/*' --last 1h --fail-on unseen
              glossctl report violations -o csv > violations.csv
            """)

    @Argument(
        help: ArgumentHelp(
            "Which reports (default: all that take the filters), and a predicate, such as 'level >= error and user == 42'.",
            valueName: "report"), completion: Completions.some(of: ReportList.allValueStrings))
    var arguments: [String] = []

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(
        name: .letter("n"),
        help: ArgumentHelp(
            "The maximum number of rows of each report, or all, which means up to \(Quantity.count(ReportQuery.maximumLimit)) (default: 100 for text, otherwise all).",
            valueName: "number"))
    var lines: LineCount?

    @OptionGroup(title: "Gate") var gate: GateOptions

    @Option(name: .letter("o"), help: "text, json (an array with a member for each report), csv or markdown.")
    var output = TableFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        try takePredicate()
        if !filters.event.isEmpty, let report = (reports + gate.failing).first(where: { !$0.hasKeys }) {
            throw ValidationError("--event does not go with the report \(report.rawValue): its events have no key.")
        }
        if !filters.resolution.isEmpty, let report = (reports + gate.failing).first(where: { !$0.hasResolutions }) {
            throw ValidationError(
                "--resolution does not go with the report \(report.rawValue): all of its events have the same one.")
        }
        for report in gate.failing where !wanted.contains(report) {
            throw ValidationError("--fail-on \(report.rawValue): ask for that report too, or for all by naming none.")
        }
    }

    private var reports: [ReportKind] { arguments.compactMap { ReportList(argument: $0) }.flatMap(\.reports) }

    private mutating func takePredicate() throws {
        let others = arguments.filter { ReportList(argument: $0) == nil }
        guard let predicate = others.first else { return }
        // No predicate is a word alone, unless it is a name.
        if let word = others.first(where: { $0.allSatisfy { $0.isLetter || $0 == "," } }) {
            if let near = ReportList.near(word) {
                throw ValidationError("'\(word)' is no report; did you mean \(near)?")
            }
            throw ValidationError(
                "'\(word)' is no report: write \(ReportList.allValueStrings.joined(separator: ", ")), or a predicate, such as 'level >= error'."
            )
        }
        guard others.count == 1 else {
            throw ValidationError("'\(others[1])' is a second predicate: join them with and.")
        }
        filters.take(predicate)
    }

    /// The reports, in their fixed order.
    private var wanted: [ReportKind] {
        guard reports.isEmpty else { return ReportKind.allCases.filter(reports.contains) }
        return ReportKind.allCases.filter { report in
            (report.hasKeys || filters.event.isEmpty) && (report.hasResolutions || filters.resolution.isEmpty)
        }
    }

    func run(on console: Console) async throws {
        let query = try query(console)
        let limit = try gate.waitLimit()
        let client = try connection.client(console)
        if gate.failing.isEmpty {
            // Asked first, because it may be over when the reports are there. They do not depend on the answer.
            if let again = try? await client.status(timeout: ControlClient.statusTimeout).reprocessing {
                console.complain("the reports may change: \(again.text)")
            }
        } else if let reason = try await JournalWait(client: client, limit: limit, untilReprocessed: true)
            .unread(on: console)
        {
            throw ControlError.no("--fail-on: \(reason)")
        }
        var replies: [[UInt8]] = []
        for report in wanted {
            replies.append(try await client.report(report, query))
        }
        let tables = try zip(wanted, replies).map { try ReportTable($0, reply: $1) }
        let reasons = Gate(options: gate, zone: text.zone(console)).reasons(
            tables.filter { gate.failing.contains($0.report) }, anyEvent: try await anyEvent(query, client))
        // A definition is examined with all its events.
        let isFiltered = query.filter.parameters.contains { $0 != .event }
        try console.answer { try print(tables, replies, isFiltered: isFiltered, on: console) }
        for reason in reasons.dropLast() { console.complain(reason) }
        if let last = reasons.last { throw ControlError.no(last) }
    }

    /// The events that the gate examines without `--event`, which excludes events without a key; `nil` without
    /// `--event`.
    private func anyEvent(_ query: ReportQuery, _ client: ControlClient) async throws -> ReportScope? {
        guard let report = gate.failing.last, !query.filter[.event].isEmpty else { return nil }
        var query = query
        query.filter[.event] = []
        query.limit = 0
        return try await ReportTable(report, reply: client.report(report, query)).scope
    }

    private func query(_ console: Console) throws(ControlError) -> ReportQuery {
        var query = ReportQuery()
        query.filter = try filters.filter(console)
        switch lines ?? (output == .text ? .last(100) : .all) {
        case .last(let number): query.limit = min(number, ReportQuery.maximumLimit)
        case .first: throw .wrongUsage("-n +N: rows are in no order of time; write -n N")
        case .all: query.limit = ReportQuery.maximumLimit
        }
        return query
    }

    private func print(
        _ tables: [ReportTable], _ replies: [[UInt8]], isFiltered: Bool, on console: Console
    ) throws {
        switch output {
        case .text:
            try console.print(ReportRenderer(style: text.style(console), isFiltered: isFiltered).text(tables))
        case .markdown:
            try console.print(ReportMarkdown(zone: text.zone(console), isFiltered: isFiltered).text(tables))
        case .json: try console.print(array: replies)
        case .csv:
            try console.output.write(ReportCSV.text(tables, text.style(console)))
            // A table has no place for these messages.
            if !gate.failing.isEmpty, let scope = tables.last?.scope {
                scope.texts.lines(text.zone(console)).forEach(console.complain)
            }
            for table in tables where table.omitted > 0 && (lines ?? .all) == .all {
                console.complain("\(table.report.rawValue): only the first \(Quantity.count(table.rows.count)) rows")
            }
        }
    }
}

extension ControlClient {
    /// Requests a report. With some filters, all events are read for it.
    fileprivate func report(_ kind: ReportKind, _ query: ReportQuery) async throws -> [UInt8] {
        try await document(APIPath.report(kind, query), timeout: Self.scanTimeout)
    }
}
