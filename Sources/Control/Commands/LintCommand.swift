package import ArgumentParser

package struct LintCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check definition files, without the daemon.",
        usage: "glossctl lint [<words> ...]",
        discussion: """
            Runs gloss-dictionary lint, with every word as it is given: glossctl lint --help shows what it takes. The exit \
            status is that program's: 0 no errors, 1 some, 2 wrong usage; 127 when it is not installed.

            Examples:
              glossctl lint definitions
              glossctl lint definitions --against main --strict
              glossctl lint definitions -o sarif > lint.sarif
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "What gloss-dictionary lint is to get.", completion: .directory)
    package var words: [String] = []

    package init() {}

    func run(on console: Console) async throws {
        try InstalledProgram(name: "gloss-dictionary").run(["lint"] + words, on: console)
    }
}
