import ArgumentParser
import Model
import Testing

@testable import Control

@Suite struct HelpTests {
    private static let ofOtherPrograms = ["lint", "generate"]
    private static let commands = Glossctl.configuration.subcommands.flatMap { command in
        let name = command.configuration.commandName ?? ""
        return [name] + command.configuration.subcommands.map { "\(name) \($0.configuration.commandName ?? "")" }
    }.filter { !ofOtherPrograms.contains($0) }

    @Test(arguments: commands)
    func `each command explains itself`(command: String) async throws {
        let run = await Run.glossctl(command.split(separator: " ").map(String.init) + ["--help"])
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
        try expectSnapshot(run.output, "help-\(command.replacing(" ", with: "-"))")
    }

    @Test(arguments: ofOtherPrograms)
    func `what another program does explains itself without that program`(command: String) async throws {
        let run = await Run.glossctl("help", command)
        #expect(run.status == .done)
        try expectSnapshot(run.output, "help-\(command)")
    }

    @Test func `glossctl explains itself`() async throws {
        let run = await Run.glossctl("--help")
        #expect(run.status == .done)
        try expectSnapshot(run.output, "help")
        #expect(await Run.glossctl().output == run.output)
    }

    @Test func `help fits an 80-column terminal`() async {
        for command in ["show", "emit", "report"] {
            let run = await Run.glossctl(command, "--help", width: 80)
            let options = run.output.split(separator: "\n").drop {
                !$0.hasPrefix("OPTIONS") && !$0.hasPrefix("FILTERS")
            }
            #expect(options.allSatisfy { DisplayWidth.columns($0) <= 80 })
            #expect(!options.isEmpty)
        }
    }

    @Test(arguments: commands + ofOtherPrograms)
    func `examples fit an 80-column terminal, so that they can be copied`(command: String) async {
        func examples(_ width: Int) async -> [Substring] {
            let run = await Run.glossctl(["help"] + command.split(separator: " ").map(String.init), width: width)
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            return Array(lines.drop { $0 != "Examples:" }.prefix { !$0.isEmpty })
        }
        #expect(await examples(80) == examples(200))
    }

    @Test func `the version is printed`() async {
        let run = await Run.glossctl("--version")
        #expect(run.status == .done)
        #expect(run.output == "0.1.0\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `shells get their completions`(shell: String) async {
        let run = await Run.glossctl("--generate-completion-script", shell)
        #expect(run.status == .done)
        #expect(run.output.contains("short-iso"))
    }

    @Test(arguments: [
        ["--nonsense"], ["nonsense"], ["show", "-n", "many"], ["show", "-n", "-1"], ["show", "-o", "xml"],
        ["status", "-o", "ndjson"], ["tail", "-o", "json"], ["show", "-f", "-o", "json"], ["show", "-f", "-r"],
        ["show", "--late"],
        ["event"], ["event", "0"], ["event", "x"], ["event", "1", "0"], ["gaps", "-o", "cat"],
        ["show", "--no-reconnect"], ["definitions", "a/b"], ["definitions", "show"],
        ["definitions", "show", "x/"], ["definitions", "show", "/x"], ["definitions", "--state", "lost"],
        ["search"], ["search", " "], ["report", "unknown"], ["report", "--fail-on", "undefined,"],
        ["report", "--fail-on", "lost"], ["report", "unseen", "--fail-on", "undefined"], ["report", "-o", "xml"],
        ["report", "--where", "x"], ["report", "--since", "soon"], ["emit", "{}"],
        ["emit", "--subsystem", "s", "--category", "c", "--level", "loud", "{}"],
        ["emit", "--subsystem", "s", "--category", "c", "--field", "X", "{}"],
        ["show", "--since", "soon"], ["show", "--until", "5 parsecs ago"], ["show", "--last", "ages"],
        ["show", "--level", "loud"], ["show", "--event", "tap"], ["show", "--resolution", "bad"],
        ["show", "--boot", "1"],
        ["show", "--last", "5m", "--since", "today"], ["show", "--since", "now", "--until", "-5m"],
        ["verify", "--since", "soon"], ["verify", "--since", "+5m"], ["verify", "-o", "ndjson"],
        ["tail", "--until", "now"], ["show", "--color", "blue"], ["--socket", "", "status"],
    ])
    func `wrong usage ends with 2 and says what is wrong`(arguments: [String]) async {
        let run = await Run.glossctl(arguments)
        #expect(run.status == .wrongUsage)
        #expect(run.output.isEmpty)
        #expect(!run.errors.isEmpty)
    }

    @Test func `a wrong time is answered with right ones`() async {
        let run = await Run.glossctl("show", "--since", "soon")
        #expect(
            run.errors == "glossctl: --since soon: not a time; write one such as \(TimeExpression.examples)\n")
    }

    @Test(arguments: [
        ("help frob", "glossctl --help"), ("help definitions frob", "glossctl definitions --help"),
        ("help status frob", "glossctl --help"),
    ])
    func `help of a command that is not there is wrong usage`(line: String, lister: String) async {
        let run = await Run.glossctl(line.split(separator: " ").map(String.init))
        #expect(run.status == .wrongUsage)
        #expect(run.output.isEmpty)
        #expect(run.errors == "glossctl: \(line): there is no such command; \(lister) lists them\n")
        #expect(await Run.glossctl("help", "definitions", "list").status == .done)
    }
}
