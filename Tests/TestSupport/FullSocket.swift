import Glibc

/// A datagram socket that nobody reads, and that takes nothing more.
package final class FullSocket {
    private let descriptor: Int32

    /// - Parameter path: where there is nothing yet.
    package init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, size) == 0 else { return false }
                // A sender may be refused for its own buffer, with room left for others. What closed ones have sent stays.
                while true {
                    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
                    defer { close(sender) }
                    guard sendto(sender, "x", 1, Int32(MSG_DONTWAIT), address, size) == 1 else {
                        return errno == EAGAIN
                    }
                    while sendto(sender, "x", 1, Int32(MSG_DONTWAIT), address, size) == 1 {}
                }
            }
        }
        guard isBound else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    private struct Failure: Error { var errno: Int32 }
}
