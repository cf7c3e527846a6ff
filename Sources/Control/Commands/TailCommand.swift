import API
import ArgumentParser
import Predicates

struct TailCommand: FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", _superCommandName: Glossctl.name,
        abstract: "Show new events as they are stored.",
        usage: "glossctl tail [<predicate>] [<options>]",
        discussion: """
            Begins with the last 10 events, or with all since a time. Ends with Ctrl-C. If the daemon is stopped or \
            restarted, standard error says so; the tail waits for it and continues after the last event. With \
            --no-reconnect it ends then, with status 3.

            A journal file that is read late, such as one that was copied from elsewhere, may have old events. They \
            are counted but not shown; --late shows them.

            \(Outcome.help)

            Examples:
              glossctl tail 'resolution == violating and exists user'
              glossctl tail -u shop -p warning
              glossctl tail --subsystem 'com.example.*' -g 'timed? out'
              glossctl tail --highlight 'level >= error'
              glossctl tail --late --event 'recipe_detail/*'
              glossctl tail -n0 --resolution violating -ondjson
              glossctl tail --template '{time} {level} {payload.user_id} {event}'
            """)

    @Argument(help: .predicate, completion: Completions.predicate)
    var predicate: String?

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(
        name: .letter("n"),
        help: ArgumentHelp("The number of stored events to begin with, or all (default: 10).", valueName: "number"))
    var lines: LineCount?

    @Flag(name: .long, help: "Include events that were sent before the tail began and are read now.")
    var late = false

    @Flag(name: .long, help: "End with status 3 if the daemon ends.")
    var noReconnect = false

    @OptionGroup var view: EventViewOptions

    @Option(name: .letter("o"), help: TailFormat.help)
    var output = TailFormat(.short)

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws { filters.take(predicate) }

    func run(on console: Console) async throws {
        var query = EventQuery()
        query.filter = try filters.filter(console)
        query.highlight = try view.highlight(console)
        let client = try connection.client(console)
        query = try await Self.following(query, lines, late: late, output.format, client)
        let printer = try await view.printer(output.format, view.style(text, console), client, console)
        var stream = EventStream(client: client, console: console, printer: printer)
        try await stream.follow(query, reconnects: !noReconnect)
    }

    /// The query of the tail.
    static func following(
        _ query: EventQuery, _ lines: LineCount?, late: Bool, _ output: EventFormat, _ client: ControlClient
    ) async throws -> EventQuery {
        guard output != .json else {
            throw ControlError.wrongUsage("following never ends, and so would the array of -o json: use -o ndjson")
        }
        guard query.filter[.until].isEmpty else {
            throw ControlError.wrongUsage("--until ends the range: it does not go with following")
        }
        var query = query
        query.follow = true
        query.late = late
        let wanted: LineCount =
            if let lines { lines } else { try await client.hasRange(query.filter) ? .all : .last(10) }
        switch wanted {
        case .last(let number): query.limit = number
        case .first:
            throw ControlError.wrongUsage(
                "-n +N begins with the oldest events: following begins with the newest; write -n N")
        case .all: query.after = 0
        }
        return query
    }
}
