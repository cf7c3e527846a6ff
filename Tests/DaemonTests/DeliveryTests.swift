import API
import Definitions
import Dictionaries
import Forward
import Foundation
import Model
import Resolve
import Serve
import Store
import TestSupport
import Testing
import Watches

@testable import Daemon

/// Sinks on a real store whose upstream refuses every connection: what they are about to send is in the store.
@Suite(.timeLimit(.minutes(1)))
struct DeliveryTests {
    private struct Setup {
        let store: EventStore
        let meanings: StandingPredicates
        let delivery: Delivery
        let log = LogRecord()

        init(_ folder: URL) async throws {
            store = try await EventStore(
                StoreOptions(
                    path: folder.appending(path: "events.sqlite").path, maximumBytes: 64 << 20, maximumAge: nil,
                    whenFull: .pause))
            let set = try DeliveryTests.set(.reveal)
            meanings = StandingPredicates(set.dictionaries) { "<hash:\($0)>" }
            delivery = Delivery(store: store, dictionarySet: set, meanings: meanings, logger: log.logger)
        }

        func use(_ dictionaries: DictionarySet) async {
            meanings.use(dictionaries.dictionaries)
            await delivery.use(dictionaries)
        }

        var states: [String: SinkStatus.State] {
            get async {
                Dictionary(uniqueKeysWithValues: await delivery.activities().map { ($0.name, $0.state) })
            }
        }

