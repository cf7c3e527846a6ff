import Foundation
import TestSupport
import Testing

/// What a terminal gets, by a real one: a pseudo-terminal that script(1) makes.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct TerminalTests {
    private static let script = Tool("/usr/bin/script", package: "bsdutils")

    @Test(.enabled(if: script.reasonToSkip == nil, "\(script.reasonToSkip ?? "")"))
    func `JSON that is written to a terminal has nothing that it acts on; a pipe gets what was sent`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                let hostile = "\u{9B}31m\u{202E}gnp\u{7F}"
                for message in ["a line \(hostile)", "{\"event_category\":\"x\",\t\"event_name\":\"\(hostile)\"}"] {
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": message,
                    ])
                }
                try await eventually("both are stored") { try await instance.events().count == 2 }
                for arguments in [
                    "show -o ndjson", "show -o json", "event 2 -o json", "report undefined -o json",
                    "tail -n 2 -o ndjson",
                ] {
                    let command =
                        "GLOSS_PAGER= timeout 5 \(GlossInstance.programs.path)/glossctl --socket \(instance.socket) \(arguments)"
                    let shown = try await GlossInstance.run(
                        Self.script.path, ["-qec", command, "/dev/null"]
                    ).text
                    #expect(shown.contains(#"\u009b31m\u202egnp\u007f"#), "\(arguments): \(shown)")
                    let lines = shown.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }
                    #expect(lines.allSatisfy { ![0x7F, 0x9B, 0x202E, 0x09].contains($0.value) }, "\(arguments)")
                    let piped = try await GlossInstance.run("/bin/sh", ["-c", command]).text
                    #expect(piped.contains(hostile), "\(arguments)")
                }
            }
        }
    }
}

/// What each program says about words of its command line, which may be pasted from elsewhere.
@Suite struct TerminalErrorTests {
    private static let word = "x\u{1B}]0;title\u{7}\u{9B}31m\u{202E}"

    private static let commands: [(program: String, arguments: [String], status: Int32)] = [
        ("glossctl", ["show", "--where", word], 2), ("glossctl", ["show", "--since", word], 2),
        ("glossctl", ["event", word], 2),
        ("glossctl", ["report", "--fail-on", word], 2),
        ("glossctl", ["report", "--fail-on", "undefined", "--timeout", word], 2),
        ("glossctl", ["show", "--resolution", word], 2), ("glossctl", ["status", "--socket", "/\(word)"], 3),
        ("glossctl", ["emit", "--namespace", word, "--subsystem", "a", "--category", "b", "text"], 2),
        ("glossctl", ["--\(word)"], 2), ("glossctl", [word], 2),
        ("gloss-dictionary", ["lint", "/\(word)"], 2), ("gloss-dictionary", ["lint", "--\(word)"], 2),
        ("gloss-dictionary", [word], 2),
        ("glossd", ["--\(word)"], 2), ("glossd", ["--log-level", word], 2), ("glossd", [word], 2),
        ("glossd", ["--check", "--config", "/\(word)"], 78),
        ("gloss-receiver", ["--\(word)"], 2), ("gloss-receiver", ["--answer", word], 2),
        ("gloss-receiver", ["--output", "/nowhere/\(word)"], 1),
        ("gloss-receiver", ["--token-file", "/nowhere/\(word)"], 1),
    ]

    @Test(arguments: commands.indices) func `has nothing that a terminal acts on`(index: Int) async throws {
        let (program, arguments, status) = Self.commands[index]
        let output = try await GlossInstance.run(
            GlossInstance.programs.appending(path: program).path, arguments)
        #expect(output.status == status, "\(output.errors)")
        #expect(output.errors.contains(#"x\u001b]0;title\u0007\u009b31m\u202e"#), "\(output.errors)")
        #expect(terminalControls(in: output.errors) == [])
        #expect(output.text.isEmpty)
    }
}
