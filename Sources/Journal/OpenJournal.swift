import Glibc
import Model

/// A journal that was opened, and how changes to it are noticed.
final class OpenJournal {
    let handle: JournalHandle
    /// To poll for input; `nil` when changes have to be looked for.
    let descriptor: Int32?
    /// Why they have to be.
    let polling: String?
    private let folders: JournalFolders
    /// What the journal's folders were when it was opened, and without a descriptor also the files in them.
    private let contents: [String]

    /// - Throws: `JournalError` when libsystemd refuses the location, for example because there is no such folder.
    init(_ folders: JournalFolders, isWatched: Bool) throws(JournalError) {
        self.folders = folders
        let existing = folders.readable()
        handle = try JournalHandle(folders.location)
        var descriptor: Int32?
        var polling: String?
        if isWatched {
            do {
                // Before the first read, so that nothing that changes from now on goes unnoticed.
                descriptor = try handle.watch()
                if watchCount(ofInotify: descriptor ?? -1).map({ $0 < existing.count }) == true {
                    descriptor = nil
                    polling = "the kernel has no inotify watch left (fs.inotify.max_user_watches)"
                }
            } catch {
                polling = "the journal's folders cannot be watched: \(error)"
            }
        } else {
            polling = "watching is switched off"
        }
        self.descriptor = descriptor
        self.polling = polling
        contents = polling == nil ? existing : Self.contents(of: existing)
    }

    /// Whether folders (or, where nothing is watched, files) came or went that libsystemd does not know of.
    var isOutdated: Bool {
        let existing = folders.readable()
        return contents != (polling == nil ? existing : Self.contents(of: existing))
    }

    private static func contents(of folders: [String]) -> [String] {
        folders.flatMap { folder in
            names(in: folder).sorted().map { name in
                var status = stat()
                let path = "\(folder)/\(name)"
                return stat(path, &status) == 0 ? "\(path) \(status.st_ino)" : path
            }
        }
    }
}

/// How many watches an inotify instance has; libsystemd does not say when it got none.
/// - Source: proc_pid_fdinfo(5), "inotify"
/// - Returns: `nil` where /proc cannot be read.
private func watchCount(ofInotify descriptor: Int32) -> Int? {
    readFile("/proc/self/fdinfo/\(descriptor)", limit: 1 << 16).map { text in
        String(decoding: text, as: UTF8.self).split(separator: "\n").count { $0.hasPrefix("inotify wd:") }
    }
}
