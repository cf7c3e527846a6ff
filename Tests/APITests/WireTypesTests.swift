import Foundation
import Model
import Testing

@testable import API

struct WireTypesTests {
    @Test func `status has the keys that scripts rely on`() throws {
        let status = StatusReply(
            version: "0.1", state: .catchingUp, problems: [.init(.sinkHeld, what: "w", hint: "h")],
            startedAt: WireTime(microseconds: 0), uptimeSeconds: 1.5, pid: 1,
            journal: JournalStatus(
                location: "machine", files: 12, positionTime: WireTime(microseconds: 1), lagSeconds: 2,
                entriesRead: 3, entriesPerSecond: 4,
                entries: .init(EntryCounts(stored: 1, skipped: 20, duplicates: 300, expired: 4000)),
                catchUp: .init(percent: 50, entriesPerSecond: 5, secondsLeft: 6),
                unreadableFiles: [.init(path: "p", reason: "r")]),
            events: EventCounts(stored: 1, oldestTime: nil, newestTime: nil, newestID: 9, everSeen: ["resolved": 1]),
            dictionaries: [], sinks: [], gaps: GapCounts(count: 1, droppedEvents: 2),
            store: StoreStatus(path: "p", bytes: 1, maxBytes: 2, whenFull: "pause", paused: false), tails: 0)
        let data = try APICoding.encode(status)
        let text = String(decoding: data, as: UTF8.self)
        for key in [
            "started_at", "uptime_seconds", "position_time", "lag_seconds", "entries_read", "entries_per_second",
            "files", "entries", "skipped", "duplicates", "expired", "catch_up", "seconds_left", "unreadable_files",
            "newest_id", "dropped_events", "max_bytes", "when_full",
        ] {
            #expect(text.contains("\"\(key)\":"), "\(key)")
        }
        #expect(text.contains(#""state":"catching-up""#))
        #expect(text.contains(#""read":4321"#))
        #expect(try APICoding.decode(StatusReply.self, from: data) == status)
    }

    @Test func `a problem is an RFC 9457 document`() throws {
        let problem = Problem(status: 400, title: "Bad query", detail: "n must be a number", parameter: "n")
        let data = try APICoding.encode(problem)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"detail":"n must be a number","parameter":"n","status":400,"#
                + #""title":"Bad query","type":"about:blank"}"#
        )
        #expect(try APICoding.decode(Problem.self, from: data) == problem)
    }

    @Test func `a definition's own parameters stand apart from its category's and the common ones`() throws {
        let custom = ParameterType.custom(name: "SearchOrder", meaning: .values(["date", "popularity"]))
        let dictionary = EventDictionary(
            options: DictionaryOptions(name: "shop", path: "/d"), version: "v",
            common: [Parameter(name: "user_id", type: .bigint)],
            categories: [
                DefinitionCategory(
                    name: "search", title: nil, description: "", parameters: [Parameter(name: "col", type: .string())],
                    definitions: [
                        Definition(
                            key: EventKey(category: "search", name: "run"), description: "", isObsolete: true,
                            parameters: [Parameter(name: "order", type: custom, isOptional: true)], line: 3)
                    ])
            ])
        let reply = try #require(DefinitionReply(EventKey(category: "search", name: "run"), in: dictionary))
        #expect(reply.parameters.map(\.values) == [["date", "popularity"]])
        #expect(reply.categoryParameters.map(\.name) == ["col"])
        #expect(reply.commonParameters.map(\.type) == ["bigint"])
        #expect(reply.obsolete)
        #expect(try APICoding.decode(DefinitionReply.self, from: APICoding.encode(reply)) == reply)
        #expect(DefinitionReply(EventKey(category: "search", name: "walk"), in: dictionary) == nil)
        let loaded = LoadedDictionary(dictionary: dictionary, loadedAtMicroseconds: 0)
        #expect(DictionaryStatus(loaded).definitions == 1)
    }
}
