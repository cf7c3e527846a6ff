import Dispatch
import Synchronization

/// Runs the tasks of a command one after the other on the thread that calls `run`. A short question is answered before other
/// threads are started.
final class CommandThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }

    func run() -> Never {
        while true {
            waiting.wait()
            jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
