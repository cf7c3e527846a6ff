import ArgumentParser
import Model

/// What is shown of events.
struct EventViewOptions: ParsableArguments {
    @Flag(name: .long, help: "Show the parameters that all events have in common, too.")
    var all = false

    @Flag(name: .long, help: "Show the time since the previous event, too.")
    var delta = false

    @Flag(
        name: .long,
        help: "Show only the parameters that differ from the previous event of the same definition and user.")
    var diff = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Mark the events that match a predicate; none is left out.", valueName: "predicate"),
        completion: Completions.predicate)
    var highlight: String?

    @Flag(name: .long, help: "Do not cut lines at the terminal's width.")
    var full = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print only these, such as time,event,payload.user_id: keys of predicates, parameters as payload.NAME, payload, uid, cursor, highlighted. With -o csv, markdown, json, ndjson or cat (separated by tabs).",
            valueName: "fields"), completion: Completions.fields)
    var fields: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A line of text for each event, such as '{time} {level} {payload.user_id}'. \\t is a tab, \\n a line break, \\\\ a backslash.",
            valueName: "text"))
    var template: String?

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
        _ format: EventFormat, _ style: Style, _ client: ControlClient, _ console: Console
    ) async throws -> EventPrinter {
        var style = style
        style.hasISOTimes = format == .shortISO
        let form = try form(format, style)
        for (option, isGiven) in [("--delta", delta), ("--diff", diff)] where isGiven {
            guard case .lines = form else {
                throw ControlError.wrongUsage("\(option) goes with -o short or short-iso, and all of an event")
            }
        }
        return EventPrinter(
            form, differences: diff ? EventDifferences(users: try await client.users()) : nil, style: style,
            console: console, common: CommonParameters(client: client))
    }

    private func form(_ format: EventFormat, _ style: Style) throws(ControlError) -> EventPrinter.Form {
        if let template {
            guard fields == nil, format == .short else {
                throw .wrongUsage("--template says what is printed: it does not go with --fields or -o")
            }
            let template = try EventTemplate(template)
            guard highlight == nil || template.members.contains("highlighted") else {
                throw .wrongUsage("--highlight needs {highlighted} in the template")
            }
            return .template(template, style.zone)
        }
        let form: EventTable.Form
        switch format {
        case .csv: form = .csv
        case .markdown: form = .markdown
        case .json where fields != nil: form = .json
        case .ndjson where fields != nil: form = .ndjson
        case .cat where fields != nil, .short where fields != nil: form = .tabs
        case .shortISO where fields != nil, .full where fields != nil:
            throw .wrongUsage("--fields goes with -o csv, markdown, json, ndjson or cat")
        case .short, .shortISO: return .lines
        case .full: return .full
        case .cat:
            guard highlight == nil else { throw .wrongUsage("-o cat has no place for the marks of --highlight") }
            return .contents
        case .json: return .unchanged(isArray: true)
        case .ndjson: return .unchanged(isArray: false)
        }
        let fields = try EventField.list(self.fields ?? EventField.usual)
        guard highlight == nil || fields.contains(where: { $0.members.contains("highlighted") }) else {
            throw .wrongUsage("--highlight needs the field highlighted, such as --fields time,event,highlighted")
        }
        return .table(EventTable(form, of: fields, style))
    }
}
