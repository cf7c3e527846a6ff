import ArgumentParser

/// How often a view is drawn again.
struct IntervalOption: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Seconds between two drawings, from 0.2.", valueName: "seconds"))
    var interval = 2.0

    init() {}

    mutating func validate() throws {
        guard (0.2...3600).contains(interval) else {
            throw ValidationError("--interval \(interval): write a number of seconds from 0.2 to 3600.")
        }
    }
}
