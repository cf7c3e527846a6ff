internal import Glibc

/// Returns the time that the processor has spent on the current thread.
/// - Source: clock_gettime(2)
package func threadTime() -> Duration {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
