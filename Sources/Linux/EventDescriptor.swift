internal import CLinux
internal import Glibc

/// An eventfd: one thread waits for it with poll(2), any thread signals it.
/// - Source: eventfd(2)
package final class EventDescriptor: Sendable {
    /// A descriptor that is readable after a signal. It is negative, which poll(2) ignores, if the process has no
    /// descriptor left.
    package let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    package init() {}

    deinit { close(descriptor) }

    package func signal() {
        var one: UInt64 = 1
        // It fails only if 2^64 signals have not been read.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Blocks until a signal or an inotify event arrives. `inotify` may be `nil` if the kernel has no inotify instance
    /// left.
    /// - Returns: whether there was a signal, which is then cleared.
    @discardableResult
    package func wait(orFor inotify: Inotify?, atMost duration: Duration) -> Bool {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            // poll(2) ignores a negative descriptor.
            pollfd(fd: inotify?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = (duration / .milliseconds(1)).rounded(.up)
        poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: Int64(max(0, milliseconds))))
        guard descriptors[0].revents != 0 else { return false }
        reset()
        return true
    }

    /// Clears all signals.
    package func reset() {
        var signals: UInt64 = 0
        _ = read(descriptor, &signals, MemoryLayout<UInt64>.size)
    }
}
