internal import Synchronization

/// Remembers that something met damage in the file, whoever it was: it does not heal, and what reads the whole part
/// meets nothing.
final class DamageRecord: Sendable {
    private let first = Mutex<StoreError?>(nil)

    /// What was met first; `nil` when nothing was.
    var error: StoreError? { first.withLock { $0 } }

    func note(_ error: StoreError) {
        guard error.kind == .corrupt else { return }
        first.withLock { $0 = $0 ?? error }
    }
}
