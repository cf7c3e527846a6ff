import Glibc
import Model

/// A program of ours that glossctl hands a command line to, so that it need not link what only that program does.
struct InstalledProgram {
    let name: String

    /// Where shells look when nothing says where.
    /// - Source: sh(1), `command -p`
    private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

    /// Becomes the program: only tests come back from here.
    /// - Throws: `ControlError.notInstalled` when there is no such program, or it cannot be run.
    func run(_ words: [String], on console: Console) throws {
        let path = try path(console)
        do {
            try console.become(path, [name] + words)
        } catch let error as FileError {
            throw ControlError.notInstalled("\(path) cannot be run: \(error)")
        }
    }

    /// Beside glossctl itself first: the two belong to one version.
    private func path(_ console: Console) throws(ControlError) -> String {
        let own = console.programFolder()
        let folders = (console.environment["PATH"] ?? Self.usualPath).split(separator: ":").map(String.init)
        let candidates = ((own.map { [$0] } ?? []) + folders).lazy.map { "\($0)/\(name)" }
        if let path = candidates.first(where: Self.isExecutableFile) { return path }
        let places = own.map { "neither beside glossctl (\($0)) nor in PATH" } ?? "not in PATH"
        throw .notInstalled(
            "\(name) is not installed: it is \(places)\nIt comes with glossctl; put its folder into PATH.")
    }

    private static func isExecutableFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
