import Glibc
import Model

/// A destination of bytes. It is not buffered, so that the lines of a tail appear immediately.
struct ByteSink: Sendable {
    let write: @Sendable ([UInt8]) throws -> Void

    /// The reader has closed the output, as in `glossctl show | head`.
    struct Closed: Error {}
}

extension ByteSink {
    /// - Parameter name: its name in errors.
    /// - Throws: from `write`: `Closed` for a broken pipe, otherwise `FileError`.
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
                    // Another process has made the terminal or pipe non-blocking: wait until it has room.
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

    var description: String { "\(call): \(errnoText(errno))" }
}
