internal import CLinux

/// Takes the memory of all threads from one pool. The C library gives each thread its own, which keeps what the thread gave
/// back: a daemon whose work goes from thread to thread needs a quarter more then. What is large goes back to the system at
/// once: the C library would learn to keep it, and leave holes. To be called before there are threads.
package func useOneMemoryPool() {
    _ = mallopt(M_ARENA_MAX, 1)
    _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
    _ = mallopt(M_TRIM_THRESHOLD, 256 << 10)
}
