import GRDB
import Model
import TestSupport
import Testing

@testable import Store

/// Tests that events are found by the values of their parameters.
struct ParameterTests {
    private func filter(_ conditions: (names: Set<ExactString>, values: Set<ExactString>)...) -> SimpleFilter {
        var filter = SimpleFilter()
        filter.parameters = conditions.map { SimpleFilter.ParameterCondition(names: $0.names, values: $0.values) }
        return filter
    }

    /// Returns `count` events of a few users and devices, large enough for several blocks.
    private func batch(_ count: Int, _ journal: inout Journal, _ random: inout SeededGenerator) -> ResolvedBatch {
        var batch = ResolvedBatch()
        for _ in 0..<count {
            let user = random.next() % 40
            let payloads = [
                KnownPayload(
                    #"{"user_id":\#(user),"device":"d\#(user % 7)","x":"\#(String(repeating: "x", count: 150))"}"#,
                    parameters: ["user_id": "\(user)", "device": "d\(user % 7)"]),
                KnownPayload(
                    #"{"user_id":"\#(user)","name":"肉じゃが","device":"d\u003\#(user % 7)"}"#,
                    parameters: ["user_id": "\(user)", "name": "肉じゃが", "device": "d\(user % 7)"]),
                KnownPayload(
                    #"{"device":"d1","user_id":1,"user_id":\#(user)}"#,
                    parameters: ["device": "d1", "user_id": "\(user)"]),
                KnownPayload(
                    #"{"owner":\#(user),"user_id":null}"#, parameters: ["owner": "\(user)", "user_id": "null"]),
                KnownPayload("user_id=\(user)", parameters: [:]),
                KnownPayload(#"{"user_id":\#(user)"#, parameters: [:]),
                KnownPayload(
                    #"{"place":{"city":"京都\#(user)"}}"#,
                    parameters: ["place": #"{"city":"京都\#(user)"}"#, "place.city": "京都\(user)"]),
            ]
            let sort = Int(random.next() % UInt64(payloads.count))
            let payload = journal.known(payloads[sort])
            // The resolution says whether the payload is an object.
            let resolution: Resolution = sort == 4 ? .plain : sort == 5 ? .malformed : .unkeyed
            let template = journal.events.randomElement(using: &random)
            let entry = Entry(
                origin: template?.origin ?? origin, level: .notice, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
                realtimeMicroseconds: newYear + UInt64(journal.last), entryHash: random.next(),
                payload: batch.bytes.count..<batch.bytes.count + payload.count)
            let kind = EventKind(dictionary: nil, definitionsVersion: nil, key: nil)
            journal.append(ResolvedEvent(entry: entry, resolution: resolution, kind: kind), payload, to: &batch)
        }
        return batch
    }

    private let origin = Origin(
        [.subsystem: "com.example.app0", .category: "Activity", .host: "web1"], bootID: ID128(high: 1, low: 1),
        seqnumID: ID128(high: 1, low: 2), source: "match")

    private func wanted(_ journal: Journal, _ filter: SimpleFilter) throws -> [Int64] {
        try journal.events.filter(Oracle(journal.events, journal.parameters).meeting(filter)).map(\.id)
    }

    private func meets(_ payload: [UInt8], _ condition: SimpleFilter.ParameterCondition) throws -> Bool {
        let path = Predicate.ParameterPath(names: condition.names)
        return try payload.withUnsafeBytes { try ValueCondition(path, .among(condition.values)).meets($0) }
    }

    @Test func `values are compared as text, and the last one of a repeated name counts`() throws {
        func matches(_ payload: String, _ conditions: (names: Set<ExactString>, values: Set<ExactString>)...) throws
            -> Bool
        {
            try conditions.allSatisfy { names, values in
                try meets(Array(payload.utf8), SimpleFilter.ParameterCondition(names: names, values: values))
            }
        }
        #expect(try matches(#"{"a":7}"#, (["a"], ["7"])))
        #expect(try matches(#"{"a":"7"}"#, (["a"], ["7"])))
        #expect(try matches(#"{"\u0061":"\u0037"}"#, (["a"], ["7"])))
        #expect(try matches(#"{"a":1,"a":7}"#, (["a"], ["7"])))
        #expect(try !matches(#"{"a":7,"a":1}"#, (["a"], ["7"])))
        #expect(try !matches(#"{"a":7.0}"#, (["a"], ["7"])))
        #expect(try !matches(#"{"b":{"a":7}}"#, (["a"], ["7"])))
        #expect(try matches(#"{"b":{"a":7}}"#, (["b.a"], ["7"])))
        #expect(try matches(#"{"a":true,"b":"x"}"#, (["a"], ["true"]), (["b"], ["x", "y"])))
        #expect(try !matches(#"{"a":true,"b":"z"}"#, (["a"], ["true"]), (["b"], ["x", "y"])))
        #expect(try matches(#"{"owner":7}"#, (["user", "owner"], ["7"])))
    }

    @Test func `queries find the same events as checking each of them`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(seed: 3)
            var random = SeededGenerator(seed: 11)
            var store = try await EventStore.open(folder, maximumBytes: 3 << 20)
            try await store.save(journal.batch(50), journal: "machine")
            for _ in 0..<4 {
                for count in [700, 90, 700] {
                    try await store.save(batch(count, &journal, &random), journal: "machine")
                }
                // The result is the same after a restart.
                await store.close()
                store = try await EventStore.open(folder, maximumBytes: 3 << 20)
                try await store.save(batch(300, &journal, &random), journal: "machine")
            }
            for user in 0..<12 {
                var filters = [
                    filter((["user_id"], ["\(user)"])), filter((["user_id", "owner"], ["\(user)", "1"])),
                    filter((["device"], ["d\(user % 7)"]), (["user_id"], ["\(user)"])), filter((["name"], ["肉じゃが"])),
                    filter((["device"], ["none"])),
                    filter((["place.city"], ["京都\(user)"])), filter((["place"], [#"{"city":"京都1"}"#])),
                ]
                filters.append(filters[0])
                filters[7].subsystems = ["com.example.app1"]
                for filter in filters {
                    let ids = try wanted(journal, filter)
                    #expect(try await store.all(filter, limit: 300).map(\.id) == ids)
                    #expect(try await store.all(filter, order: .newest, limit: 40).map(\.id) == ids.reversed())
                }
            }
            #expect(try !wanted(journal, filter((["place"], [#"{"city":"京都1"}"#]))).isEmpty)
            await store.close()
        }
    }

    @Test func `a replaced value is no longer found, but its replacement is`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(seed: 5)
            var random = SeededGenerator(seed: 5)
            let store = try await EventStore.open(folder, maximumBytes: 3 << 20)
            for _ in 0..<5 { try await store.save(batch(500, &journal, &random), journal: "machine") }
            let found = try await store.all(filter((["user_id"], ["17"])))
            #expect(found.count > 10)
            let changes = found.map {
                ReprocessedEvent(
                    id: $0.id, resolution: $0.resolution, kind: $0.kind,
                    payload: Array(#"{"user_id":"<private>"}"#.utf8))
            }
            #expect(try await store.replace(changes).values.reduce(0, +) == found.count)
            changes.forEach { journal.replace($0) }
            #expect(try await store.all(filter((["user_id"], ["17"]))).isEmpty)
            #expect(try await store.all(filter((["user_id"], ["<private>"]))).map(\.id) == found.map(\.id))
            #expect(
                try await store.all(filter((["user_id"], ["18"]))).map(\.id)
                    == wanted(journal, filter((["user_id"], ["18"]))))
            await store.close()
        }
    }
}
