import Glibc

/// Microseconds since 1970 by the system's clock.
@Sendable func systemTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    // The clock of a running system is after 1970.
    return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
