import TestSupport
import API
import Foundation
import Model
import Store
import Testing

@testable import Queries
@testable import Serve

struct DictionariesTests {
    private static let key = EventKey(category: "recipe_detail", name: "tap_save_button")

    private func withEveryKind(
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            try await server.store.save(Sample.batch(Sample.everyKind), journal: "machine")
            try await server.store.keep(Sample.shop, files: [], loadedMicroseconds: Sample.start)
            try await body(server)
        }
    }

    @Test func `a dictionary shows what is wrong with its files as they are now`() async throws {
        try await withServer { server in
            let problem = DefinitionProblemReply(
                file: "search.md", line: 7, column: 3, severity: .error, rule: "unknown-type", message: "write !string")
            server.daemon.set(loaded: [
                LoadedDictionary(
                    dictionary: Sample.shop, loadedAtMicroseconds: Sample.start, problem: "search.md:7: error",
                    problems: [problem])
            ])
            let list = try await server.decoded(DictionaryList.self, APIPath.dictionaries)
            #expect(list.dictionaries.map(\.problems) == [[problem]])
            #expect(list.dictionaries.map(\.problem) == ["search.md:7: error"])
            #expect(list.dictionaries.map(\.key) == [["event_category", "event_name"]])
        }
    }

    @Test func `a dictionary that could not be loaded yet has neither a version nor a time`() async throws {
        try await withServer { server in
            let none = EventDictionary(options: Sample.shop.options, version: "", common: [], categories: [])
            server.daemon.set(loaded: [
                LoadedDictionary(dictionary: none, loadedAtMicroseconds: Sample.start, problem: "search.md:7: error")
            ])
            let text = try await server.get(APIPath.dictionaries).text
            #expect(!text.contains("loaded_at") && !text.contains("\"version\""), "\(text)")
            let status = try await server.decoded(DictionaryList.self, APIPath.dictionaries).dictionaries
            #expect(status.map(\.loadedAt) == [nil])
        }
    }

    @Test func `the list of definitions counts the events of each`() async throws {
        try await withEveryKind { server in
            let path = APIPath.definitions(dictionary: "shop")
            let items = try await server.decoded(DefinitionList.self, path).categories.flatMap(\.definitions)
            #expect(
                items.map(\.seen) == [["resolved": 2, "violating": 2], [:], ["resolved": 1], [:], ["resolved": 1]])
            #expect(items.map(\.state) == [.seen, .unseen, .obsolete, .obsolete, .seen])
            #expect(items[0].lastSeen == WireTime(microseconds: Sample.start + 4000))
            var query = DefinitionQuery()
            query.search = "共有"
            let found = try await server.decoded(
                DefinitionList.self, APIPath.definitions(dictionary: "shop", query))
            #expect(found.categories.flatMap(\.definitions).map(\.name) == ["never_sent"])
        }
    }

    @Test(arguments: ["search=", "state=x", "n=-1", "after=gone/event", "words=x"])
    func `a wrong parameter of the list is a problem`(query: String) async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/dictionaries/shop/definitions?\(query)")
            #expect(reply.status == (query.hasPrefix("after") ? 422 : 400))
            #expect(try reply.object()["parameter"] as? String == query.split(separator: "=").first.map(String.init))
        }
    }

    @Test func `one definition comes with its use, violations, links and an example`() async throws {
        try await withEveryKind { server in
            let reply = try await server.get(APIPath.definition(dictionary: "shop", key: Self.key))
            let detail = try DefinitionDetail.parse(reply.body)
            #expect(detail.facts.version == "0123456789abcdef" && detail.facts.state == .seen)
            #expect(detail.facts.usage.total == ["resolved": 2, "violating": 2])
            #expect(detail.facts.usage.firstSeen == WireTime(microseconds: Sample.start + 1000))
            #expect(detail.facts.usage.lastSeen == WireTime(microseconds: Sample.start + 4000))
            #expect(detail.facts.usage.watchedSince == WireTime(microseconds: Sample.start))
            #expect(
                detail.facts.violations == [
                    ViolationUse(
                        parameter: "recipe_id", rule: "type", count: 2,
                        lastSeen: WireTime(microseconds: Sample.start + 3000)),
                    ViolationUse(
                        parameter: "user_id", rule: "missing", count: 1,
                        lastSeen: WireTime(microseconds: Sample.start + 2000)),
                ])
            #expect(detail.example?.id == 4)
            #expect(reply.text.contains(#""payload":{"recipe_id":1.50e3}"#))
            // The example has no path.
            #expect(detail.facts.links.map(\.url) == ["https://sql.example.com/recipe_detail/tap_save_button"])
        }
    }

    @Test func `a definition without events has neither use nor example`() async throws {
        try await withEveryKind { server in
            let key = EventKey(category: "recipe_detail", name: "never_sent")
            let detail = try DefinitionDetail.parse(
                try await server.get(APIPath.definition(dictionary: "shop", key: key)).body)
            #expect(detail.facts.state == .unseen)
            #expect(detail.example == nil)
            #expect(detail.facts.usage == DefinitionUse(watchedSince: WireTime(microseconds: Sample.start)))
        }
    }

    @Test func `day and week end now, and count what is stored`() async throws {
        try await withEveryKind { server in
            let definition = try #require(DefinitionReply(Self.key, in: Sample.shop))
            func usage(_ afterStart: UInt64) async throws -> DefinitionUse {
                var history = DefinitionHistory(
                    source: EventSource(server.store, server.memory, PageLimits()), dictionary: Sample.loadedShop,
                    definition: definition, now: Sample.start + afterStart)
                return try DefinitionDetail.parse(Array(try await history.reply().joined())).facts.usage
            }
            // The events were sent from one to four milliseconds after the start: resolved, violating twice, resolved.
            let day: UInt64 = 86_400_000_000
            let all: [String: Int64] = ["resolved": 2, "violating": 2]
            let soon = try await usage(4000)
            #expect(soon.day == all && soon.week == all)
            let nextDay = try await usage(day + 1500)
            #expect(nextDay.day == ["resolved": 1, "violating": 2] && nextDay.week == all)
            let nextWeek = try await usage(7 * day + 3500)
            #expect(nextWeek.day == [:] && nextWeek.week == ["resolved": 1])
            #expect(nextWeek.total == all)
        }
    }

    @Test func `an example of another dictionary or another outcome is none`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            let key = "recipe_detail/tap_save_button"
            try await server.store.save(
                Sample.batch([
                    Sample.Sent(key, .violating, violations: [Sample.missing]),
                    Sample.Sent(key).with {
                        $0.dictionary = "other"
                        $0.subsystem = "org.other"
                    },
                ]), journal: "machine")
            let detail = try DefinitionDetail.parse(
                try await server.get(APIPath.definition(dictionary: "shop", key: Self.key)).body)
            #expect(detail.example?.id == 1)
            #expect(detail.facts.usage.total == ["violating": 1])
        }
    }

    @Test func `an example is one that keeps to the definition still, after events were reprocessed`() async throws {
        try await withEveryKind { server in
            let kind = EventKind(
                dictionary: "shop", definitionsVersion: Sample.shop.version, key: EventKey(category: "x", name: "y"))
            let changes = [ReprocessedEvent(id: 4, resolution: .undefined, kind: kind)]
            #expect(try await server.store.replace(changes).values.reduce(0, +) == 1)
            let detail = try DefinitionDetail.parse(
                try await server.get(APIPath.definition(dictionary: "shop", key: Self.key)).body)
            #expect(detail.example?.id == 1)
            #expect(detail.facts.usage.total == ["resolved": 1, "violating": 2])
            #expect(detail.facts.links.map(\.name) == ["SQL", "page"])
            let status = try await server.decoded(StatusReply.self, APIPath.status)
            #expect(status.events?.reprocessed == 1)
        }
    }

    @Test func `an event comes with its links, and the version in force where that is another`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            let key = "recipe_detail/tap_save_button"
            let old = Sample.Sent(key, payload: #"{"path":"/recipes/12?x=1"}"#).with { $0.version = "fedcba9876543210" }
            try await server.store.save(Sample.batch([old, Sample.Sent(key)]), journal: "machine")
            let first = try EventDetail.parse(try await server.get("/v1/events/1").body)
            #expect(first.currentVersion == "0123456789abcdef")
            #expect(first.event.definitionsVersion == "fedcba9876543210")
            #expect(
                first.links == [
                    LinkReply(name: "SQL", url: "https://sql.example.com/recipe_detail/tap_save_button"),
                    LinkReply(name: "page", url: "https://example.com/?path=%2Frecipes%2F%2A"),
                ])
            let second = try EventDetail.parse(try await server.get("/v1/events/2").body)
            #expect(second.currentVersion == nil)
            #expect(second.links.map(\.name) == ["SQL"])
        }
    }

    @Test func `versions are listed, and their files come back as they were`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            let file = DefinitionFile(name: "search.md", bytes: Array("## run\r\n検索".utf8))
            try await server.store.keep(Sample.shop, files: [file], loadedMicroseconds: Sample.start)
            let list = try await server.decoded(DictionaryVersionList.self, APIPath.versions(dictionary: "shop"))
            #expect(list.current == "0123456789abcdef")
            #expect(list.versions.map(\.version) == ["0123456789abcdef"])
            #expect(list.versions.map(\.definitions) == [5])
            #expect(list.versions.map(\.key) == [["event_category", "event_name"]])
            #expect(list.versions.map(\.loadedAt) == [WireTime(microseconds: Sample.start)])
            #expect(list.versions.map(\.files) == [true])
            let files = try await server.decoded(
                DictionaryFiles.self, APIPath.versions(dictionary: "shop") + "/0123456789abcdef")
            #expect(files.files == [.init(name: "search.md", text: "## run\r\n検索")])
        }
    }

    @Test func `many files come back, whatever they are together`() async throws {
        try await withServer { server in
            server.daemon.set(dictionaries: [Sample.shop])
            let files = (0..<300).map {
                DefinitionFile(name: "f\($0).md", bytes: Array(String(repeating: "\($0) ", count: $0 * 10).utf8))
            }
            try await server.store.keep(Sample.shop, files: files, loadedMicroseconds: Sample.start)
            let reply = try await server.get(APIPath.versions(dictionary: "shop") + "/\(Sample.shop.version)")
            #expect(reply.isComplete)
            let found = try APICoding.decode(DictionaryFiles.self, from: Data(reply.body)).files
            #expect(found.map(\.name) == files.map(\.name).sorted())
            #expect(Set(found.map { Array($0.text.utf8) }) == Set(files.map(\.bytes)))
        }
    }

    @Test(arguments: ["/v1/dictionaries/shop/versions/none", "/v1/dictionaries/none/versions"])
    func `a version that is not kept is not found`(path: String) async throws {
        try await withServer { server in
            let reply = try await server.get(path)
            #expect(reply.status == 404)
        }
    }

    @Test func `a definition with an error is said to have one`() async throws {
        try await withServer { server in
            var dictionary = Sample.shop
            let key = EventKey(category: "recipe_detail", name: "share")
            dictionary.broken = [key: "recipe_detail.md:10"]
            server.daemon.set(dictionaries: [dictionary])
            let reply = try await server.get(APIPath.definition(dictionary: "shop", key: key))
            #expect(reply.status == 422)
            #expect(
                reply.text.contains(
                    "recipe_detail/share of the dictionary shop is not in force: its definition has an error: recipe_detail.md:10"
                ), "\(reply.text)")
        }
    }

    @Test func `status shows whether values are revealed, and how far reprocessing is`() async throws {
        try await withServer { server in
            let quiet = try await server.decoded(StatusReply.self, APIPath.status)
            #expect(quiet.privacy == "reveal")
            #expect(quiet.reprocessing == nil)
            #expect(quiet.events?.reprocessed == 0)
            server.daemon.set(reprocessing: StatusReply.ReprocessingProgress(done: 3, total: 7))
            let busy = try await server.decoded(StatusReply.self, APIPath.status)
            #expect(busy.reprocessing == .init(done: 3, total: 7))
        }
    }
}

extension RunningServer {
    fileprivate func decoded<Reply: Decodable>(_ type: Reply.Type, _ path: String) async throws -> Reply {
        try APICoding.decode(type, from: Data(try await get(path).body))
    }
}
