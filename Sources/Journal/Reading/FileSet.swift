import Glibc
import Model

/// The files of a journal, each read from its own place. Files that have entries of the same time are read side by side,
/// so that what a machine's system and users wrote comes in the order in which they wrote it.
final class FileSet {
    /// The first of the files that are read at the same time have large windows; a folder of many hosts has many.
    private static let windows = [(count: 8, bytes: 256 << 10), (count: 32, bytes: 64 << 10), (.max, 16 << 10)]
    /// For what a live journal gets between two looks.
    private static let fewEntries = 64
    /// Files beyond these are opened for each look, and each time it is their turn to be read.
    private static let maximumOpenFiles = 256

    private(set) var files: [JournalFile] = []
    private var entries: EntryReader
    private var lastNumber: UInt16 = 0
    /// What was at a path when it was looked at: a file that is the same need not be opened.
    private var seen: [ExactString: SeenFile] = [:]
    /// Of files that were read before and have not been found yet.
    private var saved: [ID128: FilePosition]
    /// What could not be read of a file, since the last call of `takeLosses`.
    private var losses: [(file: ID128, loss: JournalFile.Loss)] = []

    /// - Parameter positions: how far files were read before.
    init(rules: [SourceRule], maximumFieldBytes: Int, from positions: [FilePosition] = []) {
        entries = EntryReader(rules: rules, maximumFieldBytes: maximumFieldBytes)
        saved = Dictionary(positions.map { ($0.fileID, $0) }, uniquingKeysWith: { $1 })
    }

    var positions: [FilePosition] { files.map(\.position) + saved.values }

    /// From the next entry on.
    func use(_ rules: [SourceRule]) { entries.use(rules) }

    // MARK: Finding files

    /// Looks which files there are.
    /// - Parameter paths: of all of them.
    /// - Returns: those that cannot be read, and why.
    func scan(_ paths: [String]) -> [(path: String, error: FormatError)] {
        var problems: [(path: String, error: FormatError)] = []
        var found: Set<ID128> = []
        let before = seen
        seen = [:]
        for path in paths {
            do throws(FormatError) {
                let id = try identify(path, before)
                // Of copies one is read.
                if found.insert(id).inserted { try add(path, id) }
            } catch {
                // journald makes a file first and writes its header a moment later.
                if error != .incomplete { problems.append((path, error)) }
            }
        }
        for file in files {
            file.isDeleted = !found.contains(file.header.fileID)
            if let problem = file.problem { problems.append((file.path, problem)) }
            // It is tried again.
            file.problem = nil
        }
        removeDeleted()
        return problems
    }

    /// Which file is at the path. An archived one is not looked into again while it seems to be the same.
    private func identify(_ path: String, _ before: [ExactString: SeenFile]) throws(FormatError) -> ID128 {
        let stamp = try OpenFile.stamp(path: path)
        let file: SeenFile
        if let known = before[ExactString(path)], known.stamp == stamp, JournalFile.isArchived(path) {
            file = known
        } else {
            file = SeenFile(stamp: stamp, fileID: try OpenFile.fileID(path: path))
        }
        seen[ExactString(path)] = file
        return file.fileID
    }

    /// A file that is known keeps its place, whatever it is called now.
    private func add(_ path: String, _ id: ID128) throws(FormatError) {
        if let file = files.first(where: { $0.header.fileID == id }) { return file.rename(to: path) }
        let file = try JournalFile(path, number: nextNumber())
        if let position = saved[id] { try file.resume(at: position) }
        saved[id] = nil
        files.append(file)
        closeSome()
    }

    /// What is open is read to its end. Of what is not, the rest is gone.
    private func removeDeleted() {
        for file in files where file.isDeleted && !file.isOpen && file.unread > 0 {
            losses.append((file.header.fileID, file.giveUp()))
        }
        files.removeAll { $0.isDeleted && $0.unread == 0 }
    }

    /// Looks which files have more entries by now.
    func look() {
        for file in files where !file.isComplete && !file.isDeleted {
            do throws(FormatError) {
                try file.look()
            } catch {
                // A file that was archived or deleted this moment is found by the next scan.
                if ![.replaced, .incomplete, .io(errno: ENOENT)].contains(error) { file.problem = error }
            }
            closeSome()
        }
    }

    /// First those that are not being read, then those whose turn comes last. A descriptor of a deleted file cannot be had
    /// again.
    private func closeSome() {
        let open = files.filter { $0.isOpen && !$0.isDeleted }
        guard open.count > Self.maximumOpenFiles else { return }
        let order = open.sorted { ($0.isBeingRead ? 1 : 0, $1.nextTime) < ($1.isBeingRead ? 1 : 0, $0.nextTime) }
        for file in order.prefix(open.count - Self.maximumOpenFiles) { file.close() }
    }

    private func nextNumber() -> UInt16 {
        repeat {
            // Places of files that are long gone would be taken for those of new ones.
            if lastNumber == .max { entries.forgetMeanings() }
            lastNumber &+= 1
        } while files.contains { $0.number == lastNumber }
        return lastNumber
    }

    // MARK: Reading

    /// The next entries of all files, as far as the last look went.
    func read(_ limit: BatchLimit) -> EntryBatch {
        var batch = EntryBatch()
        while !batch.isFull(limit) {
            guard let (file, until) = oldest() else {
                batch.reachedEnd = true
                break
            }
            do throws(FormatError) {
                let found =
                    if file.isBeingRead {
                        try file.read(by: &entries, until: until, limit: limit, into: &batch)
                    } else {
                        try file.advance(windowBytes: windowBytes(for: file))
                    }
                if files.count > Self.maximumOpenFiles { closeSome() }
                losses += found.map { (file.header.fileID, $0) }
            } catch {
                // The others are read.
                file.problem = error
                file.close()
            }
        }
        return batch
    }

    func takeLosses() -> [(file: ID128, loss: JournalFile.Loss)] {
        defer { losses = [] }
        return losses
    }

    /// The file whose next entry is the oldest, and when that of another comes.
    private func oldest() -> (file: JournalFile, until: UInt64)? {
        var first: JournalFile?
        var (time, until) = (UInt64.max, UInt64.max)
        for file in files where file.unread > 0 && file.problem == nil {
            if first == nil || file.nextTime < time {
                until = time
                time = file.nextTime
                first = file
            } else if file.nextTime < until {
                until = file.nextTime
            }
        }
        return first.map { ($0, until) }
    }

    private func windowBytes(for file: JournalFile) -> Int {
        guard file.unread > Self.fewEntries else { return Self.windows.last?.bytes ?? 0 }
        let open = files.count(where: \.isBeingRead)
        return Self.windows.first { open < $0.count }?.bytes ?? 0
    }
}

/// What was at a path.
private struct SeenFile {
    var stamp: FileStamp
    var fileID: ID128
}
