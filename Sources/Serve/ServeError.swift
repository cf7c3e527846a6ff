import Glibc
import Model

/// Why the control socket cannot be served.
package struct ServeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened and where.
    package var description: String
    /// What the operator should do.
    package var hint: String?
    /// Whether a daemon that is started again meets the same, until somebody does what the hint says.
    package var isLasting = false

    init(_ description: String, hint: String? = nil, isLasting: Bool = false) {
        self.isLasting = isLasting
        self.description = description
        self.hint = hint
    }

    /// A system call that failed.
    /// - Parameter path: the path of the socket or of its lock file.
    init(call: String, path: String, errno code: Int32) {
        let folder = path.lastIndex(of: "/").map { path[..<$0] }.map { $0.isEmpty ? "/" : String($0) } ?? "."
        let other = "or name another path in control.socket."
        switch code {
        case ENOENT, ENOTDIR:
            self.init(
                "the control socket cannot be created: there is no folder \(folder)",
                hint: "Create it, \(other)")
        case EACCES, EPERM, EROFS:
            self.init(
                "the control socket cannot be created: this user may not write to \(path)",
                hint: "Give the daemon's user write permission for the folder \(folder) and its files, \(other)")
        default:
            self.init(
                "the control socket cannot be created: \(path): \(call): \(errnoText(code))")
        }
    }
}
