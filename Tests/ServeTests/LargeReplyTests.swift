import TestSupport
import API
import Foundation
import Hummingbird
import Model
import NIOCore
import Store
import Synchronization
import Testing

@testable import Queries
@testable import Serve

/// What is larger than an ordinary page, for clients that read it and for those that do not.
@Suite(.timeLimit(.minutes(2))) struct LargeReplyTests {
    private static let definition = APIPath.definition(
        dictionary: "shop", key: EventKey(category: "recipe_detail", name: "tap_save_button"))

    private var limits: ControlLimits {
        var limits = ControlLimits()
        limits.largeBytes = 2 << 20
        return limits
    }

    @Test(arguments: ["/v1/events/1", definition, "/v1/events?n=1"])
    func `clients that do not read an event hold no more than there is`(path: String) async throws {
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...1, padding: 900_000), journal: "machine")
            var clients: [RawClient] = []
            for _ in 0..<20 {
                clients.append(try await server.connect())
                try await clients.last?.send("GET \(path) HTTP/1.1\r\nHost: gloss\r\n\r\n")
            }
            // One has its share; the others hold nothing, and no answer either.
            #expect(try await eventually { server.memory.waiting == 19 })
            let event = try #require(try await server.event(id: 1))
            #expect(server.memory.taken == 2 * event.payload.count)
            #expect(try await server.get("/v1/status").status == 200)
            for client in clients { client.leave() }
            #expect(try await eventually { server.memory.taken == 0 && server.memory.waiting == 0 })
        }
    }

    @Test func `clients that do not read a journal entry hold no more than there is`() async throws {
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            server.daemon.set(fields: [JournalField(name: "A", value: [UInt8](repeating: 0xFF, count: 900_000))])
            var clients: [RawClient] = []
            for _ in 0..<10 {
                clients.append(try await server.connect())
                try await clients.last?.send("GET /v1/events/1 HTTP/1.1\r\nHost: gloss\r\n\r\n")
            }
            #expect(try await eventually { server.memory.waiting == 9 })
            #expect(server.memory.taken == 1_800_000)
            for client in clients { client.leave() }
            #expect(try await eventually { server.memory.taken == 0 && server.memory.waiting == 0 })
        }
    }

    /// The event, its entry, or both are larger than a page; or larger than all that there is.
    @Test(arguments: [(0, 0), (100_000, 10), (10, 100_000), (100_000, 100_000), (3_000_000, 3_000_000)])
    func `an event comes whole`(payload: Int, field: Int) async throws {
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...1, padding: payload), journal: "machine")
            let fields = [
                JournalField(name: "TEXT", value: Array(String(repeating: "保\n", count: field / 4).utf8)),
                JournalField(name: "BYTES", value: [UInt8](repeating: 0xFF, count: field / 2)),
                JournalField(name: "LAST", value: [1, 2]),
            ]
            server.daemon.set(fields: fields)
            let reply = try await server.get("/v1/events/1")
            #expect(reply.status == 200 && reply.isComplete)
            #expect(reply.headers["content-type"] == "application/json")
            let detail = try EventDetail.parse(reply.body)
            #expect(detail.journal == .fields(fields))
            let event = try #require(try await server.event(id: 1))
            #expect(detail.event.content == .payload(event.payload))
            #expect(server.memory.taken == 0)
        }
    }

    @Test func `an event that is larger than all there is comes line by line, too`() async throws {
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...2, padding: 3_000_000), journal: "machine")
            let lines = try await server.get("/v1/events?n=all&order=oldest").lines
            for (id, line) in zip(Int64(1)..., lines) {
                guard case .event(let event) = try StreamLine.parse(Array(line.utf8)) else {
                    Issue.record("no event: \(line.prefix(100))")
                    continue
                }
                #expect(event.content == .payload(try #require(try await server.event(id: id)).payload))
            }
            #expect(lines.count == 2)
        }
    }

    @Test func `statistics wait for no large reply, and none waits for them`() async throws {
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...1, padding: 100_000), journal: "machine")
            var all: Budget.Share? = try await server.memory.take(.max)
            // Without a limit of time, this would wait for ever.
            #expect(try await server.get("/v1/stats?by=event").status == 200)
            async let large = server.get("/v1/events?n=1")
            #expect(try await eventually { server.memory.waiting == 1 })
            #expect(try await server.get("/v1/stats?by=event").status == 200)
            withExtendedLifetime(all) {}
            all = nil
            #expect(try await large.status == 200)
        }
    }

    @Test(arguments: ["/v1/stats?by=event", "/v1/checklists/release/scope"])
    func `what waits for groups delays no report`(path: String) async throws {
        try await withServer { server in
            let list = "checklist: release\nitems: [recipe/show]"
            #expect(try await server.request("POST", "/v1/checklists", body: list).status == 200)
            var turn: Budget.Share? = try await server.groupPlaces.take(1)
            var clients: [RawClient] = []
            for _ in 0..<20 {
                clients.append(try await server.connect())
                try await clients.last?.send("GET \(path) HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\r\n")
            }
            #expect(try await eventually { server.groupPlaces.waiting == 20 })
            // Without a limit of time, this would wait for ever. For times, events are read.
            #expect(try await server.get("/v1/reports/malformed?since=\(Sample.start)").status == 200)
            withExtendedLifetime(turn) {}
            turn = nil
            for client in clients { #expect(try await client.reply().status == 200) }
        }
    }

    // MARK: documents

    private func context() -> ControlContext { ControlContext(source: .init()) }

    @Test func `a large document takes a share until its client has it`() async throws {
        let memory = Budget(100_000)
        let maker = DocumentMaker(memory, ControlLimits())
        let small = try await maker.response(context()) { [UInt8](repeating: 0x20, count: 1000) }
        #expect(memory.taken == 0 && small.body.contentLength == 1000)
        let large = try await maker.response(context()) { [UInt8](repeating: 0x20, count: 60_000) }
        #expect(memory.taken == 60_000 && large.body.contentLength == 60_000)
        try await large.body.write(Discarding())
        #expect(memory.taken == 0)
    }

    @Test func `a document for which there is no memory is not kept`() async throws {
        let memory = Budget(100_000)
        let maker = DocumentMaker(memory, ControlLimits())
        let made = Mutex(0)
        let first = try await maker.response(context()) { [UInt8](repeating: 0x20, count: 60_000) }
        async let second = maker.response(context()) {
            made.withLock { $0 += 1 }
            return [UInt8](repeating: 0x20, count: 50_000)
        }
        #expect(try await eventually { memory.waiting == 1 })
        #expect(memory.taken == 60_000 && made.withLock(\.self) == 1)
        // Small ones go on.
        _ = try await maker.response(context()) { [0x20] }
        try await first.body.write(Discarding())
        #expect(try await second.body.contentLength == 50_000)
        #expect(made.withLock(\.self) == 2)
    }

    @Test func `a document of which its client reads nothing is given up with it`() async throws {
        try await withServer(limits: limits) { server in
            try await server.store.save(
                Sample.batch(
                    1...1, gaps: (0..<1000).map { Sample.gap("\($0)" + String(repeating: "x", count: 1000)) }),
                journal: "machine")
            let client = try await server.connect()
            try await client.send("GET /v1/gaps HTTP/1.1\r\nHost: gloss\r\n\r\n")
            #expect(try await eventually { server.memory.taken > 1_000_000 })
            client.leave()
            #expect(try await eventually { server.memory.taken == 0 })
        }
    }

    private struct Discarding: ResponseBodyWriter {
        func write(_ buffer: ByteBuffer) async throws {}
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
