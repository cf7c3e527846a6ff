internal import Dispatch

/// A thread that runs work that blocks or takes long, one piece after the other. Swift's tasks share only as many
/// threads as the machine has cores, and the intake needs those.
package struct WorkQueue: Sendable {
    private let queue: DispatchQueue

    package init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Gives up a reference on the thread, because the end of the object blocks.
    package func release(_ object: some AnyObject & Sendable) {
        queue.async { withExtendedLifetime(object) {} }
    }
}
