import Definitions
import Glibc
package import Linux
import Model

/// Finds out which folders have changed and have to be read again.
///
/// inotify reports most changes immediately. Comparing names, sizes and times finds the others: changes before a folder was
/// watched, on a network file system, or while the kernel had no watch left. It may report a folder that has not changed.
package struct FolderWatch {
    /// The time without events after which a change counts as complete: an editor writes, renames and removes files, and
    /// `git checkout` does so with a thousand of them.
    private static let quiet = Duration.milliseconds(200)
    /// The longest time until a change is reported although events continue.
    private static let patience = Duration.seconds(2)
    /// The time between surveys without an event.
    private static let interval = Duration.seconds(30)
    /// The same while a folder is missing or not completely watched.
    private static let shortInterval = Duration.seconds(2)
    private static let maximumWatches = 2048

    /// The relation of a watched folder to the requested folders.
    private struct Interest {
        /// The requested folders that it is.
        var folders: Set<ExactString> = []
        /// The requested folders to which one of its names leads.
        var names: [ExactString: Set<ExactString>] = [:]

        var all: Set<ExactString> { names.values.reduce(folders) { $0.union($1) } }

        func folders(concernedBy name: String) -> Set<ExactString> {
            if name.isEmpty { return all }
            return (names[name] ?? []).union(DictionaryFolder.isDefinition(name) ? folders : [])
        }
    }

    /// Signalled to end `next` early.
    let orderEvent: EventDescriptor
    /// Why folders are only polled, every two seconds: the kernel has no watch left. `nil` when they are watched.
    private(set) var shortage: String?

    private let clock = ContinuousClock()
    private let makeInotify: @Sendable () throws(Inotify.Failure) -> Inotify
    private var inotify: Inotify?
    private var interests: [Int32: Interest] = [:]
    /// The stamp of each requested folder at the last survey.
    private var stamps: [ExactString: Int] = [:]
    private var isComplete = true
    private var lastSurvey: ContinuousClock.Instant
    /// Changes that are not complete yet.
    private var pending: (folders: Set<ExactString>, since: ContinuousClock.Instant, last: ContinuousClock.Instant)?

    init(
        orderEvent: EventDescriptor,
        inotify: @escaping @Sendable () throws(Inotify.Failure) -> Inotify = FolderWatch.inotify
    ) {
        self.orderEvent = orderEvent
        makeInotify = inotify
        lastSurvey = clock.now
    }

    @Sendable
    package static func inotify() throws(Inotify.Failure) -> Inotify { try Inotify(.closedFiles) }

    /// Waits until one of the folders has changed, or there are new orders.
    /// - Returns: the folders to read again; none when there are new orders or `shortage` changed. A folder that was not
    ///   requested before is included, because it may have changed since it was read.
    mutating func next(of folders: Set<ExactString>) -> Set<ExactString> {
        if folders != Set(stamps.keys) {
            let new = folders.subtracting(stamps.keys)
            stamps = stamps.filter { folders.contains($0.key) }
            return survey(folders).union(new)
        }
        while true {
            let now = clock.now
            if let pending, now >= due(pending.since, pending.last) {
                self.pending = nil
                return survey(folders).union(pending.folders.intersection(folders))
            }
            if pending == nil, now >= nextSurvey {
                let before = shortage
                let changed = survey(folders)
                if !changed.isEmpty || shortage != before { return changed }
            }
            if wait(until: pending.map { due($0.since, $0.last) } ?? nextSurvey) { return [] }
            note(inotify?.events() ?? [])
        }
    }

    private func due(_ since: ContinuousClock.Instant, _ last: ContinuousClock.Instant) -> ContinuousClock.Instant {
        min(last + Self.quiet, since + Self.patience)
    }

    private var nextSurvey: ContinuousClock.Instant {
        lastSurvey + (isComplete ? Self.interval : Self.shortInterval)
    }

    /// - Returns: whether there are new orders.
    private func wait(until end: ContinuousClock.Instant) -> Bool {
        orderEvent.wait(orFor: inotify, atMost: end - clock.now)
    }

    private mutating func note(_ events: [Inotify.Event]) {
        var concerned: Set<ExactString> = []
        for event in events {
            concerned.formUnion(
                event.isOverflow
                    ? Set(stamps.keys) : interests[event.watch]?.folders(concernedBy: event.name) ?? [])
        }
        guard !concerned.isEmpty else { return }
        let now = clock.now
        pending = (concerned.union(pending?.folders ?? []), pending?.since ?? now, now)
    }

    // MARK: surveys

    /// Examines every folder, and watches the path that leads to it now.
    /// - Returns: the folders that differ from the last survey.
    private mutating func survey(_ folders: Set<ExactString>) -> Set<ExactString> {
        let before = interests
        interests = [:]
        shortage = nil
        isComplete = true
        if !folders.isEmpty { openInotify() }
        var changed: Set<ExactString> = []
        for folder in folders {
            let stamp = look(at: folder.text)
            if let last = stamps[folder], last != stamp { changed.insert(folder) }
            stamps[folder] = stamp
        }
        for watch in before.keys where interests[watch] == nil { inotify?.forget(watch) }
        lastSurvey = clock.now
        return changed
    }

    private mutating func openInotify() {
        guard inotify == nil else { return }
        do throws(Inotify.Failure) {
            inotify = try makeInotify()
        } catch {
            note(error)
        }
    }

    private mutating func look(at folder: String) -> Int {
        let own = look(at: folder, for: folder)
        if !own.isThere { isComplete = false }
        // That a dictionary has no types is usual.
        let types = look(at: "\(folder)/\(DictionaryFolder.types)", for: folder)
        var hasher = Hasher()
        hasher.combine(own.stamp)
        hasher.combine(types.stamp)
        return hasher.finalize()
    }

    /// Watches a folder before examining it, so that changes in between are reported.
    /// - Parameter requested: the requested folder, which it is or is in.
    private mutating func look(at folder: String, for requested: String) -> FolderLook {
        let trail = PathTrail(folder)
        watch(trail, for: requested)
        if let end = trail.end { watch(end) { $0.folders.insert(requested) } }
        let look = FolderLook(folder)
        for link in look.links { watch(PathTrail("\(folder)/\(link)"), for: requested) }
        return look
    }

    private mutating func watch(_ trail: PathTrail, for folder: String) {
        for step in trail.steps {
            watch(step.folder) { $0.names[step.name, default: []].insert(folder) }
        }
    }

    private mutating func watch(_ path: String, _ note: (inout Interest) -> Void) {
        guard interests.count < Self.maximumWatches else {
            isComplete = false
            return
        }
        do throws(Inotify.Failure) {
            if let watch = try inotify?.watch(path) { note(&interests[watch, default: Interest()]) }
        } catch {
            self.note(error)
        }
    }

    private mutating func note(_ failure: Inotify.Failure) {
        isComplete = false
        guard failure.isExhaustion else { return }
        shortage = failure.shortage
    }
}

