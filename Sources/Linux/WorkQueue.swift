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

    /// Does not wait for the end of the work.
    package func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
