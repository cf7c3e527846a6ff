import API
import Glibc
import Linux
import Model
import Queries
import SQL
import Synchronization

/// A statement that another process runs, `gloss-sql`, whose memory and time are its own.
final class SQLStatement: Sendable {
    private let process: ChildProcess
    private let processes: SQLProcesses
    private let queue = WorkQueue("gloss.sql")
    private let seconds: UInt32
    /// Its place among the statements that run; `nil` when the last line of the answer was read, so that the client, which then
    /// gets that line, can ask for the next one at once.
    private let place: Mutex<Budget.Share?>

    /// The most bytes of an answer that are read at a time.
    private static let chunkBytes = 64 << 10

    /// - Throws: `Problem`, if the program cannot be started.
    init(_ request: SQLRequest, _ processes: SQLProcesses, _ place: Budget.Share) async throws {
        seconds = request.limits.seconds
        self.place = Mutex(place)
        self.processes = processes
        let bytes = Array(try request.encoded())
        let started = await queue.run { Result { () throws(ChildProcess.Failure) in try processes.take() } }
        do {
            process = try started.get()
        } catch {
            throw Problem(
                status: 500, title: "Statements cannot be run", detail: "\(error). gloss-sql belongs beside glossd.")
        }
        let process = process
        processes.prepare()
        await queue.run {
            // What a process does not read that has ended is of no use.
            process.write(bytes)
            process.finish()
        }
    }

    deinit { queue.start { [process] in process.end() } }

    /// Returns the next bytes of the answer; none at the end. Ends the process if the task is cancelled.
    /// - Throws: `CancellationError`; `Problem`, if the process did not come to the end of the answer.
    func next() async throws -> [UInt8] {
        if place.withLock({ $0 == nil }) { return [] }
        let bytes = await withTaskCancellationHandler {
            await queue.run { [process] in process.read(atMost: Self.chunkBytes) }
        } onCancel: {
            process.kill()
        }
        try Task.checkCancellation()
        if bytes.isEmpty {
            let end = await finish()
            place.withLock { $0 = nil }
            if let problem = end.flatMap(problem) { throw problem }
        } else if SQLLine.isEnd(of: bytes) {
            // The client need not wait for the end of the process.
            place.withLock { $0 = nil }
            Task { await finish() }
        }
        return bytes
    }

    /// Waits for the end of the process, when there is no more to read. If none waits for the next statement, one is started.
    @discardableResult
    private func finish() async -> ChildProcess.End? {
        let end = await queue.run { [process] in process.wait() }
        processes.prepare()
        return end
    }

    private func problem(_ end: ChildProcess.End) -> Problem? {
        switch end {
        case .status(0): nil
        case .signal(SIGALRM):
            Problem(
                status: 422, title: "The statement was ended",
                detail: "It took longer than \(seconds) seconds. Ask for fewer events, or for less of each.")
        case .signal(SIGILL), .signal(SIGTRAP), .signal(SIGABRT), .signal(SIGSEGV), .signal(SIGKILL), .signal(SIGBUS):
            Problem(
                status: 422, title: "The statement was ended",
                detail: "It needed more memory than it may have, or glossd has a defect.")
        case .signal(let number):
            Problem(status: 500, title: "The statement was ended", detail: "gloss-sql got signal \(number).")
        case .status(let status):
            Problem(status: 500, title: "The statement was ended", detail: "gloss-sql ended with status \(status).")
        }
    }
}

/// The processes of statements. While one runs, another one is started and waits for the next statement, because starting takes
/// longer than most statements do.
final class SQLProcesses: Sendable {
    private struct Waiting {
        var process: ChildProcess?
        var isStarting = false
        /// Ends the process when it has waited too long.
        var timer: Task<Void, Never>?
    }

    private let waiting = Mutex(Waiting())
    private let queue = WorkQueue("gloss.sql.start")
    private let store: String
    private let patience: Duration

    /// - Parameters:
    ///   - store: the path of the store.
    ///   - patience: how long a process waits before it is ended.
    init(store: String, patience: Duration) { (self.store, self.patience) = (store, patience) }

    /// It stands beside this program, since both must have the same version.
    private static let program = programFolder().map { "\($0)/gloss-sql" } ?? "gloss-sql"

    /// What it needs: the time zone, for `localtime`, and where to sort.
    private static let environment: [String] = ["TZ", "TMPDIR"].compactMap { (name: String) -> String? in
        getenv(name).map { "\(name)=\(String(cString: $0))" }
    }

    private func start() throws(ChildProcess.Failure) -> ChildProcess {
        try ChildProcess(Self.program, ["run", store], environment: Self.environment)
    }

    /// Returns a process that reads a request.
    func take() throws(ChildProcess.Failure) -> ChildProcess {
        let process = waiting.withLock { waiting in
            if waiting.process != nil { waiting.timer?.cancel() }
            return waiting.process.take()
        }
        if let process, process.isRunning { return process }
        return try start()
    }

    /// Starts the process of the next statement. If one waits already, it waits as long again.
    func prepare() {
        guard patience > .zero else { return }
        let starts = waiting.withLock { waiting in
            waiting.timer?.cancel()
            waiting.timer = Task { [weak self, patience] in
                try? await Task.sleep(for: patience)
                if !Task.isCancelled { self?.endWaiting() }
            }
            let starts = waiting.process == nil && !waiting.isStarting
            if starts { waiting.isStarting = true }
            return starts
        }
        if starts { Task { [weak self] in await self?.startNext() } }
    }

    private func endWaiting() {
        let process = waiting.withLock { $0.process.take() }
        if let process { queue.start { process.end() } }
    }

    /// Starts a process. If that fails, the next statement fails, too, and says why.
    private func startNext() async {
        let process = await queue.run { try? self.start() }
        waiting.withLock { ($0.process, $0.isStarting) = (process, false) }
    }
}

/// The tables of SQL, which are named again when a dictionary changes.
final class SQLCatalogs: Sendable {
    private let last = Mutex<(versions: [String], catalog: SQLCatalog)?>(nil)

    func catalog(of dictionaries: [LoadedDictionary]) -> SQLCatalog {
        let versions = dictionaries.map { "\($0.dictionary.options.name)/\($0.dictionary.version)" }
        if let known = last.withLock({ $0 }), known.versions == versions { return known.catalog }
        let catalog = SQLCatalog(dictionaries.map(\.dictionary))
        last.withLock { $0 = (versions, catalog) }
        return catalog
    }
}
