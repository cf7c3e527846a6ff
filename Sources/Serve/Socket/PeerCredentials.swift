import Glibc
import Model
import NIOCore

/// The user and groups of the process at the other end of a Unix socket, recorded by the kernel when it connected.
/// - Source: unix(7)
struct PeerCredentials: Sendable, Hashable {
    var uid: uid_t
    /// The primary group and the supplementary groups, which SO_PEERCRED lacks.
    var groups: Set<gid_t>

    /// The kernel did not say who the client is.
    struct Unknown: Error, Hashable, CustomStringConvertible {
        @Exact var reason: String

        var description: String { "the user and groups of the client cannot be read: \(reason)" }
    }

    /// - Throws: `Unknown` if the connection is not a Unix socket, or is closed.
    static func read(from channel: any Channel) async throws -> PeerCredentials {
        try await channel.eventLoop.submit {
            let credentials = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { try read(descriptor: $0) }
            guard let credentials else { throw Unknown(reason: "the connection is not a socket") }
            return credentials
        }.get()
    }

    /// - Parameter descriptor: a connected Unix socket.
    static func read(descriptor: CInt) throws(Unknown) -> PeerCredentials {
        var peer = KernelCredentials()
        var size = socklen_t(MemoryLayout<KernelCredentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else {
            throw Unknown(reason: "SO_PEERCRED: \(errnoText(errno))")
        }
        return PeerCredentials(
            uid: peer.uid, groups: Set([peer.gid] + (try supplementaryGroups(descriptor))))
    }

    private static func supplementaryGroups(_ descriptor: CInt) throws(Unknown) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 32)
        while true {
            var size = socklen_t(groups.count * MemoryLayout<gid_t>.stride)
            if getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, &groups, &size) == 0 {
                return Array(groups.prefix(Int(size) / MemoryLayout<gid_t>.stride))
            }
            // ERANGE: there are more, and `size` says how many.
            guard errno == ERANGE, Int(size) > groups.count * MemoryLayout<gid_t>.stride else {
                throw Unknown(reason: "SO_PEERGROUPS: \(errnoText(errno))")
            }
            groups = [gid_t](repeating: 0, count: Int(size) / MemoryLayout<gid_t>.stride)
        }
    }
}

/// `struct ucred`, which Glibc's module leaves out.
private struct KernelCredentials {
    var pid: pid_t = 0
    var uid: uid_t = 0
    var gid: gid_t = 0
}
