import Foundation
import TestSupport
import Testing

/// What real shells make of a line at a tab, by the scripts that `make docs` makes.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Requirement.shells == nil, "\(Requirement.shells ?? "")"))
struct CompletionTests {
    /// In a folder that has names of commands and values as well, and the last word after the tab.
    private static let lines = [
        ("glossctl defini", "definitions"), ("glossctl definitions", "definitions"), ("glossctl lint", "lint"),
        ("glossctl show --level cri", "crit"), ("glossctl export --csv cri", "crit/"),
        ("glossctl lint --config gl", "gloss.yaml"), ("glossctl lint defi", "definitions/"),
    ]
    private static let names = ["definitions/a.md", "crit/a.md", "lints/a.md", "gloss.yaml"]

    @Test(arguments: ["bash", "zsh", "fish"]) func `words are completed by what may stand there`(shell: String)
        async throws
    {
        try await GlossInstance.with { instance in
            for name in Self.names { try instance.write("", to: "here/\(name)") }
            let script = try await GlossInstance.run(
                GlossInstance.root.appending(path: ".make/completions").path,
                [GlossInstance.programs.path, "glossctl", shell])
            #expect(script.status == 0, "\(script.errors)")
            try instance.write(script.text, to: "script")
            let completed = try await shell == "fish" ? fish(instance) : terminal(shell, instance)
            #expect(completed == Self.lines.map(\.1))
        }
    }

    /// fish says by itself what it would offer.
    private func fish(_ instance: GlossInstance) async throws -> [String] {
        let questions = Self.lines.map { "complete -C '\($0.0)'" }.joined(separator: "\n")
        let output = try await GlossInstance.run(
            "/usr/bin/fish",
            ["--no-config", "-c", "cd \(instance.path("here"))\nsource \(instance.path("script"))\n\(questions)"],
            environment: ["HOME": instance.path("here")])
        return output.lines.map { String($0.prefix { $0 != "\t" }) }
    }

    /// The others need a terminal, on which the lines are typed; the command that they call shows its words.
    private func terminal(_ shell: String, _ instance: GlossInstance) async throws -> [String] {
        let settings = shell == "zsh" ? "autoload -Uz compinit\ncompinit -D -u\nsetopt no_auto_remove_slash\n" : ""
        let start = """
            \(settings)source \(instance.path("script"))
            glossctl() { printf '<%s>' "$@"; }

            """
        try instance.write(start, to: ".zshrc")
        let command = shell == "zsh" ? "zsh -d -i" : "bash --rcfile ../.zshrc -i"
        let output = try await GlossInstance.run(
            "/usr/bin/script", ["-qec", "cd \(instance.path("here")) && \(command)", "/dev/null"],
            input: Self.lines.map { "\($0.0)\t\n" }.joined(),
            environment: ["TERM": "dumb", "ZDOTDIR": instance.path(".")])
        return output.text.matches(of: /<([^<>]*)>(?!<)/).map { String($0.1) }
    }
}
