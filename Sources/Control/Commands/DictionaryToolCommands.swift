import ArgumentParser

struct LintCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", _superCommandName: Glossctl.name,
        abstract: "Check definition files, without the daemon.",
        usage: "glossctl lint [<words> ...]",
        discussion: """
            Runs gloss-dictionary lint with the same arguments; glossctl lint --help shows its help. The exit status \
            is 0 no errors, 1 errors, 2 wrong usage, 127 gloss-dictionary is not installed.

            Examples:
              glossctl lint definitions
              glossctl lint definitions --against main --strict
              glossctl lint definitions -o sarif > lint.sarif
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "The arguments of gloss-dictionary lint.", completion: .file())
    var words: [String] = []

    func run(on console: Console) async throws {
        try InstalledProgram(name: "gloss-dictionary").run(["lint"] + words, on: console)
    }
}

struct GenerateCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", _superCommandName: Glossctl.name,
        abstract: "Generate code from definition files, without the daemon.",
        usage: "glossctl generate [<words> ...]",
        discussion: """
            Runs gloss-dictionary generate with the same arguments; glossctl generate --help shows its help. The exit \
            status is 0 done, 1 stale files or wrong definitions, 2 wrong usage, 127 gloss-dictionary is not installed.

            Examples:
              glossctl generate swift definitions --output Sources/Events
              glossctl generate swift definitions --output Sources/Events --check
              glossctl generate json-schema definitions --output schemas
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "The arguments of gloss-dictionary generate.", completion: .file())
    var words: [String] = []

    func run(on console: Console) async throws {
        try InstalledProgram(name: "gloss-dictionary").run(["generate"] + words, on: console)
    }
}
