import Foundation
import TestSupport
import Testing

/// Delivery as a user sees it: the daemon, a receiver, and `glossctl status` between them.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct DeliveryTests {
    private func sink(_ instance: GlossInstance, token: Bool = false) -> String {
        """
        sinks: [{name: up, type: http, url: "\(instance.receiverURL)", start: oldest, batch: {max_age: 50ms},
          backoff: {base: 20ms, cap: 100ms}\(token ? ", token_file: token" : "")}]
        """
    }

    private func received(_ instance: GlossInstance) -> [Int] {
        instance.lines(of: "received.ndjson").compactMap {
            $0.firstMatch(of: /"number":(\d+)/).flatMap { Int($0.1) }
        }
    }

    private func sinkState(_ instance: GlossInstance) async throws -> String? {
        try await sinkStatus(instance)?["state"] as? String
    }

    private func sinkStatus(_ instance: GlossInstance) async throws -> [String: Any]? {
        (try await instance.status()["sinks"] as? [[String: Any]])?.first
    }

    @Test func `a wrong token holds the sink and loses nothing; a reload with the right one delivers`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.write("right\n", to: "receiver-token")
                try await instance.startReceiver(arguments: ["--token-file", instance.path("receiver-token")])
                try instance.write("wrong\n", to: "token")
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}", more: sink(instance, token: true))
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(1...20)
                try await eventually("the sink is held") { try await sinkState(instance) == "held" }
                let status = try await instance.glossctl("status")
                #expect(status.status == 1)
                #expect(status.text.contains("401"), "\(status.text)")
                #expect(received(instance).isEmpty)
                #expect(!instance.text(of: "glossd.log").contains("wrong"))

                try instance.write("right\n", to: "token")
                #expect(try await instance.glossctl("reload").status == 0)
                try await eventually("everything is delivered") { received(instance).count == 20 }
                #expect(received(instance) == Array(1...20))
                try await eventually("the sink is well") { try await sinkState(instance) == "ok" }
            }
        }
    }

    @Test func `a receiver that is away gets everything, in order, when it is back`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try await instance.startReceiver()
                try instance.configure(journal: "{namespace: \(journald.namespace)}", more: sink(instance))
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(1...10)
                // A receiver that ends before its answer comes gets them again.
                try await eventually("the first ten are delivered, and acknowledged") {
                    try await sinkStatus(instance)?["delivered_events"] as? Int == 10
                }
                let port = try #require(Int(instance.receiverURL.split(separator: ":").last ?? ""))
                await instance.stopReceiver()
                try journald.sendNumbers(11...2000)
                try await eventually("the sink retries") { try await sinkState(instance) == "retrying" }
                try await eventually("the rest is stored") {
                    (try await instance.status()["events"] as? [String: Any])?["stored"] as? Int == 2000
                }
                try await instance.startReceiver(port: port)
                try await eventually("everything is delivered") { received(instance).count >= 2000 }
                #expect(received(instance) == Array(1...2000))
            }
        }
    }

    @Test func `a new sink begins now, and does not ship what was there before`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try await instance.startReceiver()
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(1...5)
                try await eventually("five are stored") { try await instance.events().count == 5 }
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}",
                    more: sink(instance).replacing(", start: oldest", with: ""))
                #expect(try await instance.glossctl("reload").status == 0)
                try journald.sendNumbers(6...8)
                try await eventually("the new ones are delivered") { received(instance).count >= 3 }
                #expect(received(instance) == [6, 7, 8])
            }
        }
    }
}
