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
                        "timeout 5 \(GlossInstance.programs.path)/glossctl --socket \(instance.socket) \(arguments)"
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