/// The state of a folder of definition files, without the contents of the files.
struct FolderLook {
    /// Differs when a file was added, removed or written, or its permissions changed.
    private(set) var stamp = 0
    /// The definition files that are symbolic links.
    private(set) var links: [String] = []
    private(set) var isThere = false

    init(_ path: String) {
        do throws(OpenFolder.Failure) {
            let folder = try OpenFolder(path)
            isThere = true
            try folder.forEachName { name, _ in
                // Combined by XOR, because the order of names in a folder is arbitrary.
                if DictionaryFolder.isDefinition(name) { stamp ^= fileStamp(name, in: path) }
            }
        } catch {
            // Some names may be missing: the next look may have them.
            stamp ^= Int(error.code)
        }
    }

    private mutating func fileStamp(_ name: String, in folder: String) -> Int {
        var hasher = Hasher()
        name.hashExactly(into: &hasher)
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0 else { return hasher.finalize() }
        if status.st_mode & S_IFMT == S_IFLNK {
            links.append(name)
            guard stat("\(folder)/\(name)", &status) == 0 else { return hasher.finalize() }
        }
        hasher.combine(status.st_dev)
        hasher.combine(status.st_ino)
        hasher.combine(status.st_size)
        hasher.combine(status.st_mode)
        for time in [status.st_mtim, status.st_ctim] {
            hasher.combine(time.tv_sec)
            hasher.combine(time.tv_nsec)
        }
        return hasher.finalize()
    }
}
