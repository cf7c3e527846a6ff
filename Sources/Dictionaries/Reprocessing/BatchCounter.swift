import Model
import Synchronization

/// Counts the batches on their way through the intake, where each is read, resolved and saved in turn, so that others
/// can wait until those of now have got so far. Only the intake counts.
package final class BatchCounter: Sendable {
    private let begun = Atomic<Int64>(0)
    // A feed is a number that tasks can wait on.
    private let resolvedFeed = EventFeed()
    private let savedFeed = EventFeed()

    package init() {}

    /// A batch is about to be read.
    package func willRead() { begun.add(1, ordering: .sequentiallyConsistent) }

    /// It has been read and resolved.
    package func didResolve() { resolvedFeed.publish(resolved + 1) }

    /// The oldest that was not saved yet is saved, or needs not be.
    package func didSave() { savedFeed.publish(savedFeed.latest + 1) }

    /// How many have been resolved.
    package var resolved: Int64 { resolvedFeed.latest }

    /// Whether so many have been saved.
    package func hasSaved(_ count: Int64) -> Bool { savedFeed.latest >= count }

    /// Returns once so many have been saved, or when the task is cancelled.
    package func waitUntilSaved(_ count: Int64) async { await savedFeed.wait(after: count - 1) }

    /// Returns once the batch that is being read now has been resolved; at once when none is.
    package func waitUntilResolved() async {
        await resolvedFeed.wait(after: begun.load(ordering: .sequentiallyConsistent) - 1)
    }
}
