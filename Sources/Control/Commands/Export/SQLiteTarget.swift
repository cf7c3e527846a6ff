import API
import Glibc
import Linux

/// A file of SQLite, which gloss-sql writes, so that glossctl need not contain SQLite.
final class SQLiteTarget: ExportTarget {
    let path: String
    private let writer: ChildProcess
    private var pending: [UInt8] = []
    private static let chunkBytes = 256 << 10

    /// - Parameter replaces: whether a file that is there may be replaced.
    init(_ path: String, replaces: Bool, _ console: Console) throws {
        guard replaces || access(path, F_OK) != 0 else {
            throw ControlError.no("\(path) exists already; --force replaces it")
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw ControlError.no("\(path) is no file that could be replaced")
        }
        if let journal = LeftJournal(of: path) { throw ControlError.no("\(journal)") }
        self.path = path
        let program = try InstalledProgram(name: "gloss-sql").path(console)
        do {
            // Ctrl-C ends glossctl alone: the writer then removes what is not complete.
            writer = try ChildProcess(program, [replaces ? "replace" : "write", path], hasGroup: true)
        } catch {
            throw ControlError.notInstalled("\(error)")
        }
    }

    func begin(_ table: TableReply) throws { try write(try ExportLine.beginning(table)) }

    func resume(_ table: TableReply) throws { try write(ExportLine.more(of: table)) }

    func add(_ line: [UInt8], _ cells: @autoclosure () throws -> [SQLCell]) throws {
        pending += line
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.chunkBytes { try write([]) }
    }

    private func write(_ bytes: [UInt8]) throws {
        pending += bytes
        let isRead = writer.write(pending)
        pending.removeAll(keepingCapacity: true)
        if !isRead { throw failure() }
    }

    func end() throws {
        try write(ExportLine.ending)
        let failure = failure()
        guard writer.wait() == .status(0) else { throw failure }
    }

    /// What the writer says when it ends with a failure. Returns when it has closed its output.
    private func failure() -> ControlError {
        writer.finish()
        var bytes: [UInt8] = []
        while case let piece = writer.read(atMost: 4096), !piece.isEmpty { bytes += piece }
        let text = String(decoding: bytes.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return .no(text.isEmpty ? "\(path): gloss-sql has ended" : text)
    }

    var leftovers: [String] { [] }

    /// The writer removes its file when the last line does not come.
    func abandon() {
        writer.finish()
        _ = writer.wait()
    }
}
