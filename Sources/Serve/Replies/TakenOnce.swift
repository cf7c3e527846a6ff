import Synchronization

/// What was made before the response began. The response's body, which is there to its end, must not keep it.
final class TakenOnce<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    /// - Returns: `nil` when it was taken before.
    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
