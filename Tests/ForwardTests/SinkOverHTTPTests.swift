import API
import Forward
import Model
import Testing

/// A sink and real servers on loopback, in real time.
@Suite(.timeLimit(.minutes(1))) struct SinkOverHTTPTests {
    private func options(_ url: String) -> SinkOptions {
        .sample(url: url) {
            $0.maximumBatchAge = .zero
            $0.backoffBase = .milliseconds(50)
            $0.backoffCap = .milliseconds(200)
            $0.timeout = .seconds(10)
            $0.compression = .gzip
        }
    }

    @Test func `a receiver that is away and comes back gets everything`() async throws {
        let reserved = try ReservedPort()
        let store = MemoryStore(sampleEvents(1...20))
        var options = options("http://127.0.0.1:\(reserved.port)/ingest")
        options.compression = .none
        let run = SinkRun(options, store: store, record: store.record)
        try await run.run { reports in
            let failed = try #require(await reports.next())
            #expect(failed.kind == .retrying)
            #expect(failed.message.contains("connection refused"))
            #expect(await run.sink.activity.state == .retrying)
            store.append(sampleEvents(21...40))

            let server = try await LoopbackServer.start(.status(200), on: reserved)
            while store.record.position < 40 { _ = try #require(await reports.next()) }
            await server.stop()
            #expect(server.requests.flatMap { ids(in: $0.body) } == Array(1...40))
        }
    }

    @Test(arguments: [
        LoopbackServer.Reply.close, .cutShort, .status(503), .status(429, headers: [("Retry-After", "garbage")]),
    ])
    func `a batch is resent with the same bytes and key`(reply: LoopbackServer.Reply) async throws {
        let server = try await LoopbackServer.start(reply, reply, .status(200))
        let store = MemoryStore((1...20).map { sampleEvent($0, bytes: 1000) })
        let run = SinkRun(options(server.url), store: store, record: store.record)
        await run.run { $0.kind == .delivered }
        await server.stop()
        #expect(server.requests.count == 3)
        let first = try #require(server.requests.first)
        #expect(first.header("Content-Encoding") == "gzip")
        for request in server.requests {
            #expect(request.body == first.body)
            #expect(request.header("Idempotency-Key") == first.header("Idempotency-Key"))
        }
        #expect(store.record.position == 20)
    }

    @Test func `a new sink after a lost reply resends the same bytes and key`() async throws {
        let server = try await LoopbackServer.start(.close, .status(200))
        let store = MemoryStore((1...20).map { sampleEvent($0, bytes: 1000) })
        // By itself, it does not try again for as long as this takes.
        var patient = options(server.url)
        (patient.backoffBase, patient.backoffCap) = (.seconds(86_400), .seconds(86_400))
        await SinkRun(patient, store: store, record: store.record).run { $0.kind == .retrying }
        // Stopped before the reply was there: the batch is as it was, whatever settings say by now.
        var changed = options(server.url)
        changed.compression = .none
        changed.maximumBatchEvents = 1
        await SinkRun(changed, store: store, record: store.record).run { $0.kind == .delivered }
        await server.stop()
        #expect(server.requests.count == 2)
        #expect(server.requests.first?.body == server.requests.last?.body)
        #expect(server.requests.first?.header("Idempotency-Key") == server.requests.last?.header("Idempotency-Key"))
    }

    @Test func `a missing token holds, and a reload sends once it is there`() async throws {
        try await withTemporaryFolder { folder in
            let server = try await LoopbackServer.start(.status(200))
            let store = MemoryStore(sampleEvents(1...3))
            var options = options(server.url)
            options.tokenFile = folder.path("token")
            let run = SinkRun(options, store: store, record: store.record)
            try await run.run { [options] reports in
                let held = try #require(await reports.next())
                #expect(held.kind == .held)
                #expect(held.message.contains("token cannot be read: No such file"))
                #expect(server.requests.isEmpty)
                _ = try folder.write("token", "abc")
                await run.sink.reload(options)
                #expect(await reports.next()?.kind == .recovered)
            }
            await server.stop()
            #expect(server.requests.map { $0.header("Authorization") } == ["Bearer abc"])
        }
    }

    @Test func `a sink that is down does not hold up another one`() async throws {
        let down = try await LoopbackServer.start(.silence)
        let up = try await LoopbackServer.start(.status(200))
        let stores = [MemoryStore(sampleEvents(1...10)), MemoryStore(sampleEvents(1...10))]
        let stuck = SinkRun(options(down.url), store: stores[0], record: stores[0].record)
        let free = SinkRun(options(up.url), store: stores[1], record: stores[1].record)
        await stuck.run { _ in
            _ = await free.run { $0.kind == .delivered }
        }
        await down.stop()
        await up.stop()
        #expect(stores.map(\.record.position) == [0, 10])
        // Its one batch is safe.
        #expect(stores[0].frozen?.lastEventID == 10)
    }
}
