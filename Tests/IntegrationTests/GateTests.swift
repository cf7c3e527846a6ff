import Foundation
import TestSupport
import Testing

/// A report as a gate: what was sent before it is in it.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct GateTests {
    private func send(_ name: String, to journald: PrivateJournald) throws {
        try journald.send([
            "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog",
            "MESSAGE": #"{"event_category":"gate","event_name":"\#(name)","session_id":"s","platform":"ios"}"#,
        ])
    }

    private func gate(_ instance: GlossInstance, _ name: String) async throws -> GlossInstance.Output {
        try await instance.glossctl("report", "undefined", "--event", "gate/\(name)", "--fail-on", "undefined")
    }

    @Test func `an event that was sent just before the gate is in its report`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                for number in 0..<30 {
                    try send("x\(number)", to: journald)
                    let closed = try await gate(instance, "x\(number)")
                    #expect(closed.status == 1)
                    #expect(closed.errors == "glossctl: --fail-on: there are 1 undefined\n")
                }
                #expect(try await gate(instance, "nothing").status == 0)
            }
        }
    }

    @Test func `what is in the journal already when the daemon starts is waited for`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try journald.sendNumbers(1...20_000)
                try send("last", to: journald)
                try journald.sync()
                try await instance.startDaemonAndWait()
                let closed = try await gate(instance, "last")
                #expect(closed.status == 1)
                #expect(closed.errors.hasSuffix("glossctl: --fail-on: there are 1 undefined\n"))
            }
        }
    }

    @Test func `a gate that cannot know is closed`() async throws {
        try await GlossInstance.with { instance in
            try instance.configure(journal: "{namespace: gloss-test-nobody-has-this}")
            try await instance.startDaemonAndWait()
            let closed = try await instance.glossctl(
                "report", "undefined", "--fail-on", "undefined", "--timeout", "1500ms")
            #expect(closed.status == 1)
            #expect(closed.errors.contains("waiting: "))
            #expect(closed.errors.contains("--fail-on: not yet"))
            #expect(closed.errors.contains("gloss-test-nobody-has-this"))
        }
    }
}
