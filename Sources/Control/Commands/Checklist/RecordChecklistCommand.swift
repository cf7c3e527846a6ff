import API
import ArgumentParser
import Linux
import Model
import Predicates

struct RecordChecklistCommand: FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Print a list of the events that a session sends.",
        discussion: """
            Use the app while it waits, and press Enter or Ctrl-C at the end: every event that was sent meanwhile is an item, in the order \
            of their first times. With --since or --last it takes stored events, and does not wait. The list goes to standard \
            output; in a pipe, Ctrl-C would end the other program, too. If glossd has not read all of the session after a minute, the list \
            has what was read, and the exit status is 1. Events that no dictionary defines, or that violate their definition, have a note.

            \(Outcome.help)

            Examples:
              glossctl checklist record release --user 42 > release.yaml
              glossctl checklist record release --last 10m 's=com.example.shop' > r.yaml
            """)

    @Argument(help: ArgumentHelp("The name of the list.", valueName: "name"))
    var name: String

    @Argument(
        help: ArgumentHelp("Which events belong to the session.", valueName: "predicate"),
        completion: Completions.predicate)
    var predicate: String?

    @Option(name: .long, help: "yaml or markdown.")
    var format = ChecklistFormat.yaml

    @OptionGroup(title: "Filters") var filters: FilterOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        try ChecklistWriter.check(name: name)
        filters.take(predicate)
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        var query = StatsQuery()
        query.filter = try filters.filter(console)
        (query.keys, query.top) = (["event", "resolution"], StatsQuery.maximumTop)
        var unread: String?
        if try await !client.hasRange(query.filter) {
            // Asked first, so that nobody uses the app for a daemon that is not there.
            _ = try await client.status()
            let start = console.now()
            console.writeError("Recording. Use the app, then press Enter or Ctrl-C.")
            try await Self.waitForEnd(console)
            // An event has the time at which journald took it.
            let end = console.now() + JournalWait.settlingMicroseconds
            (query.filter[.since], query.filter[.until]) = ([String(start)], [String(end)])
            // Whatever happens to glossd now, nobody uses the app again for that.
            let times = [start, end].map { CivilTime.iso($0, console.zone, decimals: 6) }
            console.writeError("Recorded. Later, --since \(times[0]) --until \(times[1]) takes the same events.")
            unread = try await JournalWait(client: client, limit: .seconds(60), hasAnswered: true).unread(on: console)
        }
        try await print(query, unread: unread, from: client, on: console)
    }

    /// Prints the list of the events that match a query.
    /// - Parameter unread: why some of them may not be stored yet.
    func print(_ query: StatsQuery, unread: String?, from client: ControlClient, on console: Console) async throws {
        let stats = try await StatsTable(query, from: client, zone: console.zone)
        if let list = list(stats.reply.rows) {
            try console.answer { try list.print(on: console) }
            console.complain("\(Quantity.count(stats.reply.events, "event")) recorded")
            stats.omitted.map(console.complain)
        } else if unread == nil {
            throw ControlError.nothing("No event with a key was sent.")
        }
        guard let unread else { return }
        throw ControlError.no("events of the session may be missing: \(unread)")
    }

    /// Waits for Enter, the end of the input, or Ctrl-C.
    private static func waitForEnd(_ console: Console) async throws {
        let (end, atEnd) = AsyncThrowingStream<Never, any Error>.makeStream()
        // A read of standard input does not notice that it was interrupted.
        WorkQueue("glossctl.input").start {
            do {
                while case let bytes = try console.input(), !bytes.isEmpty, !bytes.contains(UInt8(ascii: "\n")) {}
                atEnd.finish()
            } catch {
                atEnd.finish(throwing: error)
            }
        }
        try await console.runInterruptible {
            for try await _ in end {}
            // Ends the line on which the terminal has shown ^C.
            if Task.isCancelled, console.errorWidth() != nil { console.writeError("") }
        }
        // Another signal ends the command.
        if Task.isCancelled { throw ControlError.interrupted }
    }

    private func list(_ rows: [StatsRow]) -> ChecklistWriter? {
        var list = ChecklistWriter(name: name, format: format)
        var isEmpty = true
        // The notes of an event with several resolutions are those of the worse one.
        let (undefined, violating) = (Self.events(rows, .undefined), Self.events(rows, .violating))
        for row in rows.sorted(by: { $0.firstSeen.microseconds < $1.firstSeen.microseconds }) {
            guard let event = row.values[0].value, let key = EventKey(path: event) else { continue }
            isEmpty = false
            let note: String? =
                undefined.contains(ExactString(event))
                ? "not defined" : violating.contains(ExactString(event)) ? "some violate their definition" : nil
            list.add(key, note)
        }
        return isEmpty ? nil : list
    }

    private static func events(_ rows: [StatsRow], _ resolution: Resolution) -> Set<ExactString> {
        let found = rows.filter { $0.values[1].value == resolution.rawValue }
        return Set(found.compactMap { $0.values[0].value.map { ExactString($0) } })
    }
}
