import API
import ArgumentParser
import Model

/// The options that make a report a gate.
struct GateOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Exit with status 1 if one of these reports has rows.", valueName: "report,..."))
    var failOn: [ReportList] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long --fail-on waits for events sent before the command (default: 60s).", valueName: "time span"))
    var timeout: String?

    @Flag(name: .long, help: "Pass even if no event with a key was examined.")
    var allowEmpty = false

    @Flag(name: .long, help: "Pass even if nothing has a name in --subsystem, --category or --event.")
    var allowUnknown = false

    @Flag(name: .long, help: "Pass even if entries of the range are missing.")
    var allowGaps = false

    @Flag(name: .long, help: "Pass even if events are unkeyed.")
    var allowUnkeyed = false

    @Flag(name: .long, help: "Pass even if events are malformed.")
    var allowMalformed = false

    mutating func validate() throws {
        if failing.isEmpty {
            if timeout != nil { throw ValidationError("--timeout is for --fail-on: only that waits.") }
            if let flag = allowing.first { throw ValidationError("\(flag) is for --fail-on: only that fails.") }
        }
        for (report, isAllowed) in [(ReportKind.unkeyed, allowUnkeyed), (.malformed, allowMalformed)]
        where isAllowed && failing.contains(report) {
            throw ValidationError("--fail-on \(report.rawValue) and --allow-\(report.rawValue) exclude each other.")
        }
    }

    /// The reports, in their fixed order.
    var failing: [ReportKind] {
        let all = failOn.flatMap(\.reports)
        return ReportKind.allCases.filter(all.contains)
    }

    private var allowing: [String] {
        [
            ("--allow-empty", allowEmpty), ("--allow-unknown", allowUnknown), ("--allow-gaps", allowGaps),
            ("--allow-unkeyed", allowUnkeyed), ("--allow-malformed", allowMalformed),
        ].filter(\.1).map(\.0)
    }

    func waitLimit() throws(ControlError) -> Duration {
        guard let timeout else { return .seconds(60) }
        return try TimeOption.duration("--timeout", timeout)
    }
}
