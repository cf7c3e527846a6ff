import Linux
import Model

/// The kernel's notifications about changes in a journal's folders.
struct FolderNotices {
    /// The reason why changes are not watched; `nil` when all folders are watched.
    private(set) var shortage: String?
    private var inotify: Inotify?
    private var watches: [ExactString: Int32] = [:]
    private var hasNameChange = false

    /// - Parameter isOn: `false` does not use the kernel's notifications.
    init(isOn: Bool) {
        guard isOn else {
            shortage = "changes are not watched"
            return
        }
        do throws(Inotify.Failure) {
            inotify = try Inotify(.writtenFiles)
        } catch {
            shortage = error.shortage
        }
    }

    /// Watches these folders and no others. If a folder was replaced, the new one is watched.
    mutating func watch(_ folders: [String]) {
        guard let inotify else { return }
        shortage = nil
        var new: [ExactString: Int32] = [:]
        for folder in folders {
            do throws(Inotify.Failure) {
                new[ExactString(wrappedValue: folder)] = try inotify.watch(folder)
            } catch {
                if error.isExhaustion { shortage = error.shortage }
            }
        }
        for watch in Set(watches.values).subtracting(new.values) { inotify.forget(watch) }
        watches = new
    }

    /// Whether files may have appeared, disappeared or been renamed since the last call.
    mutating func takeNameChange() -> Bool {
        takeEvents()
        defer { hasNameChange = false }
        return hasNameChange
    }

    private mutating func takeEvents() {
        while let events = inotify?.events(), !events.isEmpty {
            if events.contains(where: { !$0.isWrite && ($0.isOverflow || watches.values.contains($0.watch)) }) {
                hasNameChange = true
            }
        }
    }

    /// Blocks until something changes in a folder or `event` is signalled.
    mutating func wait(atMost duration: Duration, _ event: EventDescriptor) {
        event.wait(orFor: inotify, atMost: duration)
        takeEvents()
    }
}
