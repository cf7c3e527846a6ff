import Foundation
import Glibc
import TestSupport
import Testing

/// A tail outlives its daemon.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct TailRestartTests {
    private static let events = 1500

    @Test func `a tail shows each event once, however often the daemon is stopped and killed meanwhile`() async throws {
        try await withTail { instance, journald in
            let writing = Task {
                for number in 1...Self.events {
                    try journald.sendNumbers(number...number)
                    if number % 10 == 0 { try await Task.sleep(for: .milliseconds(40)) }
                }
            }
            for round in 0..<8 {
                try await Task.sleep(for: .milliseconds(300 + 50 * round))
                if round % 2 == 0 { #expect(await instance.stopDaemon() == 0) } else { await instance.killDaemon() }
                try await Task.sleep(for: .milliseconds(150))
                try await instance.startDaemonAndWait()
                try await eventually("the tail is back; it says: \(instance.text(of: "errors"))") {
                    try await instance.status()["tails"] as? Int == 1
                }
            }
            try await writing.value
            try await expectAll(1...Self.events, instance, journald)
            let stored = try await instance.events().compactMap { $0["id"] as? Int }
            #expect(shown(instance).map(\.id) == stored)
            let printed = instance.lines(of: "errors")
            #expect(printed.count { $0.hasPrefix("glossctl: glossd has closed the connection; waiting for it") } >= 8)
            #expect(printed.count { $0 == "glossctl: Connected again." } >= 8)
            #expect(!instance.text(of: "errors").contains("The store was replaced"))
        }
    }

    @Test(arguments: ["now", "oldest"])
    func `a rebuilt store, empty or from the journal, is followed without repetition`(
        start: String
    ) async throws {
        try await withTail { instance, journald in
            try journald.sendNumbers(1...300)
            try await expectAll(1...300, instance, journald)
            #expect(await instance.stopDaemon() == 0)
            for name in ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm"] {
                try? FileManager.default.removeItem(atPath: instance.path(name))
            }
            try instance.configure(journal: "{namespace: \(journald.namespace), start: \(start)}")
            try await instance.startDaemonAndWait()
            try await eventually("the tail is back") { try await instance.status()["tails"] as? Int == 1 }
            try journald.sendNumbers(301...310)
            try await expectAll(1...310, instance, journald)
            // Made from the whole journal, it has the same events by the same ids, sooner or later.
            guard start == "now" else { return }
            #expect(shown(instance).suffix(10).map(\.id) == Array(1...10))
            #expect(instance.text(of: "errors").contains("glossctl: The store was replaced in the meantime"))
        }
    }

    /// With a daemon on an empty journal and a tail whose output is the file `tail`.
    private func withTail(_ body: (GlossInstance, PrivateJournald) async throws -> Void) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace), start: oldest}")
                try await instance.startDaemonAndWait()
                let tail = Process()
                tail.executableURL = GlossInstance.programs.appending(path: "glossctl")
                tail.arguments = ["--socket", instance.socket, "tail", "-o", "ndjson"]
                for name in ["tail", "errors"] { try instance.write("", to: name) }
                tail.standardOutput = try FileHandle(forWritingTo: URL(filePath: instance.path("tail")))
                tail.standardError = try FileHandle(forWritingTo: URL(filePath: instance.path("errors")))
                try tail.run()
                defer { if tail.isRunning { tail.terminate() } }
                try await eventually("the tail is open") { try await instance.status()["tails"] as? Int == 1 }
                try await body(instance, journald)
                #expect(tail.isRunning, "\(instance.text(of: "errors"))")
                tail.interrupt()
                await tail.end()
                #expect(tail.terminationStatus == 0)
            }
        }
    }

    /// Waits for the last one, and looks whether each number is there once.
    private func expectAll(
        _ numbers: ClosedRange<Int>, _ instance: GlossInstance, _ journald: PrivateJournald
    ) async throws {
        try journald.sync()
        try await eventually("the tail shows the last one; it says: \(instance.text(of: "errors"))") {
            shown(instance).contains { $0.number == numbers.upperBound }
        }
        #expect(shown(instance).map(\.number).sorted() == Array(numbers))
    }

    /// What the tail wrote: whole lines of JSON, each an event.
    private func shown(_ instance: GlossInstance) -> [(id: Int, number: Int)] {
        instance.text(of: "tail").split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
            line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let id = object["id"] as? Int, object["type"] as? String == "event",
                let number = (object["payload"] as? [String: Any])?["number"] as? Int
            else {
                Issue.record("not an event's line: \(line)")
                return nil
            }
            return (id, number)
        }
    }
}
