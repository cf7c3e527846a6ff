import ArgumentParser

/// How often a view is drawn again.
struct IntervalOption: ParsableArguments {
    @Option(
        name: .customLong("interval"),
        help: ArgumentHelp("Seconds between two drawings, from 0.2 (default: 2).", valueName: "seconds"))
    private var given: Double?

    var interval: Double { given ?? 2 }
    var isGiven: Bool { given != nil }

    mutating func validate() throws {
        guard (0.2...3600).contains(interval) else {
            throw ValidationError("--interval \(interval): write a number of seconds from 0.2 to 3600.")
        }
    }
}
