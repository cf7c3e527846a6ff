import ArgumentParser

/// `glossctl lint`: checks definition files.
struct LintSubcommand: DictionarySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check definition files.",
        discussion: """
            Says what daifuku's renderer would drop or misread without a word, which rules are broken, and what to \
            write instead. Each rule is described in docs/lint.md. Needs no daemon.

            Exit status: 0 no errors (with --strict, no warnings either); 1 there are some; 2 wrong usage.

            Examples:
              glossctl lint definitions
              glossctl lint definitions --against main
              glossctl lint definitions --config gloss.yaml -o sarif > lint.sarif
            """)

    @OptionGroup var source: DictionarySource

    @Option(
        help: ArgumentHelp(
            "Also say what breaks events that kept to an earlier version: a folder, or a revision of git.",
            valueName: "git-ref|path"))
    var against: String?

    @Option(name: .shortAndLong, help: "text, json or sarif.")
    var output = LintFormat.text

    @Flag(help: "Warnings count as errors for the exit status.")
    var strict = false

    func run(on console: ToolConsole) async throws {
        var report = LintReport()
        for set in try source.sets(console) { try report.add(set, against: against) }
        try console.output(report.text(output, on: console))
        console.errors((report.notes + [report.summary]).map { "\($0)\n" }.joined())
        if report.errors > 0 || (strict && report.warnings > 0) { throw CommandFailure(.no) }
    }
}

enum LintFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json, sarif
}
