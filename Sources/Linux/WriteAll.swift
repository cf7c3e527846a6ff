internal import Glibc

/// Writes all bytes. What another program has made non-blocking, such as a pipe or a terminal, is waited for.
/// - Returns: zero, or the error number.
/// - Source: write(2), poll(2)
@discardableResult
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
