package import ArgumentParser
import Model
import Predicates

/// What the text of events shows.
package struct EventViewOptions: ParsableArguments {
    @Flag(name: .long, help: "Show the parameters that all events have in common, too.")
    package var all = false

    @Flag(name: .long, help: "Show the time since the previous event, too.")
    package var delta = false

    @Flag(
        name: .long,
        help: "Show only the parameters that differ from the previous event of the same definition and user.")
    package var diff = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Mark the events that match a predicate; none is left out.", valueName: "predicate"),
        completion: Completions.predicate)
    package var highlight: String?

    @Flag(name: .long, help: "Do not cut lines at the terminal's width.")
    package var full = false

    package init() {}

    func style(_ text: TextOptions, _ console: Console) -> Style {
        var style = text.style(console)
        style.showsCommon = all
        style.showsDelta = delta
        style.showsHighlight = highlight != nil
        style.isCut = !full
        return style
    }

    /// Returns the predicate as the daemon understands it.
    func highlight(_ console: Console) throws(ControlError) -> String? {
        try highlight.map { text throws(ControlError) in
            try UserPredicates.absolute(text, TimeExpression(now: console.now(), zone: console.zone), console)
        }
    }

    /// Returns what prints events as these options, and those of the command, say.
    func printer(
        _ format: EventFormat, _ chosen: FieldOptions, _ style: Style, _ client: ControlClient, _ console: Console
    ) async throws -> EventPrinter {
        let selection = try chosen.selection(format, style.zone)
        return EventPrinter(
            format: format, selection: selection, differences: try await differences(format, selection, client),
            style: style, console: console, common: CommonParameters(client: client))
    }

    /// Returns what differs from one event to the next; `nil` if that is not asked for.
    private func differences(
        _ format: EventFormat, _ selection: EventSelection?, _ client: ControlClient
    ) async throws -> EventDifferences? {
        if highlight != nil, format == .cat, selection == nil {
            throw ControlError.wrongUsage("-o cat has no place for the marks of --highlight")
        }
        guard diff else { return nil }
        guard format == .short || format == .shortISO, selection == nil else {
            throw ControlError.wrongUsage("--diff goes with -o short or short-iso, and all of an event")
        }
        return try await EventDifferences(users: client.users())
    }
}
