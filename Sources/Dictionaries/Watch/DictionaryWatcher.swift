package import Linux
package import Model
import Synchronization

/// Watches the dictionaries' folders, and has those read again that change.
package final class DictionaryWatcher: Sendable {
    private struct Orders {
        var folders: Set<ExactString> = []
        var isStopped = false
    }

    private let orders: Mutex<Orders>
    private let orderEvent: EventDescriptor
    /// Only touched on `queue`, one call at a time, so that nobody ever waits for it.
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

    /// Watches these from now on.
    package func use(_ folders: [String]) {
        orders.withLock { $0.folders = Set(exact: folders) }
        orderEvent.signal()
    }

    /// Ends `next`, now and from now on.
    package func stop() {
        orders.withLock { $0.isStopped = true }
        orderEvent.signal()
    }

    /// Why the folders are only looked at every two seconds; `nil` when they are watched.
    package var shortage: String? { lastShortage.withLock { $0 } }

    /// Waits for changes.
    /// - Returns: the folders that should be read again, perhaps none; `nil` when it was stopped.
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
