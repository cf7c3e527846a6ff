package import Linux
package import Model
import Synchronization

/// Watches the folders of the dictionaries for changes.
package final class DictionaryWatcher: Sendable {
    private struct Orders {
        var folders: Set<ExactString> = []
        var isStopped = false
    }

    private let orders: Mutex<Orders>
    private let orderEvent: EventDescriptor
    /// Only used on `queue`, one call at a time, so no thread ever waits for the lock.
    private let watch: Mutex<FolderWatch>
    private let queue = WorkQueue("gloss.watch")
    private let lastShortage = Mutex<String?>(nil)

    package init(
        folders: [String], inotify: @escaping @Sendable () throws(Inotify.Failure) -> Inotify = FolderWatch.inotify
    ) {
        let orderEvent = EventDescriptor()
        self.orderEvent = orderEvent
        orders = Mutex(Orders(folders: Set(exact: folders)))
        watch = Mutex(FolderWatch(orderEvent: orderEvent, inotify: inotify))
    }

    /// Replaces the watched folders.
    package func use(_ folders: [String]) {
        orders.withLock { $0.folders = Set(exact: folders) }
        orderEvent.signal()
    }

    /// Ends the current and all later calls of `next`.
    package func stop() {
        orders.withLock { $0.isStopped = true }
        orderEvent.signal()
    }

    /// Why the folders are only polled, every two seconds; `nil` when they are watched.
    package var shortage: String? { lastShortage.withLock { $0 } }

    /// Waits for changes.
    /// - Returns: the folders to read again, possibly none; `nil` after `stop`.
    package func next() async -> Set<ExactString>? {
        await queue.run { [self] in
            let orders = orders.withLock { $0 }
            guard !orders.isStopped else { return nil }
            let (changed, shortage) = watch.withLock { ($0.next(of: orders.folders), $0.shortage) }
            lastShortage.withLock { $0 = shortage }
            return changed
        }
    }
}
