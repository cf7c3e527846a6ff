internal import CSystemd
import Glibc
import Synchronization

/// A serial executor that owns one thread: libsystemd wants each `sd_journal` to be used by a single thread for all of
/// its life, even where locks keep others out, which neither a plain actor nor a dispatch queue gives.
/// - Source: sd_journal_open(3), "Notes"
final class JournalThread: SerialExecutor {
    private let inbox: Inbox

    init() throws(JournalError) {
        inbox = try Inbox()
        try inbox.startThread()
    }

    deinit { inbox.stop() }

    func enqueue(_ job: consuming ExecutorJob) {
        inbox.add(Inbox.Work(job: UnownedJob(job), executor: self))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// What the thread's own jobs wait on besides the journal, and what others wake them with.
    var alarm: Alarm { inbox.alarm }

    /// Whether another job waits for the one that runs now.
    var isWanted: Bool { inbox.hasWork }
}

/// The jobs of a `JournalThread`. It is apart from it so that the thread keeps its jobs alive, but not the executor,
/// whose end is also the thread's.
private final class Inbox: Sendable {
    struct Work: Sendable {
        let job: UnownedJob
        /// Keeps the executor until the job is done: the job may be the one that ends the actor.
        let executor: JournalThread
    }

    private struct State {
        var work: [Work] = []
        var isStopped = false
    }

    let alarm: Alarm
    private let state = Mutex(State())

    init() throws(JournalError) {
        alarm = try Alarm()
    }

    var hasWork: Bool { state.withLock { !$0.work.isEmpty } }

    func add(_ work: Work) {
        state.withLock { $0.work.append(work) }
        alarm.ring()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        alarm.ring()
    }

    func startThread() throws(JournalError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Inbox>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw JournalError(call: "pthread_create", errno: status)
        }
        pthread_detach(thread)
    }

    private func run() {
        while let work = next() {
            work.job.runSynchronously(on: work.executor.asUnownedSerialExecutor())
        }
    }

    /// Blocks until there is something to do; `nil` when there never will be. One job at a time, so that `hasWork` is
    /// true for as long as others wait.
    private func next() -> Work? {
        while true {
            let (work, isStopped) = state.withLock { state in
                (state.work.isEmpty ? nil : state.work.removeFirst(), state.isStopped)
            }
            if let work { return work }
            if isStopped { return nil }
            alarm.wait()
        }
    }
}

/// An eventfd: one thread waits for it, any thread rings it.
/// - Source: eventfd(2)
final class Alarm: Sendable {
    let descriptor: Int32

    init() throws(JournalError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw JournalError(call: "eventfd", errno: errno) }
    }

    deinit { close(descriptor) }

    func ring() {
        var one: UInt64 = 1
        // It cannot fail but for an overflow of 2^64 unread rings.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Blocks until somebody rings, and forgets all rings until then.
    func wait() {
        var rings: UInt64 = 0
        _ = read(descriptor, &rings, MemoryLayout<UInt64>.size)
    }
}
