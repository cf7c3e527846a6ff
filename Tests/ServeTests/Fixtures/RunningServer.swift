import TestSupport
import API
import Logging
import Model
import ServiceLifecycle
import Store
import Synchronization
import Watches

@testable import Queries
@testable import Serve

/// A control server on a socket in a folder of its own, over a real store.
struct RunningServer {
    let socket: String
    let store: EventStore
    let daemon: FakeDaemon
    var checklists: ChecklistKeeper { daemon.checklists }
    var alerts: AlertKeeper { daemon.alerts }
    /// What is held of what is larger than a page.
    let memory: Budget
    /// The place for counting groups.
    let groupPlaces: Budget
    /// Begins a graceful shutdown.
    let stop: @Sendable () async -> Void

    func event(id: Int64) async throws -> Event? { try await store.events(ids: [id], bytes: .max).page.events.first }

    func connect() async throws -> RawClient { try await RawClient.connect(to: socket) }

    /// One request on a connection of its own.
    func request(_ method: String, _ path: String, body: String? = nil) async throws -> RawReply {
        let client = try await connect()
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        try await client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\(length)\r\n\(body ?? "")")
        return try await client.reply()
    }

    func get(_ path: String) async throws -> RawReply { try await request("GET", path) }
}

/// A journal whose entries have their number in the field NUMBER, and twice in TWICE, once with an x. Odd entries are gone.
private struct NumberedEntries: JournalFieldSource {
    func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        for (entry, place) in places.enumerated() where isWanted() && place.cursor.seqnum % 2 == 0 {
            let number = "\(place.cursor.seqnum)"
            for value in field == "NUMBER" ? [number] : field == "TWICE" ? ["x" + number, number] : [] {
                try Array(value.utf8).withUnsafeBytes { try body(entry, $0) }
            }
        }
    }
}

/// What the daemon would answer.
final class FakeDaemon: DaemonInterface {
    private struct State {
        var tails: [Int] = []
        var fields: [JournalField]? = [JournalField(name: "PRIORITY", value: Array("5".utf8))]
        var dictionaries = [LoadedDictionary(dictionary: Sample.dictionary, loadedAtMicroseconds: Sample.start)]
        var predicates: [ExactString: ExactString] = [
            "quick": "took < 20 and not @plain", "plain": "resolution = plain",
        ]
        var replacements = 0
        var rules: [SourceRule] = []
        var reprocessing: StatusReply.ReprocessingProgress?
        var reload: Result<ReloadReply, Problem> = .success(ReloadReply(changes: ["shop"], dictionaries: []))
        var counts = DaemonCounts()
        var verification = Verification()
        var verifiedSince: [UInt64] = []
        var verificationsRunning = 0
        var reports: [String] = []
    }

    /// What a verification finds, and on the way.
    struct Verification {
        var steps: [JournalVerification] = []
        /// Whether empty steps follow these for ever.
        var isEndless = false
        var result: Result<JournalVerification, Problem> = .success(JournalVerification())
    }

    let checklists: ChecklistKeeper
    let alerts: AlertKeeper
    /// What predicates mean by the dictionaries.
    let meanings = StandingPredicates([], hash: Sample.hash)
    private let state = Mutex(State())

    init(_ store: EventStore) {
        let now = UInt64(Sample.start) + 3_600_000_000
        checklists = ChecklistKeeper(store: store, meanings: meanings, clock: { now }, report: { _ in })
        alerts = AlertKeeper(
            store: store, meanings: meanings, clock: { now }, completeUntil: { now }, report: { _ in })
    }

    /// Each count of tails that was reported.
    var tails: [Int] { state.withLock { $0.tails } }
    func set(fields: [JournalField]?) { state.withLock { $0.fields = fields } }
    func set(dictionaries: [EventDictionary]) {
        set(loaded: dictionaries.map { LoadedDictionary(dictionary: $0, loadedAtMicroseconds: Sample.start) })
    }
    func set(loaded: [LoadedDictionary]) {
        state.withLock {
            $0.dictionaries = loaded
            $0.replacements += 1
        }
        meanings.use(loaded.map(\.dictionary))
    }
    func set(predicates: [ExactString: ExactString]) {
        state.withLock {
            $0.predicates = predicates
            $0.replacements += 1
        }
    }
    func set(rules: [SourceRule]) { state.withLock { $0.rules = rules } }
    func set(reprocessing: StatusReply.ReprocessingProgress?) { state.withLock { $0.reprocessing = reprocessing } }
    /// Since when each verification was asked for.
    var verifiedSince: [UInt64] { state.withLock { $0.verifiedSince } }
    var verificationsRunning: Int { state.withLock { $0.verificationsRunning } }
    /// What the server has reported.
    var reports: [String] { state.withLock { $0.reports } }
    func note(_ report: String) { state.withLock { $0.reports.append(report) } }
    func set(verification: Verification) { state.withLock { $0.verification = verification } }
    func set(counts: DaemonCounts) { state.withLock { $0.counts = counts } }
    func set(reload: Result<ReloadReply, Problem>) { state.withLock { $0.reload = reload } }

