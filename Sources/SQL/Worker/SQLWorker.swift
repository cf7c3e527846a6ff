import API
import FoundationEssentials
import Glibc
import Model
import Store

/// The process that runs one statement: it reads a request and writes the lines of the answer.
///
/// It is a process of its own because a statement may take any time and memory, and because SQLite's limit of memory is for a
/// whole process.
package enum SQLWorker {
    /// Reads the request from stdin and writes the answer to stdout. An error is the last line of the answer.
    /// - Parameter store: the path of the store.
    package static func run(store: String) -> Int32 {
        var writer = RowWriter(STDOUT_FILENO)
        do {
            goFirst()
            var reader: StoreReader?
            if !hasInput(STDIN_FILENO) {
                limit(SQLLimits())
                reader = warmUp(store)
                alarm(0)
            }
            let bytes = try readAll(STDIN_FILENO)
            // There is no statement for this process.
            if bytes.isEmpty { return 0 }
            let request = try SQLRequest(encoded: bytes)
            limit(request.limits)
            let (rows, isCut) = try run(
                request, reader ?? StoreReader(store), columns: { try writer.columns($0) }, row: { try writer.row($0) })
            try writer.end(rows: rows, isCut: isCut)
            return 0
        } catch {
            // If the answer cannot be written, there is nobody to answer.
            return (try? writer.problem(Problem(failure: error))) == nil ? 1 : 0
        }
    }

    /// See `SQLConnection.run`.
    private static func run(
        _ request: SQLRequest, _ store: StoreReader, columns: ([String]) throws -> Void,
        row: (OpaquePointer) throws -> Void
    ) throws -> (rows: Int, isCut: Bool) {
        try store.read { snapshot in
            let connection = try SQLConnection(
                heapBytes: request.limits.heapBytes, temporaryBytes: request.limits.temporaryBytes)
            let events = try snapshot.count()
            for table in request.tables {
                try connection.add(
                    OpenTable(table, among: request.tables, snapshot, request.predicate, events: events))
            }
            try connection.restrict()
            connection.end(with: STDOUT_FILENO)
            return try connection.run(request.statement, limit: request.limit, columns: columns, row: row)
        }
    }

    private static func hasInput(_ descriptor: Int32) -> Bool {
        var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&events, 1, 0) > 0
    }

    /// Does what takes long the first time, before there is a statement: Swift's runtime then searches thousands of conformances
    /// for each type that is decoded, or is used in a generic function.
    /// - Returns: the open store; `nil` if something failed, which fails again with a statement, and is reported then.
    private static func warmUp(_ path: String) -> StoreReader? {
        let catalog = SQLCatalog([])
        let tables = catalog.names.compactMap { catalog[$0] }
        let request = SQLRequest(
            statement: "SELECT time, event FROM events ORDER BY id DESC LIMIT 1", tables: tables,
            predicate: .everything, limit: 1, limits: SQLLimits())
        guard let store = try? StoreReader(path), let read = try? SQLRequest(encoded: request.encoded()),
            (try? run(read, store, columns: { _ in }, row: { _ in })) != nil
        else { return nil }
        return store
    }

    private static func readAll(_ descriptor: Int32) throws -> Data {
        var (bytes, buffer) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SQLFailure(description: errnoText(errno), isMistake: false) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    private static func limit(_ limits: SQLLimits) {
        // The kernel ends the process, whatever it is doing.
        alarm(limits.seconds)
        signal(SIGXFSZ, SIG_IGN)
        // Of one file; TemporaryFiles has the limit of all.
        let fileBytes = UInt(limits.temporaryBytes)
        for (resource, most) in [(RLIMIT_DATA, limits.memoryBytes), (RLIMIT_FSIZE, fileBytes), (RLIMIT_CORE, 0)] {
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        }
    }

    /// If the machine has no memory left, this process goes, not the daemon.
    private static func goFirst() {
        if let file = fopen("/proc/self/oom_score_adj", "we") {
            fputs("1000", file)
            fclose(file)
        }
    }
}

extension Problem {
    /// What a client gets when a statement fails.
    fileprivate init(failure: any Error) {
        switch failure {
        case let failure as SQLFailure:
            self.init(
                status: failure.isMistake ? 422 : 500,
                title: failure.isMistake ? "The statement cannot be run" : "The statement failed",
                detail: failure.description, parameter: "statement")
        case let error as StoreError:
            let detail = [error.description, error.hint].compactMap(\.self).joined(separator: ". ")
            self.init(status: 500, title: "The store cannot be read", detail: detail)
        default: self.init(status: 500, title: "The statement failed", detail: "\(failure)")
        }
    }
}