        /// What a sink has put into a batch, as soon as there is one.
        func batch(_ sink: String) async throws -> String {
            while true {
                if let batch = try await store.frozenBatch(ofSink: sink) {
                    return String(decoding: batch.body, as: UTF8.self)
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Saves an event as it is while private values are revealed.
        func save(_ payload: String) async throws {
            var batch = EntryBatch(bytes: Array(payload.utf8), entriesRead: 1)
            batch.entries = [
                Entry(
                    origin: .sample(), level: .info, pid: 1, seqnum: 1, monotonicMicroseconds: 1,
                    realtimeMicroseconds: 1_795_222_800_000_000, entryHash: 1, payload: 0..<batch.bytes.count)
            ]
            var resolver = try DeliveryTests.set(.reveal).resolver
            try await store.save(CountedBatch(resolver.resolve(batch)), journal: "test")
        }
    }

    private static func set(_ privacy: PrivacyMode) throws -> DictionarySet {
        let text = "# user\n\nUsers.\n\n## join\n\nJoined.\n\n- mail: !string\n    - privacy: private\n"
        let files = [DefinitionFile(name: "user.md", bytes: Array(text.utf8))]
        let dictionary = try DictionaryParser.parse(files, options: DictionaryOptions(name: "shop", path: ""))
            .dictionary
        return DictionarySet([dictionary], protection: Protection(mode: privacy, key: [7]))
    }

    private static let payload = #"{"event_category":"user","event_name":"join","mail":"alice@example.com"}"#

    private func sink(
        _ name: String, enabled: Bool = true, url: String = "http://127.0.0.1:9/", start: StartPoint = .oldest
    ) -> SinkOptions {
        var options = SinkOptions(name: name, url: url)
        (options.isEnabled, options.start, options.compression) = (enabled, start, .none)
        options.maximumBatchAge = .zero
        (options.backoffBase, options.backoffCap) = (.seconds(60), .seconds(60))
        return options
    }

    private func withDelivery(_ body: (Setup) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let setup = try await Setup(folder)
            try await body(setup)
            await setup.delivery.use([])
            await setup.store.close()
        }
    }

    @Test func `the sinks that the settings name run, and no others`() async throws {
        try await withDelivery { setup in
            await setup.delivery.use([sink("one"), sink("two", enabled: false)])
            #expect(await setup.states == ["one": .ok, "two": .disabled])
            let opened = try await setup.store.openedSinks().map(\.name)
            #expect(opened.sorted() == ["one", "two"])
            await setup.delivery.use([sink("two")])
            #expect(await setup.states == ["two": .ok])
            let stillOpen = try await setup.store.openedSinks().map(\.name)
            #expect(stillOpen == ["two"], "it holds no events back any more")
        }
    }

    @Test func `of two lists of sinks that come together, one is in force, in the store as well`() async throws {
        try await withDelivery { setup in
            for number in 1...20 {
                // To open it takes longer: where it begins is looked for.
                let first = sink("first \(number)", start: .ago(.seconds(1)))
                let second = sink("second \(number)")
                await withTaskGroup(of: Void.self) { group in
                    for sink in [first, second] { group.addTask { await setup.delivery.use([sink]) } }
                }
                let names = await setup.delivery.activities().map(\.name)
                #expect(names.count == 1)
                let opened = try await setup.store.openedSinks().map(\.name)
                #expect(opened == names)
            }
        }
    }

    @Test func `a sink that stays keeps its batch, and so does one that comes back`() async throws {
        try await withDelivery { setup in
            try await setup.save(Self.payload)
            await setup.delivery.use([sink("one"), sink("two")])
            let first = try await setup.batch("one")
            _ = try await setup.batch("two")
            let second = try await setup.store.frozenBatch(ofSink: "two")
            await setup.delivery.use([sink("one", url: "http://127.0.0.1:9/other")])
            #expect(try await setup.batch("one") == first)
            await setup.delivery.use([sink("one"), sink("two")])
            #expect(try await setup.store.frozenBatch(ofSink: "two") == second)
        }
    }

    @Test func `a sink that comes back goes on counting its attempts`() async throws {
        try await withDelivery { setup in
            try await setup.save(Self.payload)
            // By itself, it does not try again for as long as this takes.
            var one = sink("one")
            (one.backoffBase, one.backoffCap) = (.seconds(86_400), .seconds(86_400))
            for count in UInt64(1)...2 {
                await setup.delivery.use([one])
                while await setup.delivery.attempts().reduce(0, { $0 + $1.times.total }) < count {
                    try await Task.sleep(for: .milliseconds(5))
                }
                await setup.delivery.use([])
            }
        }
    }

    @Test func `what is private by the dictionaries in force goes into no batch`() async throws {
        try await withDelivery { setup in
            try await setup.save(Self.payload)
            await setup.delivery.use([sink("before")])
            #expect(try await setup.batch("before").contains("alice@example.com"), "it was stored as it is")
            await setup.use(try Self.set(.protect))
            await setup.delivery.use([sink("before"), sink("after")])
            let batch = try await setup.batch("after")
            #expect(batch.contains("join") && !batch.contains("alice"))
            #expect(try await setup.batch("before").contains("alice"), "a frozen batch keeps its bytes")
        }
    }

    @Test func `sinks that the store cannot open wait, are reported once, and do not stop the others`() async throws {
        try await withDelivery { setup in
            await setup.delivery.use([sink("one")])
            await setup.store.close()
            await setup.delivery.use([sink("one"), sink("two")])
            #expect(await setup.delivery.activities().map(\.name) == ["one", "two"])
            #expect(await setup.states["two"] == .paused)
            await setup.delivery.openWaiting()
            #expect(await setup.delivery.problems.map(\.code) == ["sink.not-opened"])
            #expect(setup.log.lines.filter { $0.hasPrefix("error: Not all sinks can run") }.count == 1)
        }
    }

    @Test func `a reload that comes while sinks are stopped starts none`() async throws {
        try await withDelivery { setup in
            await setup.delivery.use([sink("one")])
            let running = Task { try await setup.delivery.run() }
            running.cancel()
            try await running.value
            await setup.delivery.use([sink("one"), sink("two")])
            #expect(await setup.states.isEmpty)
        }
    }

    @Test func `a predicate selects events by the dictionaries in force`() async throws {
        try await withDelivery { setup in
            try await setup.save(Self.payload)
            try await setup.save(#"{"event_category":"user","event_name":"leave"}"#)
            var wanted = sink("wanted")
            wanted.predicate = "event == user/join and mail beginswith alice"
            var others = sink("others")
            others.predicate = "not event == user/join"
            await setup.delivery.use([wanted, others])
            let (joined, left) = (try await setup.batch("wanted"), try await setup.batch("others"))
            #expect(joined.contains("alice@example.com") && !joined.contains("leave"))
            #expect(left.contains("leave") && !left.contains("join"))
        }
    }

    @Test func `a sink waits for a dictionary that gives its predicate a meaning`() async throws {
        try await withDelivery { setup in
            await setup.use(DictionarySet([], protection: Protection(mode: .reveal, key: [7])))
            try await setup.save(Self.payload)
            var sink = sink("one")
            sink.predicate = "exists mail"
            await setup.delivery.use([sink])
            while await setup.states["one"] != .held { try await Task.sleep(for: .milliseconds(5)) }
            let error = try #require(await setup.delivery.activities().first?.lastError)
            #expect(
                error.contains("its predicate cannot be used: there is no key and no defined parameter mail"),
                "\(error)")
            await setup.use(try Self.set(.reveal))
            #expect(try await setup.batch("one").contains("alice@example.com"))
        }
    }

    @Test(arguments: ["time > -5m", "time > today", "message matches '('", "@none", "journal._EXE == x"])
    func `what a predicate of a sink may not have holds it`(predicate: String) throws {
        #expect(throws: PredicateFault.self) { try StandingPredicates.predicate(predicate, []) }
        #expect(try StandingPredicates.predicate("time > '2026-11-21 10:00'", []) != .everything)
    }

    @Test func `values that are stored as hashes are found by a sink`() throws {
        let text = "# user\n\nUsers.\n\n## join\n\nJoined.\n\n- mail: !string\n    - privacy: hash\n"
        let dictionary = try DictionaryParser.parse(
            [DefinitionFile(name: "user.md", bytes: Array(text.utf8))],
            options: DictionaryOptions(name: "shop", path: "")
        ).dictionary
        var sink = sink("one")
        sink.predicate = "mail == a"
        let predicate = try StandingPredicates([dictionary], hash: { "<hash:\($0)>" }).predicate(of: sink)
        #expect(predicate == .parameter(Predicate.ParameterPath(names: ["mail"]), .among(["a", "<hash:a>"])))
        #expect(throws: PredicateFault.self) { try StandingPredicates.predicate("mail ==[c] a", [dictionary]) }
    }
}
