import API
import ArgumentParser
import Model

struct ValuesCommand: PagedCommand, FilteredCommand {
    enum Format: String, Choice {
        case text, cat, json, csv, markdown

        /// The format of the whole table; `nil` for the values alone.
        var table: TableFormat? { TableFormat(rawValue: rawValue) }
    }

    static let configuration = CommandConfiguration(
        commandName: "values", _superCommandName: Glossctl.name,
        abstract: "List the values that events have for a key.",
        usage: "glossctl values <key> [<predicate>] [<options>]",
        discussion: """
            Lists the values with the number of events that have each, the most frequent first. A key is one of \
            predicates (event, level, subsystem, unit, …), or a parameter (recipe_id, or payload.recipe_id). Like \
            journalctl -F, -o cat prints the values alone.

            \(Outcome.help) When no event has a value, standard error says so.

            Examples:
              glossctl values event
              glossctl values app_version 'time > -1d'
              glossctl values payload.screen --subsystem com.example.shop -o cat
            """)

    @Argument(help: ArgumentHelp("The key.", valueName: "key"), completion: Completions.keys)
    var key: String

    @Argument(help: .predicate, completion: Completions.predicate)
    var predicate: String?

    @Option(
        name: [.long, .customShort("n", allowingJoined: true)],
        help: ArgumentHelp(
            "The number of values, at most \(StatsQuery.maximumTop).", valueName: "number"))
    var top = StatsQuery.maximumTop

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(name: .letter("o"), help: "text, cat (only the values), json (the document of the API), csv or markdown.")
    var output = Format.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws { filters.take(predicate) }

    func run(on console: Console) async throws {
        var query = StatsQuery()
        query.filter = try filters.filter(console)
        (query.keys, query.zone, query.hasNone) = ([key], text.utc ? .utc : .local, false)
        query.top = try StatsCommand.top(top, atMost: StatsQuery.maximumTop)
        let client = try connection.client(console)
        let stats = try await StatsTable(query, from: client, zone: text.zone(console))
        guard !stats.reply.rows.isEmpty else {
            if let format = output.table, format != .text {
                try stats.print(as: format, text.style(console), on: console)
            }
            throw ControlError.nothing("No event has a value for \(SafeText.neutralised(name: key)).")
        }
        guard let format = output.table else {
            try console.print(stats.values)
            stats.omitted.map(console.complain)
            return
        }
        try stats.print(as: format, text.style(console), on: console)
    }
}
