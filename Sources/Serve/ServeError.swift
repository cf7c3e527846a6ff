import Glibc
import Model

/// Why the control socket cannot be served.
package struct ServeError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// Another daemon serves the socket.
        case inUse
        /// There is something else in the socket's place.
        case notASocket
        case failed
    }

    package var kind: Kind
    /// What happened, where.
    package var description: String
    /// What the operator should do.
    package var hint: String?

    init(_ kind: Kind, _ description: String, hint: String? = nil) {
        self.kind = kind
        self.description = description
        self.hint = hint
    }

    /// A system call that failed.
    /// - Parameter path: of the socket, or of the lock beside it.
    init(call: String, path: String, errno code: Int32) {
        let folder = path.lastIndex(of: "/").map { path[..<$0] }.map { $0.isEmpty ? "/" : String($0) } ?? "."
        let other = "or name another path in control.socket."
        switch code {
        case ENOENT, ENOTDIR:
            self.init(
                .failed, "the control socket cannot be made: there is no folder \(folder)",
                hint: "Create it, \(other)")
        case EACCES, EPERM, EROFS:
            self.init(
                .failed, "the control socket cannot be made: this user may not write \(path)",
                hint: "Let the daemon's user write the folder \(folder) and what is in it, \(other)")
        default:
            self.init(
                .failed, "the control socket cannot be made: \(path): \(call): \(String(cString: strerror(code)))")
        }
    }
}
