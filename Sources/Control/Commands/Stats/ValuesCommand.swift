import API
package import ArgumentParser
import Model
import Predicates

package struct ValuesCommand: PagedCommand {
    package enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, cat, json, csv, markdown }

    package static let configuration = CommandConfiguration(
        commandName: "values",
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

    @Argument(help: ArgumentHelp("The key.", valueName: "key"))
    package var key: String

    @Argument(
        help: ArgumentHelp(
            "A predicate, such as 'level >= error and user == 42'. The options must match as well.",
            valueName: "predicate"))
    package var predicate: String?

    @Option(
        name: [.long, .customShort("n", allowingJoined: true)],
        help: ArgumentHelp(
            "The number of values, at most \(StatsQuery.maximumTop), which is the default.", valueName: "number"))
    package var top = StatsQuery.maximumTop

    @OptionGroup(title: "Filters") package var filters: FilterOptions

    @Option(name: .letter("o"), help: "text, cat (only the values), json (the document of the API), csv or markdown.")
    package var output = Format.text

    @OptionGroup package var text: TextOptions
    @OptionGroup package var pager: PagerOption
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    package mutating func validate() throws { try filters.take(predicate) }

    func run(on console: Console) async throws {
        var query = StatsQuery()
        query.filter = try filters.filter(console)
        (query.keys, query.top, query.zone) = ([key], top, text.utc ? .utc : .local)
        guard (1...StatsQuery.maximumTop).contains(top) else {
            throw ControlError.wrongUsage("--top \(top): write a number from 1 to \(StatsQuery.maximumTop)")
        }
        let client = ControlClient(socket: try connection.socketPath(console))
        let reply: [UInt8] = try await client.document(APIPath.stats(query), timeout: ControlClient.scanTimeout)
        let stats = try StatsTable(reply: reply, query, hasNone: false)
        guard stats.reply.rows.contains(where: { $0.values.first?.value != nil }) else {
            throw ControlError.nothing("No event has a value for \(SafeText.neutralised(key)).")
        }
        switch output {
        case .text: try console.print(StatsRenderer(style: text.style(console)).text(stats))
        case .cat: try console.print(stats.values)
        case .markdown: try console.print(stats.markdown)
        case .csv: try console.print(stats.csv)
        case .json: try console.print(document: reply)
        }
        if output != .text { stats.omitted.map(console.complain) }
    }
}
