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

    /// What a gate says of itself, without that it waits, which it says after a second.
    private func reasons(_ gate: GlossInstance.Output) -> [Substring] {
        gate.errors.split(separator: "\n").filter { !$0.hasPrefix("glossctl: waiting: ") }
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
                    #expect(reasons(closed) == ["glossctl: --fail-on: there are 1 undefined"])
                }
                let unknown = try await gate(instance, "nothing")
                #expect(unknown.status == 1)
                #expect(unknown.errors.contains("--allow-unknown") && unknown.errors.contains("--allow-empty"))
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
                #expect(closed.errors.contains("glossctl: --fail-on: there are 1 undefined\n"))
                #expect(closed.errors.contains("20,000 of 20,001 events are unkeyed, which --event cannot leave out"))
            }
        }
    }

    /// What a team writes into its CI, and each way in which it must not pass.
    @Test func `nothing that was sent wrongly, or not at all, passes`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                func send(_ category: String, _ message: String) throws {
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "CATEGORY": category, "MESSAGE": message,
                    ])
                }
                func gate(_ arguments: String...) async throws -> GlossInstance.Output {
                    try await instance.glossctl(
                        ["report", "--fail-on", "undefined,violations", "-o", "csv"] + arguments)
                }
                func expectClosed(
                    _ output: GlossInstance.Output, by flag: String, sourceLocation: SourceLocation = #_sourceLocation
                ) {
                    #expect(output.status == 1, sourceLocation: sourceLocation)
                    #expect(output.errors.contains(flag), "\(output.errors)", sourceLocation: sourceLocation)
                }
                let common = #""session_id":"s","platform":"ios""#
                let show = #"{"event_category":"recipe_detail","event_name":"show",\#(common),"recipe_id":1}"#
                expectClosed(try await gate(), by: "--allow-empty")

                try send("Malformed", String(show.dropLast()))
                expectClosed(try await gate("--category", "Malformed"), by: "--allow-malformed")
                expectClosed(try await gate("--category", "Malformed", "--allow-malformed"), by: "--allow-empty")
                try send("Unkeyed", #"{"level":"info"}"#)
                expectClosed(try await gate("--category", "Unkeyed"), by: "--allow-unkeyed")
                try send("ActivityLog", show.replacing("event_name", with: "event_nmae"))
                let misspelt = try await gate("--category", "ActivityLog")
                expectClosed(misspelt, by: "1 of 1 event is unkeyed")
                expectClosed(misspelt, by: "--allow-empty")
                let printed = try await instance.glossctl("report", "unkeyed", "--category", "ActivityLog")
                #expect(printed.text.contains("no event_name: event_nmae looks like it"), "\(printed.text)")

                try send("Good", "a line")
                expectClosed(try await gate("--category", "Good"), by: "--allow-empty")
                try journald.send(["SUBSYSTEM": "com.example.good", "CATEGORY": "ActivityLog", "MESSAGE": show])
                let good = try await gate("--subsystem", "com.example.good")
                #expect(good.status == 0, "\(good.errors)")
                #expect(reasons(good) == ["glossctl: examined 1 event: 1 resolved"])
                // One misspelt event among good ones.
                try journald.send([
                    "SUBSYSTEM": "com.example.good", "CATEGORY": "ActivityLog", "MESSAGE": #"{"event_nmae":"show"}"#,
                ])
                expectClosed(try await gate("--subsystem", "com.example.good"), by: "1 of 2 events is unkeyed")

                expectClosed(try await gate("--subsystem", "com.exmaple.*"), by: "--allow-unknown")
                let unseen = try await instance.glossctl(
                    "report", "unseen", "--event", "recipe_detail/tap_sve", "--fail-on", "unseen")
                expectClosed(unseen, by: "--allow-unknown")
                let tomorrow = try await gate("--since", "tomorrow")
                #expect(tomorrow.status == 2 && tomorrow.errors.contains("in the future"))
                let json = try await instance.glossctl("report", "undefined", "--last", "1h", "-o", "json")
                #expect(
                    json.text.contains(#""scope":{"events":{"malformed":1,"plain":1,"resolved":1,"unkeyed":3}}"#))
            }
        }
    }

    @Test func `entries that were deleted unread close it, but for a range after them`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                func sendGood() throws {
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog",
                        "MESSAGE":
                            #"{"event_category":"recipe_detail","event_name":"show","session_id":"s","platform":"ios","recipe_id":1}"#,
                    ])
                }
                try sendGood()
                func gate(_ arguments: String...) async throws -> GlossInstance.Output {
                    try await instance.glossctl(["report", "violations", "--fail-on", "violations"] + arguments)
                }
                #expect(try await gate().status == 0)
                #expect(await instance.stopDaemon() == 0)
                try journald.sendNumbers(1...3000)
                try journald.sync()
                try journald.rotate()
                try journald.vacuum()
                try sendGood()
                try journald.sync()
                try await instance.startDaemonAndWait()
                let closed = try await gate("--last", "1h")
                #expect(closed.status == 1)
                #expect(
                    closed.errors.contains("1 gap in the range, missing, at most 3,0"), "\(closed.errors)")
                #expect(try await gate("--last", "1h", "--allow-gaps").status == 0)
                let later = Int(Date().timeIntervalSince1970) + 1
                try await eventually("the next second") { Int(Date().timeIntervalSince1970) >= later }
                try sendGood()
                let after = try await gate("--since", "@\(later)")
                #expect(after.status == 0, "\(after.errors)")
            }
        }
    }

    @Test func `a gate that cannot know is closed`() async throws {
        try await GlossInstance.with { instance in
            try instance.configure(journal: "{namespace: gloss-test-nobody-has-this}")
            try await instance.startDaemonAndWait()
            let closed = try await instance.glossctl(
                "report", "undefined", "--fail-on", "undefined", "--timeout", "10s")
            #expect(closed.status == 1)
            #expect(closed.errors.contains("waiting: "))
            #expect(closed.errors.contains("--fail-on: not yet"))
            #expect(closed.errors.contains("gloss-test-nobody-has-this"))
        }
    }
}
