import API
import Foundation
import Model
import Store
import TestSupport
import Testing

@testable import Serve

struct StatsTests {
    private static let dictionary = Sample.defining(
        [Sample.definition("account/sign_in", "Signed in.", [Parameter(name: "owner", type: .bigint, role: .user)])],
        common: [Parameter(name: "took", type: .bigint)])

    private static let sent = [
        Sample.Sent("account/sign_in", payload: #"{"owner":1,"took":10}"#),
        Sample.Sent("account/sign_in", payload: #"{"owner":2,"took":30}"#),
        Sample.Sent("account/sign_in", payload: #"{"owner":1,"took":20,"items":[{"price":3}]}"#),
        Sample.Sent("account/sign_in", .plain, payload: "plain"),
    ]

    private func stats(_ query: String) async throws -> StatsReply {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            try await server.store.save(Sample.batch(Self.sent), journal: "machine")
            let reply = try await server.get("/v1/stats?\(query)")
            #expect(reply.status == 200, "\(reply.text)")
            return try APICoding.decode(StatsReply.self, from: Data(reply.body))
        }
    }

    @Test func `events are counted by a key`() async throws {
        let stats = try await stats("by=user&by=resolution")
        #expect(stats.events == 4 && stats.groups == 3 && stats.uncertainty == nil)
        #expect(stats.rows.map(\.count) == [2, 1, 1])
        #expect(stats.rows[0].values.map(\.key) == ["user", "resolution"])
        #expect(stats.rows.map { $0.values.map(\.value) } == [["1", "resolved"], [nil, "plain"], ["2", "resolved"]])
        #expect(stats.rows[0].firstSeen < stats.rows[0].lastSeen && stats.rows[0].trend == nil)
    }

    @Test func `rates are about the range that is asked for`() async throws {
        let all = try #require(try await stats("by=event").rows.first)
        #expect(all.count == 4)
        // Of one moment there is no rate; of a range that was asked for, there is.
        let start = all.firstSeen.microseconds - 3_000_000
        let ranges = "since=\(start)&until=\(start + 10_000_000)"
        #expect(try await stats("by=event&\(ranges)").rows.first?.perSecond == 0.4)
        let end =
            "predicate=time+%3C+%22%40\((start + 4_000_000) / 1_000_000)%22+and+time+%3E%3D+%22%40\(start / 1_000_000)%22"
        let rows = try await stats("by=event&by=minute&\(end)").rows
        #expect(!rows.isEmpty && rows.allSatisfy { ($0.perSecond ?? 0) > 0 })
        // The shorter of two parts of time, in any order.
        let both = try await stats("by=minute&by=month").rows.map(\.perSecond)
        #expect(try await stats("by=month&by=minute").rows.map(\.perSecond) == both)
        #expect(try await stats("by=minute").rows.map(\.perSecond) == both)
        // What is before the first event counts, too, also where nothing says when the range begins.
        let half = "by=hour&zone=utc&until=\(Sample.start + 1_800_000_000)"
        #expect(try await stats(half).rows.map(\.perSecond) == [4.0 / 1800])
        let lasting = UInt64(all.lastSeen.microseconds - all.firstSeen.microseconds)
        #expect((all.perSecond != nil) == (lasting > 0))
    }

    @Test func `events without a value can be left out`() async throws {
        #expect(try await stats("by=payload.took&top=1&none=false").rows.map(\.count) == [1])
        #expect(try await stats("by=payload.took&none=false").events == 3)
        #expect(try await stats("by=payload.took").events == 4)
        #expect(try await stats("by=user&by=level&by=hour&none=false&predicate=took+%3E+10").events == 2)
        #expect(try await stats("by=pid&by=subsystem&none=false").events == 4)
    }

    @Test func `keys are listed if events may have them`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let keys = try APICoding.decode(KeyCatalog.self, from: Data(try await server.get("/v1/keys").body))
            let names = keys.keys.map(\.name)
            #expect(names.contains("user") && names.contains("level") && !names.contains("device"))
        }
    }

    @Test func `too many values of a filter are refused`() async throws {
        try await withServer { server in
            let hosts = (0..<600).map { "host=*a\($0)" }.joined(separator: "&")
            let reply = try await server.get("/v1/stats?\(hosts)")
            #expect(reply.status == 400 && reply.text.contains("more than 500 values"), "\(reply.text)")
            let pids = (0..<4000).map { "pid=\($0)" }.joined(separator: "&")
            #expect(try await server.get("/v1/stats?\(pids)").status == 200)
        }
    }

    @Test func `the numbers and distinct values of a parameter are there when asked for`() async throws {
        let stats = try await stats("of=took&distinct=owner&trend=4&predicate=took+%3E%3D+20")
        let row = try #require(stats.rows.first)
        #expect(stats.events == 2 && row.values.isEmpty && row.distinct == 2)
        #expect(row.numbers?.sum == 50 && row.numbers?.min == 20 && row.numbers?.max == 30 && row.numbers?.p50 == 20)
        #expect(row.numbers?.histogram == nil)
        let ranges = try await self.stats("of=took&histogram=3").rows.first?.numbers?.histogram
        #expect(ranges?.map(\.count) == [1, 1, 1] && ranges?.map(\.from) == [10, 20, 30], "\(ranges ?? [])")
        #expect(row.trend?.count == 4 && row.trend?.reduce(0, +) == 2)
        #expect(stats.trendFrom == stats.firstTime && stats.trendTo == stats.lastTime)
    }

    @Test func `parts of time and elements of arrays are keys`() async throws {
        let stats = try await stats("by=hour&by=payload.items%5B0%5D.price")
        let hour = stats.rows.first?.values.first?.value
        #expect(hour?.hasSuffix(":00:00+00:00") == true)
        #expect(stats.rows.compactMap { $0.values.last?.value } == ["3"])
        #expect(try await self.stats("by=event&where=owner=9").rows.isEmpty)
    }

    @Test func `predicates have names in the settings`() async throws {
        #expect(try await stats("predicate=@quick").events == 1)
        #expect(try await stats("predicate=@plain+or+@quick").events == 2)
        try await withServer { server in
            let reply = try await server.get("/v1/events?predicate=@slow")
            #expect(reply.status == 422)
            let detail = try reply.object()["detail"] as? String
            #expect(detail?.contains("there is no predicate @slow; there are @plain, @quick") == true)
        }
    }

    @Test(arguments: [
        ("by=time", "by"), ("by=ownr", "by"), ("by=message", "by"), ("of=event", "of"), ("of=owner+x", "of"),
        ("by=violation.rule&by=warning.rule", "by"), ("by=level&by=level", "by"), ("by=s&by=subsystem", "by"),
        ("distinct=id", "distinct"), ("by=device", "by"), ("by=event&grep=(", "grep"),
        ("by=event&histogram=5", "histogram"),
    ])
    func `what cannot be a key is refused with its name`(query: String, parameter: String) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Self.dictionary])
            let reply = try await server.get("/v1/stats?\(query)")
            #expect(reply.status == 422)
            #expect(try reply.object()["parameter"] as? String == parameter)
        }
    }
}
