import Testing

@testable import Control

/// Words that other programs have, and the answers they get.
@Suite struct ForeignWordsTests {
    private func errors(_ line: String) async -> String {
        let run = await Run.glossctl(line.split(separator: " ").map(String.init), width: 200)
        #expect(run.status == .wrongUsage && run.output.isEmpty)
        return run.errors
    }

    @Test(arguments: [
        ("logs", "glossctl show prints events"),
        ("ls", "glossctl show prints events, and glossctl definitions what is defined"),
        ("list", "glossctl show prints events, and glossctl definitions what is defined"),
        ("grep x", "glossctl show -g PATTERN finds events, and glossctl search WORDS definitions"),
        ("errors", "glossctl show -p err prints them"), ("users", "glossctl values user lists them"),
        ("count", "glossctl stats counts events"), ("stop", "systemctl starts and stops glossd"),
        ("config", "glossd --check reads the settings"), ("version", "write glossctl --version"),
        (
            "check",
            "glossctl doctor checks the installation, glossctl lint definitions, and glossd --check the settings"
        ),
        ("stat", "did you mean status?"), ("tial", "did you mean tail?"), ("frob", "glossctl --help lists them"),
    ])
    func `a command of another program is answered with one of glossctl`(line: String, hint: String) async {
        let word = line.split(separator: " ")[0]
        #expect(await errors(line) == "glossctl: there is no command \(word); \(hint)\n")
    }

    @Test(arguments: [
        ("alerts show x", "there is no command alerts show; there are list, history, try, test, silence"),
        ("alerts mute x", "there is no command alerts mute; there are list, history, try, test, silence"),
        (
            "checklist check f",
            "there is no command checklist check; there are list, show, start, wait, reset, stop, remove, export, new, record"
        ), ("alerts hsitory", "there is no command alerts hsitory; did you mean history?"),
    ])
    func `a subcommand that is not there is answered with those that are`(line: String, message: String) async {
        #expect(await errors(line) == "glossctl: \(message)\n")
    }

    @Test(
        arguments: [
            ("show --json", "-o json"), ("show --limit 3", "-n"), ("show --count", "-n"), ("show --tail 5", "-n"),
            ("show --query x", "--predicate"), ("show --sort x", "--reverse"), ("show --from x", "--since"),
            ("show --watch", "--follow"), ("status --json", "-o json"), ("show --sbsystem x", "--subsystem"),
            ("show --jsonl", "-o ndjson"), ("--socket x stats --group event", "--by"),
            // Commands without the option that would be meant, and options that are like none.
            ("definitions --limit", nil), ("status --jsonl", nil), ("show --frob", nil), ("show -y", nil),
        ] as [(String, String?)])
    func `an option is answered with one that it may be`(line: String, meant: String?) async {
        let hint = meant.map { ". Did you mean '\($0)'?" } ?? ""
        let word = line.split(separator: " ").last { $0.hasPrefix("-") } ?? ""
        #expect(await errors(line).hasPrefix("Error: Unknown option '\(word)'\(hint)\n"))
    }

    @Test(
        arguments: [
            ("show -o jsonl", "ndjson"), ("show -o verbose", "full"), ("show -o pretty", "full"),
            ("show -o table", "markdown"), ("stats -o table", "text"), ("status -o yaml", "json"),
            ("show -o cvs", "csv"),
            ("definitions --state unsene", "unseen"), ("show -o xml", nil), ("status -o jsonl", "json"),
        ] as [(String, String?)])
    func `a value is answered with one that it may be`(line: String, meant: String?) async throws {
        let errors = await errors(line)
        let hint = try #require(errors.firstMatch(of: #/invalid for '[^']*'\. (?:Did you mean '([^']*)'\? )?Please/#))
        #expect(hint.1.map(String.init) == meant, "\(errors)")
    }
}
