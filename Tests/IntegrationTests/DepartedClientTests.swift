import Foundation
import Glibc
import TestSupport
import Testing

/// Searches whose clients leave, on the real daemon. The limits of time stand for "at once", where it once was minutes.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct DepartedClientTests {
    /// Seconds for each megabyte of the payloads below.
    private static let search = "/v1/events?n=all&grep=(x%7Cxx%7Cxxx)*(x%7Cxx%7Cxxx)*y"

    @Test func `searches whose clients left hold up neither status nor delivery, and SIGTERM is obeyed`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try await instance.startReceiver()
                try instance.configure(
                    journal: "{namespace: \(journald.namespace), start: oldest}",
                    more: """
                        sinks: [{name: up, type: http, url: "\(instance.receiverURL)", batch: {max_age: 50ms}}]
                        """)
                let text = String(repeating: "x", count: 50_000)
                for number in 0..<300 {
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "CATEGORY": "Other",
                        "MESSAGE": "{\"large\":\(number),\"text\":\"\(text)\"}",
                    ])
                }
                try journald.sync()
                try await instance.startDaemonAndWait()
                try await eventually("all is stored") {
                    (try await instance.status()["events"] as? [String: Any])?["stored"] as? Int == 300
                }

                for _ in 0..<100 {
                    let client = try ask(instance)
                    try await Task.sleep(for: .milliseconds(20))
                    close(client)
                }
                var clients: [CInt] = []
                for _ in 0..<60 { clients.append(try ask(instance)) }
                defer { for client in clients { close(client) } }
                let start = ContinuousClock.now
                _ = try await instance.status()
                // The searches take minutes.
                #expect(.now - start < .seconds(30))
                try journald.sendNumbers(1...10)
                try await eventually("events are delivered meanwhile", within: .seconds(20)) {
                    instance.lines(of: "received.ndjson").contains { $0.contains(#""number":10"#) }
                }

                let stopping = ContinuousClock.now
                #expect(await instance.stopDaemon() == 0)
                #expect(.now - stopping < .seconds(30))
            }
        }
    }

    @Test(arguments: [1 << 20, 16 << 20])
    func `clients that read nothing of an event cost one budget, and SIGTERM is obeyed`(bytes: Int) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(
                    journal: "{namespace: \(journald.namespace), start: oldest, max_field_size: \(bytes)}")
                let text = String(repeating: "x", count: bytes - 100)
                try journald.send([
                    "SUBSYSTEM": "com.example.shop", "CATEGORY": "Other", "MESSAGE": "{\"text\":\"\(text)\"}",
                ])
                try journald.sync()
                try await instance.startDaemonAndWait()
                try await eventually("the event is stored") {
                    (try await instance.status()["events"] as? [String: Any])?["stored"] as? Int == 1
                }
                let before = try instance.daemonAnonymousBytes()
                var clients: [CInt] = []
                for _ in 0..<200 { clients.append(try ask(instance, "/v1/events/1")) }
                defer { for client in clients { close(client) } }
                var most = 0
                for _ in 0..<20 {
                    try await Task.sleep(for: .milliseconds(100))
                    most = max(most, try instance.daemonAnonymousBytes())
                }
                // The budget of 16 MiB, or the one event that is larger than it with the journal's copy of it; the rest
                // is what 200 connections take.
                #expect(most - before < (100 << 20) + 4 * bytes)
                let stopping = ContinuousClock.now
                #expect(await instance.stopDaemon() == 0)
                #expect(.now - stopping < .seconds(30))
            }
        }
    }

    private func ask(_ instance: GlossInstance, _ path: String = search) throws -> CInt {
        let client = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(instance.socket.utf8)) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(connected == 0)
        let request = Array("GET \(path) HTTP/1.1\r\nHost: gloss\r\n\r\n".utf8)
        try #require(send(client, request, request.count, CInt(MSG_NOSIGNAL)) == request.count)
        return client
    }
}
