internal import CLinux
internal import Glibc

/// An eventfd: one thread waits for it with poll(2), any thread signals it.
/// - Source: eventfd(2)
package final class EventDescriptor: Sendable {
    /// Readable since somebody signalled. Negative, which poll(2) passes over, when the process has no descriptor left.
    package let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    package init() {}

    deinit { close(descriptor) }

    package func signal() {
        var one: UInt64 = 1
        // It cannot fail but for an overflow of 2^64 signals that nobody has read.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets all signals until now.
    package func reset() {
        var signals: UInt64 = 0
        _ = read(descriptor, &signals, MemoryLayout<UInt64>.size)
    }
}
