internal import CLinux

/// Takes the memory of all threads from one pool. The C library gives each thread its own, which keeps what the thread gave
/// back: a daemon whose work goes from thread to thread needs a quarter more then. To be called before there are threads.
package func useOneMemoryPool() {
    _ = mallopt(M_ARENA_MAX, 1)
}
