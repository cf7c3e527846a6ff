import API
import ArgumentParser
import Model

struct StatsCommand: PagedCommand, FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", _superCommandName: Glossctl.name,
        abstract: "Count events by keys, with numbers, rates and trends.",
        usage: "glossctl stats [<predicate>] [--by <key> ...] [<options>]",
        discussion: """
            Counts stored events in groups. A key is one of predicates (event, level, subsystem, violation.rule, user, …), \
            a parameter (recipe_id, or payload.recipe_id), or minute, hour, day, week or month. Without a key, all events \
            are one group. Largest groups come first; of parts of time the latest come, in their order.

            SHARE is the part of all events that match. TREND shows them over time, from the first to the last. --of \
            adds what the numbers of a parameter are: percentiles are exact up to 512 numbers, and within 1 % beyond \
            that. --distinct adds the number of distinct values of a key: exact up to 1,024, and usually within 2 % beyond that.

            \(Outcome.help) When no event matches, standard error says so.

            Examples:
              glossctl stats --by event
              glossctl stats 'level >= warning' --by hour,level --last 1d
              glossctl stats --by event --of payload.took_ms --distinct user
              glossctl stats 'resolution == violating' --by violation.parameter,unit
              glossctl stats --by day -o csv > days.csv
            """)

    @Argument(help: .predicate, completion: Completions.predicate)
    var predicate: String?

    @Option(
        name: .long, help: ArgumentHelp("A key to group by; several are separated by commas.", valueName: "key"),
        completion: Completions.keys)
    var by: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("A parameter whose numbers are summed up.", valueName: "parameter"),
        completion: Completions.parameters)
    var of: String?

    @Option(
        name: .long, help: ArgumentHelp("A key whose distinct values are counted.", valueName: "key"),
        completion: Completions.keys)
    var distinct: String?

    @Option(
        name: [.long, .customShort("n", allowingJoined: true)],
        help: ArgumentHelp(
            "The number of groups, at most \(StatsQuery.maximumTop), or \(StatsQuery.maximumTopWithNumbers) with --of and --distinct (default: 20; as many as possible for parts of time, json, csv and markdown).",
            valueName: "number"))
    var top: Int?

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(name: .letter("o"), help: "text, json (the document of the API), csv or markdown.")
    var output = TableFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws { filters.take(predicate) }

    func run(on console: Console) async throws {
        let query = try query(console)
        let client = try connection.client(console)
        let stats = try await StatsTable(query, from: client, zone: text.zone(console))
        let isEmpty = stats.reply.events == 0
        if !isEmpty || output != .text { try stats.print(as: output, text.style(console), on: console) }
        if isEmpty { throw await NothingFound(client: client, filter: query.filter, zone: text.zone(console)).answer() }
    }

    private func query(_ console: Console) throws(ControlError) -> StatsQuery {
        var query = StatsQuery()
        query.filter = try filters.filter(console, keyOptions: ["--by", "--of"])
        query.keys = try Self.keys(by)
        (query.measure, query.distinct) = (of, distinct)
        let most = query.mostTop
        query.top = try Self.top(top ?? (Self.isOverTime(query) || output != .text ? most : 20), atMost: most)
        let isDrawn = output == .text && text.style(console).width != nil
        Self.complete(&query, isDrawn: isDrawn, text, console)
        if of != nil, query.keys.isEmpty, isDrawn || output == .json { query.histogram = 20 }
        return query
    }

    private static func isOverTime(_ query: StatsQuery) -> Bool {
        query.keys.contains { TimeUnit(rawValue: $0) != nil }
    }

    /// Asks for what is drawn beside the counts, and for the clock.
    /// - Parameter isDrawn: whether the table is for a terminal.
    static func complete(_ query: inout StatsQuery, isDrawn: Bool, _ text: TextOptions, _ console: Console) {
        let hasTrend = isDrawn && !isOverTime(query) && StatsRenderer.hasTrend(text.style(console), query)
        query.trend = hasTrend ? StatsRenderer.trendParts : 0
        query.zone = text.utc ? .utc : .local
    }

    /// Returns the number of groups that is asked for.
    static func top(_ number: Int, atMost most: Int) throws(ControlError) -> Int {
        guard (1...most).contains(number) else {
            throw .wrongUsage("--top \(number): write a number from 1 to \(most)")
        }
        return number
    }

    /// Returns the keys of options that may have several, separated by commas.
    static func keys(_ options: [String]) throws(ControlError) -> [String] {
        let keys = options.flatMap(KeyList.split)
        if keys.contains("") { throw .wrongUsage("--by: a key is missing; write --by event,level") }
        guard keys.count <= GroupKey.most else {
            throw .wrongUsage("--by: at most \(GroupKey.most) keys")
        }
        return keys
    }
}
