import Synchronization

/// Memory for the pages of one answer, used again and again: the system would have to clear what it gives for each.
final class LineMemory: Sendable {
    /// One that is written, and one that is read meanwhile.
    private static let capacity = 2
    /// For less it is not worth it.
    static let leastBytes = 64 << 10

    private let spare = Mutex<[[UInt8]]>([])

    /// - Returns: empty memory.
    func take() -> [UInt8] { spare.withLock { $0.popLast() ?? [] } }

    /// - Parameter bytes: nobody needs them any more. Where they are few, the client keeps up, and nothing is held for it.
    func give(_ bytes: consuming [UInt8]) {
        let isFew = bytes.count < Self.leastBytes
        bytes.removeAll(keepingCapacity: !isFew)
        let empty = bytes
        spare.withLock { spare in
            if isFew { spare = [] } else if spare.count < Self.capacity { spare.append(empty) }
        }
    }
}
