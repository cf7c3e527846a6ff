import API
import ArgumentParser

struct ShowCommand: PagedCommand, FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", _superCommandName: Glossctl.name,
        abstract: "Show stored events.",
        usage: "glossctl show [<predicate>] [<options>]",
        discussion: """
            Prints the last 100 events, the oldest first; or all events of a range (--since, --until, --last, --boot), in \
            the order in which they arrived. On a terminal, a mark shows the resolution: ✓ resolved, ✗ violating, ? undefined, - unkeyed, ! malformed.

            \(Outcome.help) When no event matches, standard error says so.

            Examples:
              glossctl show 'level >= error and user == 42'
              glossctl show -n20 --event 'recipe_detail/*'
              glossctl show -b -u shop -p warning
              glossctl show -S today --resolution violating,undefined
              glossctl show --last 1h -p err -ondjson | jq .payload
              glossctl show -fn50 -t shop -g 'timed? out'
              glossctl show --last 1h --event 'recipe_detail/*' -o cat
              glossctl show --last 1h --user 42 --diff --highlight 'level >= error'
              glossctl show --after-cursor "$(cat last-cursor)" -o ndjson >> events.ndjson
              glossctl show -S today -o csv --fields time,event,payload.user_id > today.csv
            """)

    @Argument(help: .predicate, completion: Completions.predicate)
    var predicate: String?

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(
        name: .letter("n"),
        help: ArgumentHelp(
            "The number of events: N for the newest, +N for the first ones stored, or all (default: 100; all of a range).",
            valueName: "number"))
    var lines: LineCount?

    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp(
            "Begin with the event that has this cursor, in the order in which events were read.", valueName: "cursor"))
    var cursor: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Begin after the event that has this cursor.", valueName: "cursor"))
    var afterCursor: String?

    @Flag(name: .shortAndLong, help: "Newest first.")
    var reverse = false

    @Flag(name: .shortAndLong, help: "Continue with new events, like tail with the same options.")
    var follow = false

    @Flag(name: .long, help: "With --follow: include events that were sent before the command began and are read now.")
    var late = false

    @Flag(name: .long, help: "With --follow: end with status 3 if the daemon ends.")
    var noReconnect = false

    @OptionGroup var view: EventViewOptions

    @Option(name: .letter("o"), help: EventFormat.help)
    var output = EventFormat.short

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        filters.take(predicate)
        let start = try start()
        if follow && reverse { throw ValidationError("--follow shows events as they come: --reverse cannot.") }
        if case .first = lines, follow || reverse {
            throw ValidationError("-n +N begins with the oldest events: it does not go with --follow or --reverse.")
        }
        if follow, lines != nil, start != nil {
            throw ValidationError("--follow shows all that follows a cursor: -n does not go with it.")
        }
        if case .first = lines, start != nil {
            throw ValidationError(
                "-n +N begins with the oldest events, and a cursor with another one: give one of them.")
        }
        if late && !follow { throw ValidationError("--late is for --follow: a range has all events that are there.") }
        if noReconnect && !follow { throw ValidationError("--no-reconnect is for --follow: a range has an end.") }
    }

    var hasEnd: Bool { !follow }

    private func start() throws(ValidationError) -> CursorStart? {
        try CursorStart(at: cursor, after: afterCursor)
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        var query = try await query(client, console)
        var stream = try await stream(client, console)
        try await start()?.apply(to: &query, client, console)
        if follow {
            try await stream.follow(query, reconnects: !noReconnect)
        } else {
            try await stream.print(query)
        }
    }

    private func query(_ client: ControlClient, _ console: Console) async throws -> EventQuery {
        var query = EventQuery()
        query.filter = try filters.filter(console)
        query.highlight = try view.highlight(console)
        if follow { return try await TailCommand.following(query, lines, late: late, output, client) }
        let wanted: LineCount =
            if let lines { lines } else if try start() != nil { .all } else {
                try await client.hasRange(query.filter) ? .all : .last(100)
            }
        switch wanted {
        case .last(let number): query.limit = number
        case .first(let number):
            // In the order in which they were stored.
            query.after = 0
            query.limit = number
        case .all: query.limit = nil
        }
        query.order = reverse ? .newest : .oldest
        return query
    }

    private func stream(_ client: ControlClient, _ console: Console) async throws -> EventStream {
        let style = view.style(text, console)
        let printer = try await view.printer(output, style, client, console)
        return EventStream(client: client, console: console, printer: printer, zone: style.zone)
    }
}
