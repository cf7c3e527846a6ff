import Glibc
import Model

/// Where bytes go, at once: nothing is kept back, since a tail's lines are wanted when they come.
package struct ByteSink: Sendable {
    package let write: @Sendable ([UInt8]) throws -> Void

    /// Nobody reads the output any more, as with `glossctl show | head`.
    package struct Closed: Error {}
}

extension ByteSink {
    /// - Throws: from `write`: `Closed` for a broken pipe, else `FileError`.
    /// - Parameter name: what errors call it.
    static func file(_ descriptor: Int32, _ name: String) -> ByteSink {
        ByteSink { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if written >= 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EPIPE {
                    throw Closed()
                } else if errno == EAGAIN {
                    // Somebody else made the terminal or pipe non-blocking: wait for room.
                    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = Glibc.poll(&poll, 1, -1)
                } else if errno != EINTR {
                    throw FileError(call: name, errno: errno)
                }
            }
        }
    }
}

struct FileError: Error, CustomStringConvertible {
    let call: String
    let errno: Int32

    var description: String { "\(call): \(String(cString: strerror(errno)))" }
}
