internal import GRDB
internal import Synchronization

/// The damaged blocks that scans passed over.
package final class DamagedBlocks: Sendable {
    /// Gets the ids of a block's events, and what is wrong with the block.
    typealias Receiver = (ClosedRange<Int64>, DatabaseError) -> Void

    private let found = Mutex<[Int64: StoreError]>([:])

    package init() {}

    /// What is wrong with each of them, in the order of their events.
    package var errors: [StoreError] { found.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }

    /// - Parameter id: the id of an event in the block.
    package func note(_ error: StoreError, of id: Int64) { found.withLock { $0[id] = error } }
}
