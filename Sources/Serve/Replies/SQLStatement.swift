import API
import Glibc
import JSON
import Linux
import Model
import SQL
import Synchronization

/// A statement that another process runs, `gloss-sql`, whose memory and time are its own.
final class SQLStatement: Sendable {
    private let process: ChildProcess
    private let queue = WorkQueue("gloss.sql")
    private let seconds: UInt32

    /// The most bytes of an answer that are read at a time.
    private static let chunkBytes = 64 << 10

    /// - Throws: `Problem`, if the program cannot be started.
    init(_ request: SQLRequest) async throws {
        seconds = request.limits.seconds
        let bytes = Array(try request.encoded())
        do {
            process = try ChildProcess(Self.program, ["run"], environment: Self.environment)
        } catch {
            throw Problem(
                status: 500, title: "Statements cannot be run", detail: "\(error). gloss-sql belongs beside glossd.")
        }
        let process = process
        await queue.run {
            // What a process does not read that has ended is of no use.
            process.write(bytes)
            process.finish()
        }
    }

    /// It stands beside this program, since both must have the same version.
    private static let program = programFolder().map { "\($0)/gloss-sql" } ?? "gloss-sql"

    /// What it needs: the time zone, for `localtime`, and where to sort.
    private static let environment: [String] = ["TZ", "TMPDIR"].compactMap { (name: String) -> String? in
        getenv(name).map { "\(name)=\(String(cString: $0))" }
    }

    /// Returns the next bytes of the answer; none at the end. Ends the process if the task is cancelled.
    /// - Throws: `CancellationError`; `Problem`, if the process did not come to the end of the answer.
    func next() async throws -> [UInt8] {
        let bytes = await withTaskCancellationHandler {
            await queue.run { [process] in process.read(atMost: Self.chunkBytes) }
        } onCancel: {
            process.kill()
        }
        try Task.checkCancellation()
        if bytes.isEmpty, let problem = await queue.run({ [process] in process.wait() }).flatMap(problem) {
            throw problem
        }
        return bytes
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
