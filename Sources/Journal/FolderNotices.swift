import Linux
import Model

/// The kernel's notifications about changes in a journal's folders.
struct FolderNotices {
    /// The reason why changes are not watched; `nil` when all folders are watched.
    private(set) var shortage: String?
    private let makeInotify: (() throws(Inotify.Failure) -> Inotify)?
    private var inotify: Inotify?
    private var watches: [ExactString: Int32] = [:]
    private var hasNameChange = false

    /// - Parameter isOn: `false` does not use the kernel's notifications.
    init(
        isOn: Bool,
        inotify: @escaping () throws(Inotify.Failure) -> Inotify = { () throws(Inotify.Failure) in
            try Inotify(.writtenFiles)
        }
    ) {
        makeInotify = isOn ? inotify : nil
        shortage = isOn ? nil : "changes are not watched"
    }

    /// Watches these folders and no others. If a folder was replaced, the new one is watched. What the kernel had no room for is
    /// tried again at each call.
    mutating func watch(_ folders: [String]) {
        guard let makeInotify else { return }
        let inotify: Inotify
        do throws(Inotify.Failure) {
            inotify = if let known = self.inotify { known } else { try makeInotify() }
        } catch {
            return shortage = error.shortage
        }
        self.inotify = inotify
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
