import Linux
import TestSupport
import API
import Foundation
import Model
import Store
import Testing

@testable import Serve

struct RequestTests {
    @Test func `status joins what the daemon and the store know`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            let reply = try await server.get("/v1/status")
            let status = try APICoding.decode(StatusReply.self, from: Data(reply.body))
            #expect(status.uptimeSeconds == 90)
            #expect(status.events?.stored == 3)
            #expect(status.events?.newestID == 3)
            #expect(status.events?.newestTime == WireTime(microseconds: Sample.start + 3000))
            #expect(status.dictionaries.map(\.name) == ["shop"])
            #expect(status.sinks.map(\.lastError) == ["connection refused"])
            #expect(status.store.path == server.store.options.path)
        }
    }

    @Test func `status counts the gap records that there are, and metrics those that there ever were`() async throws {
        try await withServer { server in
            func gaps() async throws -> Int64? {
                let reply = try await server.get(APIPath.status)
                return try APICoding.decode(StatusReply.self, from: Data(reply.body)).gaps?.count
            }
            let boot = BootOfMachine(machineID: ID128(high: 1, low: 1), bootID: Sample.boot)
            let hole = Gap(
                cause: .missing, realtimeMicroseconds: Sample.start, from: Sample.cursor(1), to: Sample.cursor(12),
                count: 10, certainty: .atMost, numbers: 2...11, message: "missing")
            for holes in [[hole], []] {
                var progress = ReadingProgress()
                progress.holes[boot] = holes
                try await server.store.save(ResolvedBatch(progress: progress), journal: "machine")
                #expect(try await gaps() == Int64(holes.count))
                #expect(try await server.scrape()[series: "gloss_gaps_total"] == 1)
            }
        }
    }

    @Test func `status says what each source takes, and what its current rule allows`() async throws {
        try await withServer { server in
            let store = server.store
            func sources() async throws -> [SourceStatus] {
                let reply = try await server.get(APIPath.status)
                return try #require(try APICoding.decode(StatusReply.self, from: Data(reply.body)).store.sources)
            }
            func rule(_ text: String, _ retention: SourceRetention) -> SourceRule {
                SourceRule(conditions: [], name: nil, text: text, retention: retention)
            }
            store.use([
                rule(Sample.source, SourceRetention(maximumAge: .seconds(36_500 * 86_400), share: 20)),
                rule("absent", SourceRetention(share: 1)),
            ])
            #expect(try await sources().isEmpty)
            try await store.save(Sample.batch(1...4096, padding: 20), journal: "machine")
            try await store.save(Sample.batch(4097...8192, source: "small"), journal: "machine")
            // So few are in no block.
            try await store.save(Sample.batch(8193...8200, source: "small"), journal: "machine")
            let found = try await sources()
            #expect(found.map(\.source) == [Sample.source, "small"])
            #expect(found.map(\.events) == [4096, 4096])
            #expect(found.map(\.maxBytes) == [(1 << 30) / 5, nil])
            #expect(found.map(\.keepSeconds) == [3_153_600_000, nil])
            #expect(found.allSatisfy { $0.bytes > 4096 && $0.bytes < 4096 * 100 })

            store.use([rule("small", SourceRetention(maximumAge: .seconds(60)))])
            let changed = try await sources()
            #expect(changed.map(\.bytes) == found.map(\.bytes))
            #expect(changed.map(\.maxBytes) == [nil, nil])
            #expect(changed.map(\.keepSeconds) == [nil, 60])
        }
    }

    @Test func `a sink is behind by what the store has and it has not had`() async throws {
        try await withServer { server in
            let store = server.store
            func sink() async throws -> SinkStatus {
                let reply = try await server.get(APIPath.status)
                return try #require(try APICoding.decode(StatusReply.self, from: Data(reply.body)).sinks.first)
            }
            func deliver(_ ids: ClosedRange<Int64>) async throws {
                let batch = FrozenBatch(
                    sink: "upstream", key: "\(ids)", body: [], contentEncoding: nil, firstEventID: ids.lowerBound,
                    lastEventID: ids.upperBound, eventCount: ids.count)
                try await store.freeze(batch)
                _ = try await store.complete(batch, at: Sample.start)
            }
            func age(of id: UInt64) -> Double {
                let (now, time) = (wallClock(), Sample.start + id * 1000)
                return Double(now - min(now, time)) / 1e6
            }

            try await store.save(Sample.batch(1...2), journal: "machine")
            let unknown = try await sink()
            #expect((unknown.position, unknown.lagEvents, unknown.lagSeconds) == (2, 0, 0))

            _ = try await store.openSinks([(name: "upstream", start: .oldest)], now: Sample.start)
            try await store.save(Sample.batch(3...5), journal: "machine")
            let before = age(of: 1)
            let behind = try await sink()
            #expect((behind.position, behind.lagEvents) == (0, 5))
            #expect(before...age(of: 1) ~= behind.lagSeconds ?? -1)

            try await deliver(1...4)
            let last = try await sink()
            #expect((last.position, last.lagEvents, last.deliveredEvents, last.deliveredBatches) == (4, 1, 4, 1))
            try await deliver(5...5)
            let done = try await sink()
            #expect((done.position, done.lagEvents, done.lagSeconds) == (5, 0, 0))
        }
    }

    @Test func `an unknown path is a problem`() async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/nothing")
            #expect(reply.status == 404)
            #expect(reply.headers["content-type"] == "application/problem+json")
            #expect(try reply.object()["status"] as? Int == 404)
        }
    }

    @Test(arguments: ["/v1/status?verbose=1", "/v1/dictionaries?verbose", "/v1/events/1?verbose=1"])
    func `a parameter of a path that takes none is named`(path: String) async throws {
        try await withServer { server in
            let reply = try await server.get(path)
            #expect(reply.status == 400)
            #expect(try reply.object()["parameter"] as? String == "verbose")
        }
    }

    @Test(arguments: [
        ("grep=(", "grep"), ("grep=a%7B1,1000000%7D", "grep"), ("grep=(&n=0", "grep"), ("grep=(&follow=true", "grep"),
        ("level=loud", "level"), ("level=8", "level"), ("since=123456789012345678901", "since"),
        ("until=2026-02-29T00:00:00Z", "until"), ("program_since=soon", "program_since"),
        ("user=42", "user"), ("device=d1", "device"), ("follow=true&before=1", "before"),
        ("follow=true&until=1", "until"), ("follow=true&order=newest", "order"), ("follow=true&n=all", "n"),
    ])
    func `what only the daemon can find wrong is answered with 422 and the parameter`(
        query: String, parameter: String
    ) async throws {
        try await withServer { server in
            let isForReports = !query.contains("follow") && !query.contains("n=0")
            for path in ["/v1/events"] + (isForReports ? ReportKind.allCases.map { APIPath.report($0) } : []) {
                let reply = try await server.get("\(path)?\(query)")
                #expect(reply.status == 422, "\(path)")
                #expect(reply.headers["content-type"] == "application/problem+json")
                #expect(try reply.object()["parameter"] as? String == parameter)
            }
        }
    }

    @Test(arguments: [
        "n=-1", "n=%2B5", "n=1e3", "n=%20", "n=1000000000000000", "after=-1", "before=9223372036854775808",
        "boot=1", "pid=-1", "event=a",
        "where==1", "where=a", "where=recipe_id!%3D123", "where=a%20b%3D5", "where=!a%3D5",
        "where=a%3E=5", "where=a%0A=5", "grep=", "follow=yes", "resolution=Resolved",
    ])
    func `a value that its schema refuses is answered with 400 and the parameter`(query: String) async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/events?\(query)")
            #expect(reply.status == 400)
            #expect(try reply.object()["parameter"] as? String == String(query.prefix { $0 != "=" }))
        }
    }

    @Test(arguments: [
        ("/v1/stats?by=", "by"), ("/v1/stats?of=", "of"), ("/v1/stats?distinct=", "distinct"),
        ("/v1/tables?name=", "name"), ("/v1/tables?after=", "after"),
        ("/v1/tables?n=0", "n"), ("/v1/gaps?n=0", "n"), ("/v1/alerts/history?n=0", "n"),
        ("/v1/sql?statement=SELECT+1&n=1000000000000000000", "n"), ("/v1/verify?since=10000000000000000000", "since"),
    ])
    func `so is one that the schema of another path refuses`(path: String, parameter: String) async throws {
        try await withServer { server in
            let reply = try await server.get(path)
            #expect(reply.status == 400)
            #expect(try reply.object()["parameter"] as? String == parameter)
        }
    }

    @Test func `dictionaries and definitions are found by their names`() async throws {
        try await withServer { server in
            let list = try APICoding.decode(
                DictionaryList.self, from: Data(try await server.get(APIPath.dictionaries).body))
            #expect(list.dictionaries.map(\.definitions) == [1])
            let all = try APICoding.decode(
                DefinitionList.self, from: Data(try await server.get(APIPath.definitions(dictionary: "shop")).body))
            #expect(all.categories.flatMap(\.definitions).map(\.name) == ["tap_save_button"])
            let key = EventKey(category: "recipe_detail", name: "tap_save_button")
            let one = try APICoding.decode(
                DefinitionReply.self,
                from: Data(try await server.get(APIPath.definition(dictionary: "shop", key: key)).body))
            #expect(one.parameters.map(\.name) == ["keyword"])
            #expect(one.commonParameters.map(\.name) == ["user_id"])
        }
    }

    @Test(arguments: [
        "/v1/dictionaries/other/definitions", "/v1/dictionaries/shop/definitions/recipe_detail/nothing",
        "/v1/dictionaries/shop/definitions/a%2Fb/c",
    ])
    func `what no dictionary has is a problem`(path: String) async throws {
        try await withServer { server in
            let reply = try await server.get(path)
            #expect(reply.status == 404)
        }
    }

    @Test func `gaps come a page at a time`() async throws {
        try await withServer { server in
            let gaps = (0..<3).map { Sample.gap("gap \($0)") }
            try await server.store.save(Sample.batch(1...1, gaps: gaps), journal: "machine")
            let first = try APICoding.decode(GapList.self, from: Data(try await server.get("/v1/gaps?n=2").body))
            #expect(first.gaps.map(\.message) == ["gap 0", "gap 1"])
            let next = try #require(first.next)
            let second = try APICoding.decode(
                GapList.self, from: Data(try await server.get("/v1/gaps?n=2&after=\(next)").body))
            #expect(second.gaps.map(\.message) == ["gap 2"])
            #expect(second.next == nil)
        }
    }

    @Test func `a refused reload is answered with the problem that it is`() async throws {
        try await withServer { server in
            #expect(try await server.request("POST", "/v1/reload").status == 200)
            server.daemon.set(
                reload: .failure(Problem(status: 409, title: "Restart needed", detail: "store.path changed")))
            let reply = try await server.request("POST", "/v1/reload")
            #expect(reply.status == 409)
            #expect(try reply.object()["detail"] as? String == "store.path changed")
        }
    }

    @Test func `several requests share a connection`() async throws {
        try await withServer { server in
            let client = try await server.connect()
            try await client.send("GET /v1/gaps HTTP/1.1\r\nHost: gloss\r\n\r\n")
            let first = try await client.receive()
            #expect(try RawReply(first).status == 200)
            try await client.send("GET /v1/gaps HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\r\n")
            #expect(try await client.reply().status == 200)
        }
    }
}
