import Glibc
import Model

/// The folder that the store's database is in, where the daemon keeps what must stay with it.
struct StateFolder: Sendable {
    let path: String

    /// - Parameter path: the database's; where it is a link, what counts is where the file is.
    init(ofStore path: String) {
        let real = realpath(path, nil)
        defer { free(real) }
        let file = real.map { String(cString: $0) } ?? path
        self.path = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Sees to it that the names in it survive a power failure.
    /// - Returns: whether that worked.
    func sync() -> Bool {
        let folder = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }
}
