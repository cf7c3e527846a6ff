internal import Glibc

/// Writes all bytes. What another program has made non-blocking, such as a pipe or a terminal, is waited for.
/// - Parameter patience: how long it may take no byte; `nil` for ever. Of what blocks, it is kept by pipes, sockets, and terminals that
///   are stopped.
/// - Returns: zero, or the error number, `EAGAIN` after that time. A part may be written then.
/// - Source: write(2), poll(2), pipe(7)
@discardableResult
package func writeAll(_ bytes: [UInt8], to descriptor: Int32, patience: Duration? = nil) -> Int32 {
    let milliseconds = patience.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1
    // A pipe that has room takes so many bytes without blocking.
    let most = patience == nil ? bytes.count : 4096
    func takesNothing() -> Bool {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = poll(&room, 1, milliseconds)
            if ready >= 0 || errno != EINTR { return ready == 0 }
        }
    }
    return bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            if patience != nil, takesNothing() { return EAGAIN }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(most))
            let written = write(descriptor, part.baseAddress, part.count)
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                if takesNothing() { return EAGAIN }
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

/// Lets a pipe hold at least so many bytes: its two ends then take turns less often. What is no pipe stays as it is, and so does one
/// that the system permits no more.
/// - Source: fcntl(2), F_GETPIPE_SZ and F_SETPIPE_SZ
package func widenPipe(_ descriptor: Int32, toHold bytes: Int32) {
    let (getSize, setSize): (Int32, Int32) = (1032, 1031)
    if case 0..<bytes = fcntl(descriptor, getSize) { _ = fcntl(descriptor, setSize, bytes) }
}
