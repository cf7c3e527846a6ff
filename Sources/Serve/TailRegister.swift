import Synchronization

/// Counts the open tails, or other streams of one kind. They have a limit of their own, since each is there to stay.
final class TailRegister: Sendable {
    private let limit: Int
    private let open = Mutex(0)
    private let changed: @Sendable (Int) -> Void

    /// - Parameter changed: called with each new count, in order, while the register is locked.
    init(limit: Int, changed: @escaping @Sendable (Int) -> Void) {
        self.limit = limit
        self.changed = changed
    }

    var count: Int { open.withLock { $0 } }

    /// - Returns: `nil` when there are too many tails already.
    func take() -> Place? {
        let isTaken = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            changed(open)
            return true
        }
        return isTaken ? Place(register: self) : nil
    }

    private func release() {
        open.withLock { open in
            open -= 1
            changed(open)
        }
    }

    /// One tail's place, free again when nothing holds it any more: also when its response never came to be written.
    final class Place: Sendable {
        private let register: TailRegister

        fileprivate init(register: TailRegister) {
            self.register = register
        }

        deinit {
            register.release()
        }
    }
}
