internal import Glibc

/// Returns the current time in microseconds since 1970.
@Sendable
package func wallClock() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
}
