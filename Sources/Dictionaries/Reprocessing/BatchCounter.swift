import Model
import Synchronization

/// Counts the batches that the intake has read, resolved and saved, so that others can wait until the current ones are
/// resolved or saved. Only the intake counts.
package final class BatchCounter: Sendable {
    private let begun = Atomic<Int64>(0)
    // A feed is a number that tasks can wait on.
    private let resolvedFeed = EventFeed()
    private let savedFeed = EventFeed()

    package init() {}

    /// A batch is about to be read.
    package func willRead() { begun.add(1, ordering: .sequentiallyConsistent) }

    /// The batch has been read and resolved.
    package func didResolve() { resolvedFeed.publish(resolved + 1) }

    /// The oldest unsaved batch is saved, or had nothing to save.
    package func didSave() { savedFeed.publish(savedFeed.latest + 1) }

    /// The number of batches that have been resolved.
    package var resolved: Int64 { resolvedFeed.latest }

    /// Returns whether this many have been saved.
    package func hasSaved(_ count: Int64) -> Bool { savedFeed.latest >= count }

    /// Waits until this many have been saved, or the task is cancelled.
    package func waitUntilSaved(_ count: Int64) async { await savedFeed.wait(after: count - 1) }

    /// Waits until the batch that is being read has been resolved. Returns immediately when none is being read.
    /// - Parameter end: makes reading it end. The next batch, which may then begin at once, is not waited for.
    package func waitUntilResolved(ending end: () -> Void) async {
        let current = begun.load(ordering: .sequentiallyConsistent)
        end()
        await resolvedFeed.wait(after: current - 1)
    }
}
