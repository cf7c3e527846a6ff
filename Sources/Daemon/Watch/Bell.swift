import CSystemd
import Glibc

/// An eventfd: one thread waits for it with poll(2), any thread rings it.
/// - Source: eventfd(2)
final class Bell: Sendable {
    /// Readable since somebody rang. Negative, which poll(2) passes over, when the process has no descriptor left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    deinit { close(descriptor) }

    func ring() {
        var one: UInt64 = 1
        // It cannot fail but for an overflow of 2^64 unread rings.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets all rings until now.
    func silence() {
        var rings: UInt64 = 0
        _ = read(descriptor, &rings, MemoryLayout<UInt64>.size)
    }
}
