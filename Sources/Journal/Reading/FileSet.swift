import Glibc
import Model

/// The files of a journal, each read from its own place. Files that have entries of the same time are read side by side,
/// so that what a machine's system and users wrote comes in the order in which they wrote it.
final class FileSet {
    /// The first of the files that are read at the same time have large windows; a folder of many hosts has many.
    private static let windows = [(count: 8, bytes: 256 << 10), (count: 32, bytes: 64 << 10), (.max, 16 << 10)]
    /// For what a live journal gets between two looks.
    private static let fewEntries = 64

    private(set) var files: [JournalFile] = []
    private var entries: EntryReader
    private var lastNumber: UInt16 = 0
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
        var missing = Dictionary(uniqueKeysWithValues: files.map { ($0.header.fileID, $0) })
        for path in paths {
            do throws(FormatError) {
                try add(path, &missing)
            } catch {
                // journald makes a file first and writes its header a moment later.
                if error != .incomplete { problems.append((path, error)) }
            }
        }
        for file in missing.values { file.isDeleted = true }
        files.removeAll { $0.isDeleted && $0.unread == 0 }
        return problems
    }

    /// A file that is known keeps its place, whatever it is called now. Of copies one is read.
    private func add(_ path: String, _ missing: inout [ID128: JournalFile]) throws(FormatError) {
        let id = try OpenFile.fileID(path: path)
        if let file = files.first(where: { $0.header.fileID == id }) {
            if missing.removeValue(forKey: id) != nil { file.path = path }
            return
        }
        let file = try JournalFile(path, number: nextNumber())
        if let position = saved[id] { try file.resume(at: position) }
        saved[id] = nil
        files.append(file)
    }

    /// Looks which files have more entries by now.
    func look() throws(FormatError) {
        for file in files { try file.look() }
    }

    private func nextNumber() -> UInt16 {
        if lastNumber == .max {
            // Places of files that are long gone would be taken for those of new ones.
            entries.forgetMeanings()
            lastNumber = 0
        }
        lastNumber += 1
        return lastNumber
    }

    // MARK: Reading

    /// The next entries of all files, as far as the last look went.
    func read(_ limit: BatchLimit) throws(FormatError) -> EntryBatch {
        var batch = EntryBatch()
        while !batch.isFull(limit) {
            guard let (file, until) = oldest() else {
                batch.reachedEnd = true
                break
            }
            let found =
                if file.isBeingRead {
                    try file.read(by: &entries, until: until, limit: limit, into: &batch)
                } else {
                    try file.advance(windowBytes: windowBytes(for: file))
                }
            losses += found.map { (file.header.fileID, $0) }
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
        for file in files where file.unread > 0 {
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
