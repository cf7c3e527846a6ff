import Dispatch

/// A thread for the tasks that make large documents: the threads that all tasks share are as few as the machine has
/// cores, and who asks for the status needs them.
final class DocumentThread: TaskExecutor {
    private let queue = DispatchQueue(label: "gloss.documents")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
