import API
import ArgumentParser
import Model
import Predicates

struct TopCommand: FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", _superCommandName: Glossctl.name,
        abstract: "Watch which events come, and how many.",
        usage: "glossctl top [<predicate>] [--by <key> ...] [<options>]",
        discussion: """
            Shows the groups of glossctl stats of the last minutes, and draws them again every two seconds, until Ctrl-C. \
            The first line says how far behind the daemon is. --window says how far back top looks, instead of --since, \
            --until and --last.

            \(Outcome.help)

            Examples:
              glossctl top
              glossctl top 'resolution == violating' --by event,violation.rule
              glossctl top --by unit,level --window 1h --interval 10
            """)

    @Argument(help: .predicate, completion: Completions.predicate)
    var predicate: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A key to group by; several are separated by commas (default: event).", valueName: "key"),
        completion: Completions.keys)
    var by: [String] = []

    @Option(name: .long, help: ArgumentHelp("How far back it looks: 90s, 10m, 1h.", valueName: "time span"))
    var window = "10m"

    @OptionGroup(title: "Filters") var filters: FilterOptions
    @OptionGroup var interval: IntervalOption
    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws { filters.take(predicate) }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        var query = StatsQuery()
        query.filter = try filters.filter(console, keyOptions: ["--by"])
        query.keys = by.isEmpty ? ["event"] : try StatsCommand.keys(by)
        let span = try TimeOption.span("--window", window)
        guard span > 0 else { throw ControlError.wrongUsage("--window \(window): no event is in it") }
        guard try await !client.hasRange(query.filter) else {
            throw ControlError.wrongUsage("top shows the last minutes: give --window instead of a range")
        }
        try await LiveScreen.run(on: console, every: interval.interval) {
            try await frame(query, span, client, console)
        }
    }

    private func frame(
        _ query: StatsQuery, _ span: UInt64, _ client: ControlClient, _ console: Console
    ) async throws -> String {
        var (query, style) = (query, text.style(console))
        query.filter[.since] = [String(console.now() - min(console.now(), span))]
        StatsCommand.complete(&query, isDrawn: true, text, console)
        let status = try await client.status(timeout: ControlClient.statusTimeout)
        let lag = status.journal.lagSeconds.map { "\(Quantity.time(seconds: $0)) behind" }
        let now = CivilTime(microseconds: console.now(), zone: style.zone).timeOfDay(decimals: 0)
        let facts = [lag, "last \(Quantity.time(seconds: Double(span) / 1e6))", now].compactMap(\.self)
        let heading = StatusRenderer.heading("glossd", status.state, facts, style)
        let room = (console.terminalHeight() ?? 27) - 6 - heading.count { $0 == "\n" }
        query.top = min(max(5, room), StatsQuery.maximumTop)
        var stats = try await StatsTable(query, from: client, zone: style.zone)
        stats.remedy = "a taller terminal, or filters"
        let table = stats.reply.events > 0 ? StatsRenderer(style: style).text(stats) : "No events.\n"
        return heading + "\n" + table
    }
}
