import Glibc

/// The wall clock, in microseconds since 1970.
func systemDate() -> UInt64 {
    var time = timespec()
    // Cannot fail: the clock exists and the pointer is ours.
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(time.tv_sec, 0)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
