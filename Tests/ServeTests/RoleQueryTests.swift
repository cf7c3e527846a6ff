import TestSupport
import API
import Model
import Store
import Testing

@testable import Serve

/// Events of a user, of a device, and by any parameter.
struct RoleQueryTests {
    private static let dictionary = Sample.defining(
        [Sample.definition("account/sign_in", "Signed in.", [Parameter(name: "owner", type: .bigint, role: .user)])],
        common: [
            Parameter(name: "user_id", type: .bigint, privacy: .hash, role: .user),
            Parameter(name: "device", type: .string(), role: .device),
        ])

    private static let sent = [
        Sample.Sent("account/sign_in", payload: #"{"user_id":"\#(Sample.hash("42"))","device":"d1"}"#),
        Sample.Sent("account/sign_in", payload: #"{"owner":42,"device":"d2"}"#),
        Sample.Sent("account/sign_in", payload: #"{"owner":7,"device":"d\u0031"}"#),
        Sample.Sent("account/sign_in", payload: #"{"other":42}"#),
        Sample.Sent("account/sign_in", payload: "42 d1"),
        Sample.Sent("account/sign_in", payload: #"{"device":{"model":"x 1","os":{"name":"b\u0031"}},"model":"x 2"}"#),
    ]

    @Test(arguments: [
        ("user=42", ["event 2", "event 1"]), ("user=42&user=7", ["event 3", "event 2", "event 1"]),
        ("device=d1", ["event 3", "event 1"]), ("user=42&device=d1", ["event 1"]), ("user=43", []),
        ("where=other=42", ["event 4"]), ("where=user_id=42", ["event 1"]),
        ("where=owner=42&where=device=d2", ["event 2"]), ("where=owner=42&where=device=d1", []),
        ("where=owner%3D7&grep=u0031", ["event 3"]), ("where=device.model=x%201", ["event 6"]),
        ("where=device.model=x%202", []), ("where=device.os.name=b1&where=model%3Dx%202", ["event 6"]),
        ("where=os.name=b1", []),
    ])
    func `events are found by what their payloads say`(query: String, found: [String]) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            #expect(try await server.get("/v1/events?\(query)").summaries() == found)
        }
    }

    private static let hash = "%3Chash%3A\(Sample.hash("42").dropFirst(6).dropLast())%3E"

    /// A connection whose other end is unknown counts as a caller that may not read the journal.
    @Test(arguments: [
        ("user=42", 403), ("where=user_id=42", 403), ("user=42&user=\(hash)", 403),
        ("where=user_id=\(hash)", 200), ("where=user_id=%3Chash%3A42%3E", 403),
        ("where=owner=42", 200), ("device=d1", 200),
        ("grep=hash:42", 200), ("grep=42", 200),
    ])
    func `only callers that may read the journal filter by the plain text of hashed values`(query: String, status: Int)
        async throws
    {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let api = ControlAPI(
                options: ControlOptions(
                    socket: server.socket, mode: 0o666, adminGroup: nil, maximumTails: 1, maximumBodyBytes: 1,
                    maximumTailLag: 1),
                store: server.store, daemon: server.daemon)
            let parsed = try EventQuery(urlQuery: query)
            var found = 200
            do {
                _ = try await api.predicate(parsed.filter, from: ControlContext(source: .init(channel: nil)))
            } catch let problem as Problem {
                found = problem.status
                #expect(problem.detail?.contains("user_id") == true)
            }
            #expect(found == status)
        }
    }

    @Test func `a tail takes the same conditions`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let tail = try await TailClient(server, "user=42&n=0")
            #expect(try await tail.status() == 200)
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["event 1", "event 2"])
        }
    }

    @Test func `a tail finds nested members by their path`() async throws {
        try await withServer { server in
            let tail = try await TailClient(server, "where=device.os.name=b1&where=device.model=x%201&n=0")
            #expect(try await tail.status() == 200)
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            #expect(try await tail.lines(1).map(\.summary) == ["event 6"])
        }
    }

    @Test func `a role that no definition gives is refused with what to write`() async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/events?device=d1")
            #expect(reply.status == 422)
            #expect(String(decoding: reply.body, as: UTF8.self).contains("add the line `- device`"))
        }
    }

    @Test(arguments: ["where=other", "where==7"])
    func `a condition without a name and a value is refused`(query: String) async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/events?\(query)")
            #expect(reply.status == 400)
            #expect(String(decoding: reply.body, as: UTF8.self).contains("expected NAME=VALUE"))
        }
    }
}
