import API
import Definitions
import Foundation
import GRDB
import Model
import Synchronization
import TestSupport

@testable import Store
@testable import Watches

/// A real store, a clock that stands still until it is set, and what keeps runs in that store.
struct Keeping {
    let store: EventStore
    let meanings: StandingPredicates
    let keeper: ChecklistKeeper
    let log = Log()

    final class Log: Sendable {
        private let state = Mutex((now: Sample.start, texts: [String]()))
        var now: UInt64 {
            get { state.withLock { $0.now } }
            set { state.withLock { $0.now = newValue } }
        }
        var texts: [String] { state.withLock { $0.texts } }
        func add(_ text: String) { state.withLock { $0.texts.append(text) } }
    }

    static let definitions = """
        # recipe

        Recipes.

        ## show

        Shown.

        - user_id: !bigint
            - user
        - position: !integer?

        ## tap

        Tapped.

        - user_id: !bigint
            - user

        ## done

        Done.

        - user_id: !bigint
            - user

        """

    static func dictionary(_ text: String = definitions) throws -> EventDictionary {
        try DictionaryParser.parse(
            [DefinitionFile(name: "recipe.md", bytes: Array(text.utf8))],
            options: DictionaryOptions(name: "shop", path: "")
        ).dictionary
    }

    /// The same with a parameter that is protected, for a part of the events.
    static func dictionary(user privacy: Privacy, subsystem: String = "*") throws -> EventDictionary {
        let text = definitions.replacing("    - user\n", with: "    - user\n    - privacy: \(privacy.rawValue)\n")
        return try DictionaryParser.parse(
            [DefinitionFile(name: "recipe.md", bytes: Array(text.utf8))],
            options: DictionaryOptions(name: "shop", path: "", subsystem: Glob(subsystem))
        ).dictionary
    }

    /// - Parameter mostBytes: the most that is kept of the subjects of all runs.
    init(_ store: EventStore, _ dictionaries: [EventDictionary], mostBytes: Int = 64 << 20) {
        self.store = store
        meanings = StandingPredicates(dictionaries, hash: Sample.hash)
        keeper = ChecklistKeeper(
            store: store, meanings: meanings, clock: { [log] in log.now }, mostBytes: mostBytes,
            report: { [log] in log.add($0) })
    }

    /// Events of `recipe`, a millisecond apart, the first one at `seqnum` milliseconds after the start.
    func send(_ events: [Sample.Sent], from seqnum: UInt64) async throws {
        try await store.save(Sample.batch(events, from: seqnum), journal: "machine")
    }

    /// Lets saving watches fail, until the trigger `no` is dropped.
    /// - Parameter text: a part of the states that it fails for.
    func refuseWatches(with text: String = "") async throws {
        try await store.database.write {
            try $0.execute(
                sql: """
                    CREATE TEMP TRIGGER no BEFORE INSERT ON main.watches WHEN new.state LIKE '%\(text)%'
                    BEGIN SELECT RAISE(ABORT, 'no'); END
                    """)
        }
    }

    /// Lets nothing be saved while `body` runs.
    func holdingWrites<Value>(_ body: () async throws -> Value) async throws -> Value {
        let (running, hasBegun) = AsyncStream<Void>.makeStream()
        let end = DispatchSemaphore(value: 0)
        let busy = Task {
            try await store.database.write { (_: Database) in
                hasBegun.finish()
                end.wait()
            }
        }
        for await _ in running {}
        let value: Value
        do {
            defer { end.signal() }
            value = try await body()
        }
        try await busy.value
        return value
    }

    @discardableResult
    func start(
        _ text: String, name: String? = nil, condition: String? = nil, since: UInt64? = nil,
        mayReadJournal: Bool = true
    ) async throws -> ChecklistReply {
        try await keeper.start(
            ChecklistStart(
                text: text, format: .yaml, file: "list.yaml", condition: condition, mayReadJournal: mayReadJournal),
            named: name, since: since)
    }

    /// Starts a run as soon as no other one has its name.
    /// - Throws: what was wrong with the last start after half a minute.
    func startWhenFree(_ text: String, name: String) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do {
                try await start(text, name: name)
                return
            } catch {
                guard .now < end else { throw error }
            }
        }
    }
}

func withKeeping(_ body: (Keeping) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let store = try await openStore(folder)
        try await body(Keeping(store, [try Keeping.dictionary()]))
        await store.close()
    }
}

func openStore(_ folder: URL, maximumBytes: Int64 = 512 << 20) async throws -> EventStore {
    try await EventStore(
        StoreOptions(
            path: folder.appending(path: "events.sqlite").path, maximumBytes: maximumBytes, maximumAge: nil,
            whenFull: .pause))
}

extension Sample.Sent {
    static func of(_ name: String, user: Int, _ more: String = "", _ resolution: Resolution = .resolved) -> Self {
        Self("recipe/\(name)", resolution, payload: #"{"user_id":\#(user)\#(more)}"#)
    }
}
