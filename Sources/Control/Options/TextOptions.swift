import ArgumentParser
import Model

/// The options for the appearance of text. All commands that print text have the same, whether a pager shows it or not.
struct TextOptions: ParsableArguments {
    @Flag(name: .long, help: "Times in UTC instead of local time.")
    var utc = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "auto, always or never; auto uses colours on a terminal unless NO_COLOR is set.", valueName: "when"))
    var color = ColourChoice.auto

    @Flag(name: .long, help: "Write directly to the terminal, without a pager.")
    var noPager = false

    /// The zone of times that are printed.
    func zone(_ console: Console) -> Zone { utc ? .utc : console.zone }

    func style(_ console: Console) -> Style {
        let width = console.terminalWidth()
        return Style(
            width: width, isColoured: color.isColoured(console),
            // Not all pagers pass such sequences on.
            hasLinks: width != nil && !console.isPaged && console.environment["TERM"] != "dumb",
            zone: zone(console),
            now: console.now())
    }
}

enum ColourChoice: String, Choice {
    case auto, always, never

    /// - Source: https://no-color.org: the variable counts if it is not empty
    func isColoured(_ console: Console) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            console.terminalWidth() != nil && (console.environment["NO_COLOR"] ?? "").isEmpty
                && console.environment["TERM"] != "dumb"
        }
    }
}
