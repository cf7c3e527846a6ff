import Foundation
import TestSupport
import Testing

/// A journal field that is larger than what the daemon reads of one.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct CutFieldTests {
    @Test func `a field that was cut is shown as cut`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try journald.send([
                    "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": "plain",
                    "LARGE": String(repeating: "x", count: 5000),
                ])
                try journald.sync()
                try instance.configure(
                    journal: "{namespace: \(journald.namespace), start: oldest, max_field_size: 1KiB}")
                try await instance.startDaemonAndWait()
                try await eventually("the event is there") {
                    try await instance.glossctl("event", "1").status == 0
                }
                let json = try await instance.glossctl("event", "1", "-o", "json").text
                #expect(json.contains(#""value":"\#(String(repeating: "x", count: 1024))","cut":true}"#))
                #expect(json.components(separatedBy: #""cut":true"#).count == 2)
                let text = try await instance.glossctl("event", "1", "--full").text
                #expect(text.contains("xxx… (1 KiB; cut at max_field_size)\n"))
                #expect(text.contains("  MESSAGE=plain\n"))
            }
        }
    }
}
