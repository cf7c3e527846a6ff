import Foundation
import Glibc
import TestSupport
import Testing

/// The daemon as a process on a real journald, killed again and again.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct ExactlyOnceTests {
    private static let events = 5000

    @Test
    func `5000 events survive a daemon that is killed all the time: each once in the store, at least once upstream`()
        async throws
    {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                // Lost replies and refusals besides, so that batches are resent.
                try await instance.startReceiver(answer: "200,503,drop,200,503x2,drop,200")
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}",
                    more: """
                        sinks: [{name: up, type: http, url: "\(instance.receiverURL)", start: oldest,
                          batch: {max_events: 100, max_age: 50ms}, backoff: {base: 10ms, cap: 50ms}}]
                        """)
                try await writeAndKill(instance, journald)
                try await instance.startDaemonAndWait()
                try journald.sync()
                try await eventually(
                    "everything is stored and delivered; the log: \(instance.text(of: "glossd.log").suffix(2000))"
                ) {
                    let stored = Set(try await stored(instance)).count
                    return stored == Self.events && sequenceNumbers(of: "received.ndjson", instance).count >= stored
                }
                #expect(try await stored(instance).sorted() == Array(1...Self.events))
                #expect(Set(sequenceNumbers(of: "received.ndjson", instance)) == Set(1...Self.events))
                try expectSameBytesForEachKey(instance)
                #expect(await instance.stopDaemon() == 0)
                try await expectIntegrity(instance)
            }
        }
    }

    /// Writes all events, a part in each round, and meanwhile starts and kills the daemon, each time a little later.
    private func writeAndKill(_ instance: GlossInstance, _ journald: PrivateJournald) async throws {
        let rounds = 10
        let part = Self.events / rounds
        for round in 1...rounds {
            let writing = Task {
                for number in (round - 1) * part + 1...round * part {
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "PRIORITY": "5",
                        "MESSAGE": Self.payload(number),
                    ])
                    if number % 50 == 0 { try await Task.sleep(for: .milliseconds(30)) }
                }
            }
            try instance.startDaemon()
            // Some are killed while they start, the others between the first event and the last.
            if round.isMultiple(of: 2) {
                try await eventually("it has stored some: \(instance.text(of: "glossd.log"))") {
                    try await !stored(instance).isEmpty
                }
            }
            try await Task.sleep(for: .milliseconds(50 * round))
            try #require(instance.isDaemonRunning, "glossd ended by itself: \(instance.text(of: "glossd.log"))")
            await instance.killDaemon()
            try await writing.value
        }
    }

    private static func payload(_ number: Int) -> String {
        """
        {"event_category":"recipe_detail","event_name":"show","session_id":"s","platform":"web","recipe_id":\(number)}
        """
    }

    private func stored(_ instance: GlossInstance) async throws -> [Int] {
        numbers(in: try await instance.glossctl("show", "-n", "all", "-o", "ndjson").lines)
    }

    private func sequenceNumbers(of file: String, _ instance: GlossInstance) -> [Int] {
        numbers(in: instance.lines(of: file))
    }

    private func numbers(in lines: [Substring]) -> [Int] {
        lines.compactMap { line in
            line.firstRange(of: "\"recipe_id\":").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
        }
    }

    /// Whatever was sent under one key, in whatever number of attempts, was the same bytes.
    private func expectSameBytesForEachKey(_ instance: GlossInstance) throws {
        var digests: [String: Set<String>] = [:]
        var attempts = 0
        for line in instance.lines(of: "attempts.ndjson") {
            let attempt = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let key = try #require(attempt?["key"] as? String)
            digests[key, default: []].insert(try #require(attempt?["digest"] as? String))
            attempts += 1
        }
        #expect(attempts > digests.count, "nothing was resent: the test proves nothing about resends")
        #expect(digests.values.allSatisfy { $0.count == 1 })
    }

    private func expectIntegrity(_ instance: GlossInstance) async throws {
        let check = try await GlossInstance.run(
            "/usr/bin/sqlite3", ["-readonly", instance.path("events.sqlite"), "PRAGMA integrity_check"])
        #expect(check.text == "ok\n")
    }
}
