import API
import Forward
import Glibc
import Model
import Store
import Testing

/// A sink on a store on disk, delivering to `gloss-receiver` as a process.
@Suite(.timeLimit(.minutes(1))) struct SinkOnStoreTests {
    private func options(_ url: String) -> SinkOptions {
        .sample(url: url) {
            $0.compression = .gzip
            $0.maximumBatchEvents = 100
            $0.maximumBatchAge = .milliseconds(20)
            $0.backoffBase = .milliseconds(20)
            $0.backoffCap = .milliseconds(100)
            $0.probeInterval = .milliseconds(50)
        }
    }

    @Test func `every event arrives once, in order, whatever the upstream answers`() async throws {
        try await withTemporaryFolder { folder in
            let receiver = try ReceiverProcess(
                in: folder, "--answer",
                "503x2,429:retry-after=0,drop,200x2,401,500x6,slow=0.1,hang,drop,413,302:location=/x,200")
            let store = try await EventStore.sample(in: folder)
            try await store.saveSamples(1...500, payloadBytes: 100)
            var options = options(receiver.url)
            // One of the answers never comes.
            options.timeout = .milliseconds(500)
            let run = SinkRun(options, store: store, record: try await store.sinkRecord())
            try await run.run { reports in
                try await store.saveSamples(501...1000, payloadBytes: 100)
                while try await store.sinkRecord().position < 1000 { _ = try #require(await reports.next()) }
            }
            let record = try await store.sinkRecord()
            await store.close()
            let (text, exit) = try receiver.stop()
            #expect(exit == 0)
            #expect(ids(in: try receiver.takenBytes()) == Array(1...1000))
            #expect(record.deliveredEvents == 1000)
            #expect(text.contains("resent") && !text.contains("DIFFERENT BODY"))
            let attempts = try receiver.attempts()
            let keys = Set(attempts.map(\.key))
            #expect(Set(attempts.map { [$0.key, $0.digest] }).count == keys.count)
            #expect(keys.count == Int(record.deliveredBatches))
        }
    }

    @Test func `a store that is opened again resends what was frozen, byte for byte`() async throws {
        try await withTemporaryFolder { folder in
            let receiver = try ReceiverProcess(in: folder, "--answer", "drop,200")
            let store = try await EventStore.sample(in: folder)
            try await store.saveSamples(1...50, payloadBytes: 200)
            // By itself, it does not try again for as long as this takes.
            var patient = options(receiver.url)
            (patient.backoffBase, patient.backoffCap) = (.seconds(86_400), .seconds(86_400))
            await SinkRun(patient, store: store, record: try await store.sinkRecord()).run { $0.kind == .retrying }
            await store.close()

            let reopened = try await EventStore.sample(in: folder)
            try await reopened.saveSamples(51...60)
            let record = try await reopened.sinkRecord()
            #expect(record.position == 0)
            let run = SinkRun(options(receiver.url), store: reopened, record: record)
            try await run.run { reports in
                while try await reopened.sinkRecord().position < 60 { _ = try #require(await reports.next()) }
            }
            await reopened.close()
            _ = try receiver.stop()
            let attempts = try receiver.attempts()
            #expect(attempts.map(\.events) == [50, 50, 10])
            #expect(attempts[0].key == attempts[1].key && attempts[0].digest == attempts[1].digest)
            #expect(attempts[2].key != attempts[1].key)
            #expect(ids(in: try receiver.takenBytes()) == Array(1...60))
        }
    }

    @Test func `an event that a small store could not keep a second time is delivered`() async throws {
        try await withTemporaryFolder { folder in
            let receiver = try ReceiverProcess(in: folder)
            let store = try await EventStore.sample(in: folder, maximumBytes: 2 << 20)
            try await store.saveSamples(1...1, payloadBytes: 250_000)
            try await store.saveSamples(2...2)
            var options = options(receiver.url)
            options.compression = .none
            // Each byte is escaped.
            let run = SinkRun(
                options, store: store, record: try await store.sinkRecord(),
                redact: { event in
                    var event = event
                    let filler = String(repeating: "\\u0001", count: 250_000)
                    if event.seqnum == 1 { event.payload = Array(#"{"n":1,"filler":"\#(filler)"}"#.utf8) }
                    return event
                })
            try await run.run { reports in
                while try await store.sinkRecord().position < 2 { _ = try #require(await reports.next()) }
            }
            await store.close()
            _ = try receiver.stop()
            #expect(ids(in: try receiver.takenBytes()) == [1, 2])
        }
    }

    @Test func `a sink that starts now leaves out what was there before`() async throws {
        try await withTemporaryFolder { folder in
            let receiver = try ReceiverProcess(in: folder)
            let store = try await EventStore.sample(in: folder)
            try await store.saveSamples(1...10)
            let record = try await store.sinkRecord(.now)
            let run = SinkRun(options(receiver.url), store: store, record: record)
            try await store.saveSamples(11...12)
            await run.run { $0.kind == .delivered }
            await store.close()
            _ = try receiver.stop(SIGINT)
            #expect(ids(in: try receiver.takenBytes()) == [11, 12])
        }
    }
}