    func status() async -> DaemonStatus {
        DaemonStatus(
            version: "0.1", state: .running, problems: [], startedAtMicroseconds: Sample.start,
            uptime: .seconds(90), pid: 4711,
            journal: JournalStatus(
                location: "machine", files: 2, positionTime: nil, lagSeconds: nil, entriesRead: 0,
                entriesPerSecond: 0, catchUp: nil, unreadableFiles: []),
            sinks: [
                SinkActivity(
                    name: "upstream", url: "https://logs.example.com/", state: .retrying,
                    lastError: "connection refused",
                    nextAttempt: WireTime(microseconds: Sample.start + 1_000_000))
            ],
            isPaused: false, privacy: .reveal, reprocessing: state.withLock { $0.reprocessing })
    }

    func counts() async -> DaemonCounts { state.withLock { $0.counts } }
    func dictionaries() async -> [LoadedDictionary] { state.withLock { $0.dictionaries } }
    func dictionary(_ name: String) async -> LoadedDictionary? {
        state.withLock { $0.dictionaries.first { $0.dictionary.options.name == name } }
    }
    func rules() async -> [SourceRule] { state.withLock { $0.rules } }
    func predicates() async -> [ExactString: ExactString] { state.withLock { $0.predicates } }
    func replacements() -> Int { state.withLock { $0.replacements } }
    func reload() async throws -> ReloadReply { try state.withLock { $0.reload }.get() }

    func journalEntry(_ place: EntryPlace, bytes most: Int) async throws -> JournalEntry? {
        guard let fields = state.withLock({ $0.fields }) else { return nil }
        let bytes = fields.reduce(0) { $0 + $1.value.count }
        return JournalEntry(fields: bytes <= most ? fields : [], bytes: bytes)
    }

    func verify(
        since: UInt64, progress: (JournalVerification, Double) async throws -> Void
    ) async throws -> JournalVerification {
        let verification = state.withLock { state in
            state.verifiedSince.append(since)
            state.verificationsRunning += 1
            return state.verification
        }
        defer { state.withLock { $0.verificationsRunning -= 1 } }
        for (index, step) in verification.steps.enumerated() {
            try await progress(step, Double(index + 1) / Double(verification.steps.count))
        }
        while verification.isEndless {
            try await progress(JournalVerification(), 0)
            try await Task.sleep(for: .milliseconds(5))
        }
        return try verification.result.get()
    }

    func hash(of value: String) -> String { Sample.hash(value) }
    func tailsChanged(_ count: Int) { state.withLock { $0.tails.append(count) } }
    func diagnosticList() async -> DiagnosticList { DiagnosticList(diagnostics: []) }
}

/// Runs a server while `body` runs. It is stopped gracefully at the end.
func withServer<Result: Sendable>(
    limits: ControlLimits = ControlLimits(), adminGroup: String? = nil, maximumTails: Int = 8,
    maximumTailLag: Int = 10_000, mode: UInt32 = 0o660, maximumAge: Duration? = nil,
    _ body: @escaping @Sendable (RunningServer) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let store = try await EventStore(
            StoreOptions(
                path: folder + "/events.sqlite", maximumBytes: 1 << 30, maximumAge: maximumAge, whenFull: .pause))
        store.use(NumberedEntries())
        let options = ControlOptions(
            socket: folder + "/control.sock", mode: mode, adminGroup: adminGroup, maximumTails: maximumTails,
            maximumBodyBytes: 64 << 10, maximumTailLag: maximumTailLag)
        let daemon = FakeDaemon(store)
        // What ends a test that hangs is not what a slow machine should meet.
        var limits = limits
        limits.shutdownTime = .seconds(60)
        let server = ControlServer(options: options, store: store, daemon: daemon, limits: limits)
        let (listening, isListening) = AsyncStream<Void>.makeStream()
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    ServerService(server: server, socket: try ControlSocket(options), report: daemon.note) {
                        isListening.finish()
                    }
                ],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        async let running: Void = services.run()
        for await _ in listening {}
        let outcome: Swift.Result<Result, any Error>
        do {
            let running = RunningServer(
                socket: options.socket, store: store, daemon: daemon, memory: server.memory,
                groupPlaces: server.groupPlaces
            ) {
                await services.triggerGracefulShutdown()
            }
            outcome = .success(try await body(running))
        } catch {
            outcome = .failure(error)
        }
        await services.triggerGracefulShutdown()
        try await running
        await store.close()
        return try outcome.get()
    }
}

private struct ServerService: Service {
    let server: ControlServer
    let socket: ControlSocket
    let report: @Sendable (String) -> Void
    let onListening: @Sendable () -> Void

    func run() async throws {
        // Also when the server fails, so that nobody waits for it.
        defer { onListening() }
        try await server.run(on: socket, onListening: onListening, report: report)
    }
}
