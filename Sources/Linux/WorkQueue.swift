internal import Dispatch

/// A thread for what blocks or takes long, one thing after the other: the threads that tasks share are as few as the
/// machine has cores, and the intake needs them.
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
}
