import API
import Glibc
import Linux
import Model

/// A folder with a CSV file for each table. They are in a folder of their own within it until all are complete.
final class CSVTarget: ExportTarget {
    let path: String
    private let isNew: Bool
    private let replaces: Bool
    private let partial: String
    private var tables: [String] = []
    /// Those that have their place.
    private var moved: [String] = []
    private var columns = CSVText.exact.line(["table", "column", "type", "description"])
    private var file: UnsafeMutablePointer<FILE>?

    private static let descriptions = "columns.csv"

    /// - Parameter replaces: whether files that are there may be replaced.
    init(_ path: String, replaces: Bool) throws {
        (self.path, self.replaces) = (path, replaces)
        isNew = mkdir(path, 0o777) == 0
        guard isNew || errno == EEXIST else { throw FileError(call: path, errno: errno) }
        // With a name that nobody knows before, which mkdtemp(3) puts in place of the X, and for this user alone.
        var template = Array("\(path)/.export.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(call: path, errno: errno) }
        partial = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do {
            try check(Self.descriptions)
        } catch {
            abandon()
            throw error
        }
    }

    deinit { if let file { fclose(file) } }

    /// - Throws: if something has the place of a file that must not be replaced.
    private func check(_ name: String) throws {
        let place = "\(path)/\(name)"
        var status = stat()
        guard lstat(place, &status) == 0 else { return }
        guard replaces else { throw Self.exists(place) }
        guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else {
            throw ControlError.no("\(place) is no file that could be replaced")
        }
    }

    private static func exists(_ place: String) -> ControlError {
        .no("\(place) exists already; --force replaces it")
    }

    private func open(_ name: String, _ mode: String = "we") throws {
        try closeFile()
        file = fopen("\(partial)/\(name)", mode)
        guard file != nil else { throw FileError(call: "\(path)/\(name)", errno: errno) }
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
        try check(name)
        try open(name)
        tables.append(name)
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
        try open(Self.descriptions)
        try write(columns)
        try closeFile()
        let names = tables + [Self.descriptions]
        // Something may have been put there meanwhile: better all of an earlier export stays than a part of it.
        for name in names { try check(name) }
        for name in names {
            let place = "\(path)/\(name)"
            let code = moveFile("\(partial)/\(name)", to: place, replaces: replaces)
            guard code == 0 else { throw failure(place, code) }
            moved.append(name)
        }
        rmdir(partial)
    }

    private func failure(_ place: String, _ code: Int32) -> any Error {
        guard code != EEXIST else { return Self.exists(place) }
        let error = FileError(call: place, errno: code)
        guard keepsMoved, !moved.isEmpty else { return error }
        return ControlError.no("\(error); already replaced: \(moved.joined(separator: ", "))")
    }

    /// Whether files that have their place may have replaced others, which are gone: then they stay.
    private var keepsMoved: Bool { replaces && !isNew }

    func abandon() {
        try? closeFile()
        for name in tables + [Self.descriptions] { unlink("\(partial)/\(name)") }
        rmdir(partial)
        if !keepsMoved { for name in moved { unlink("\(path)/\(name)") } }
        if isNew { rmdir(path) }
    }

    /// The tables of an earlier export that are still there.
    var leftovers: [String] {
        guard replaces, let folder = try? OpenFolder(path) else { return [] }
        var names: [String] = []
        try? folder.forEachName { name, _ in names.append(name) }
        return names.filter { $0.hasSuffix(".csv") && !moved.contains($0) }.sorted()
    }
}
