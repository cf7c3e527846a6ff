internal import Synchronization

/// A value that one thread at a time uses. `Mutex` alone does not let it be used together with what belongs to a task, such as
/// a block that is being read; nothing of the value may leave the closure.
final class Exclusive<Value>: @unchecked Sendable {
    private var value: Value
    private let lock = Mutex(())

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { _ in try body(&value) }
    }
}
