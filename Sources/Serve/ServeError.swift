import Glibc

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
    init(call: String, path: String, errno code: Int32) {
        self.init(.failed, "\(call) \(path): \(String(cString: strerror(code)))")
    }
}
