import Foundation
import Glibc
import TestSupport
import Testing

/// Diagnostics with the built programs and a real journal.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct DiagnosticTests {
    @Test func `what goes wrong is kept, in the journal, an event, and cleared`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}", more: "diagnostics: {events: true}")
                try await instance.startDaemonAndWait()
                let file = instance.folder.appending(path: "definitions/recipe_detail.md")
                let good = try String(contentsOf: file, encoding: .utf8)
                try good.replacing("!bigint", with: "!bigIn").write(to: file, atomically: true, encoding: .utf8)
                try await eventually("it is raised") {
                    let run = try await instance.glossctl("diagnostics")
                    return run.status == 1 && run.text.contains("dictionary.broken  shop     raised")
                }
                try await eventually("it is an event") {
                    let query = "event == diagnostic/dictionary.broken and payload.state == raised"
                    return try await instance.glossctl("show", query, "-o", "ndjson").lines.count == 1
                }
                let doctor = try await instance.glossctl("doctor")
                #expect(doctor.status == 1 && doctor.text.contains("✗ dictionary.broken: Dictionary shop has errors"))
                await instance.killDaemon()
                try good.write(to: file, atomically: true, encoding: .utf8)
                try await instance.startDaemonAndWait()
                #expect(
                    try await instance.glossctl("diagnostics").text.contains("raised"), "kept, and not cleared at once")
                let entries = try await GlossInstance.run(
                    "/usr/bin/journalctl",
                    ["--namespace", journald.namespace, "GLOSS_DIAGNOSTIC=dictionary.broken", "-o", "json"])
                #expect(entries.lines.count == 1 && entries.text.contains("e265af2fdec94885953bd19ab4bb91b8"))
                #expect(
                    entries.text.contains(#""GLOSS_SUBJECT":"shop""#)
                        || entries.text.contains(#""GLOSS_SUBJECT" : "shop""#))
                try await eventually("it is cleared") {
                    try await instance.glossctl("diagnostics").text.contains("dictionary.broken  shop     cleared")
                }
            }
        }
    }
}
