import API
import Glibc
import Model

/// A folder with a CSV file for each table. Files have other names until all are complete.
final class CSVTarget: ExportTarget {
    let path: String
    private var names = ["columns.csv"]
    private var columns = CSVText.exact.line(["table", "column", "type", "description"])
    private var file: UnsafeMutablePointer<FILE>?
    private let isNew: Bool

    /// - Parameter replaces: whether files that are there may be replaced.
    init(_ path: String, replaces: Bool) throws {
        self.path = path
        isNew = mkdir(path, 0o777) == 0
        guard isNew || errno == EEXIST else { throw FileError(call: path, errno: errno) }
        guard replaces || access("\(path)/columns.csv", F_OK) != 0 else {
            throw ControlError.no("\(path) has an export already; --force replaces it")
        }
        try open("columns.csv")
    }

    deinit { if let file { fclose(file) } }

    private func partial(_ name: String) -> String { "\(path)/.\(name).partial" }

    private func open(_ name: String, _ mode: String = "we") throws {
        try closeFile()
        file = fopen(partial(name), mode)
        guard file != nil else { throw FileError(call: partial(name), errno: errno) }
    }

    private func closeFile() throws {
        guard let open = file else { return }
        file = nil
        guard fclose(open) == 0 else { throw FileError(call: path, errno: errno) }
    }

    private func write(_ bytes: [UInt8]) throws {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw FileError(call: path, errno: errno) }
    }

    func begin(_ table: TableReply) throws {
        let name = "\(table.name).csv"
        try open(name)
        names.append(name)
        try write(CSVText.exact.line(table.columns.map(\.name)))
        for column in table.columns {
            columns += CSVText.exact.line([table.name, column.name, column.type, column.description])
        }
    }

    func resume(_ table: TableReply) throws { try open("\(table.name).csv", "ae") }

    func add(_ line: [UInt8], _ cells: @autoclosure () throws -> [SQLCell]) throws {
        try write(CSVText.exact.line(try cells()))
    }

    func end() throws {
        try open("columns.csv")
        try write(columns)
        try closeFile()
        for name in names where rename(partial(name), "\(path)/\(name)") != 0 {
            throw FileError(call: "\(path)/\(name)", errno: errno)
        }
    }

    func abandon() {
        try? closeFile()
        for name in names { unlink(partial(name)) }
        if isNew { rmdir(path) }
    }
}
