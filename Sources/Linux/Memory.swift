internal import CLinux

/// Makes all threads allocate from two pools, so that two that read events at the same time hardly wait for each other. By
/// default the C library gives each thread a pool of its own, which keeps the memory that the thread has freed: a daemon whose
/// work moves between threads then needs a quarter more. Large blocks are returned to the system immediately; otherwise the C
/// library would raise its threshold, keep them, and leave holes. Call it before any thread starts.
package func useTwoMemoryPools() {
    _ = mallopt(M_ARENA_MAX, 2)
    _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
    _ = mallopt(M_TRIM_THRESHOLD, 256 << 10)
}

/// Keeps memory that was freed for the next use. By default the C library returns it to the system, which clears each page of
/// it again: a process that unpacks one block after the other spends a quarter of its time on that. Call it in a process that
/// lives for one piece of work.
package func keepFreedMemory() {
    _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
    _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
}

/// Returns memory to the system that was freed between blocks that are in use, which the C library keeps: after many clients at a
/// time, that was a hundred megabytes. Takes some milliseconds, in which other threads wait; nothing if the process has little.
package func returnFreedMemory() {
    guard let bytes = ProcessUse.anonymousBytes(), bytes > 32 << 20 else { return }
    malloc_trim(0)
}
