import Foundation
import Glibc
import TestSupport
import Testing

/// Alerts with the built programs, a real journal, and a program as the notifier.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct AlertTests {
    @Test func `a notifier gets a notice of errors, once, also after a restart, and of their end`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                let notices = instance.path("notices")
                try instance.write(
                    """
                    journal: {namespace: \(journald.namespace)}
                    sources: [{subsystem: "com.example.*"}]
                    store: {path: events.sqlite}
                    control: {socket: control.sock}
                    notifiers:
                      - {name: page, type: command, command: [/bin/sh, -c, 'cat >> \(notices); echo >> \(notices)'], template: "{{state}} {{text}}"}
                    alerts:
                      - {name: errors, predicate: level >= error, when: {count: 3, within: 20s}, by: [identifier], show: [message], notify: [page]}
                    """, to: "gloss.yaml")
                try await instance.startDaemonAndWait()
                for identifier in ["one", "one", "two", "one"] {
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "PRIORITY": "3", "SYSLOG_IDENTIFIER": identifier,
                        "MESSAGE": "no",
                    ])
                }
                func lines() -> [String] {
                    (try? String(contentsOfFile: notices, encoding: .utf8))?.split(separator: "\n").map(String.init)
                        ?? []
                }
                let firing = "firing errors: 3 events in 20 s (identifier one): message no"
                // A program that is ended before its success is saved is run again.
                try await eventually("it is delivered; the log: \(instance.text(of: "glossd.log"))") {
                    try await instance.glossctl("alerts", "history", "-o", "json").text.contains(#""delivered_at""#)
                }
                #expect(lines() == [firing])
                #expect(try await instance.glossctl("alerts").errors == "glossctl: firing: errors\n")
                #expect(await instance.stopDaemon() == 0)
                try await instance.startDaemonAndWait()
                try await eventually("its end is sent") {
                    lines() == [firing, "resolved errors: over: fewer than 3 events in 20 s (identifier one)"]
                }
                #expect(try await instance.glossctl("alerts", "test", "errors").text == "Sent to page.\n")
                #expect(
                    lines().last
                        == "test errors: a test, nothing has happened (identifier example): message example")
                let tried = try await instance.glossctl("alerts", "try", "errors", "--since", "-1h")
                #expect(tried.text.contains("errors: 3 events in 20 s (identifier one)"))
            }
        }
    }

    @Test func `a reload has a notifier that is held try again at once`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                let (notices, program) = (instance.path("notices"), instance.path("page"))
                try instance.write(
                    """
                    journal: {namespace: \(journald.namespace)}
                    store: {path: events.sqlite}
                    control: {socket: control.sock}
                    notifiers: [{name: page, type: command, command: [\(program)], template: "{{state}}"}]
                    alerts: [{name: errors, predicate: level >= error, when: first, notify: [page]}]
                    """, to: "gloss.yaml")
                try await instance.startDaemonAndWait()
                #expect(try await instance.glossctl("alerts", "test", "errors", "--timeout", "0").status == 1)
                try await eventually("it is held") {
                    try await instance.glossctl("status").text.contains("\(program): No such file or directory")
                }
                try instance.write("#!/bin/sh\ncat >> \(notices)\n", to: "page")
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
                #expect(try await instance.glossctl("reload").status == 0)
                try await eventually("the notice is delivered") {
                    (try? String(contentsOfFile: notices, encoding: .utf8)) == "test"
                }
            }
        }
    }
}
