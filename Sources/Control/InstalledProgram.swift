import Glibc
import Model

/// A program of Gloss that does some of glossctl's work, so that glossctl need not contain its code.
struct InstalledProgram {
    let name: String

    /// The folders that shells search if PATH is not set.
    /// - Source: sh(1), `command -p`
    private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

    /// Replaces this process by the program. Returns only in tests.
    /// - Throws: `ControlError.notInstalled` if there is no such program, or it cannot be run.
    func run(_ words: [String], on console: Console) throws {
        let path = try path(console)
        do {
            try console.become(path, [name] + words)
        } catch let error as FileError {
            throw ControlError.notInstalled("\(path) cannot be run: \(error)")
        }
    }

    /// The folder of glossctl comes first, since both programs must have the same version.
    func path(_ console: Console) throws(ControlError) -> String {
        let own = console.programFolder()
        let folders = (console.environment["PATH"] ?? Self.usualPath).split(separator: ":").map(String.init)
        let candidates = ((own.map { [$0] } ?? []) + folders).lazy.map { "\($0)/\(name)" }
        if let path = candidates.first(where: Self.isExecutableFile) { return path }
        let places = own.map { "neither beside glossctl (\($0)) nor in PATH" } ?? "not in PATH"
        throw .notInstalled(
            "\(name) is not installed: it is \(places)\nIt is part of Gloss. Add its folder to PATH.")
    }

    private static func isExecutableFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
