import Glibc
import Model

/// The files of a journal that entries are looked up in for one request. What cannot be read of them has no entries, but may be
/// where one is that is not found.
final class LookupFiles {
    /// How often files are listed: journald may rename one between its listing and its opening.
    private static let mostListings = 5

    private let folders: JournalFolders
    private let opened: OpenedFiles
    private var known: [KnownFile] = []
    /// Why a folder or a file cannot be read, if there is one.
    private var fault: JournalError?

    init(_ folders: JournalFolders, _ entryKey: ID128) {
        (self.folders, opened) = (folders, OpenedFiles(entryKey))
        list()
    }

    private func list() {
        var look = folders.look()
        for _ in 1..<Self.mostListings {
            (known, fault) = ([], nil)
            for path in look.files {
                if let file = tried({ () throws(JournalError) in try opened.file(path) }) {
                    known.append(KnownFile(path: path, header: file.header))
                }
            }
            let now = folders.look()
            if now.files == look.files { break }
            look = now
        }
        guard let problem = look.problems.first else { return }
        fault = JournalError(call: "read \(problem.path)", reason: problem.reason)
    }

    /// - Parameter walks: whether it may take long: all other files are searched, too, and then all entries of the files that should
    ///   have it are examined, if their arrays do not lead to it.
    /// - Returns: the entry, and the file that has it; `nil` when it is no longer in the journal.
    /// - Throws: `JournalError` when it is not found, and something cannot be read for another reason than the permissions of a file.
    func find(_ place: EntryPlace, walks: Bool) throws(JournalError) -> (file: OpenedFile, entry: EntryHead)? {
        if let found = search(place) { return found }
        if opened.hasMissed {
            opened.hasMissed = false
            list()
            if let found = search(place) { return found }
        }
        if walks {
            // Where the clock was set back within a file, its last entry does not have its latest time.
            for file in known where !file.isNumbered(place.cursor) && !file.isAtTime(of: place.cursor) {
                if let found = entry(place, in: file, isUsed: false, walks: false) { return found }
            }
            for file in known where file.isNumbered(place.cursor) {
                if let found = entry(place, in: file, isUsed: true, walks: true) { return found }
            }
        }
        if let fault { throw fault }
        return nil
    }

    /// Searches first the files that should have its number, then those of its time, since it may have another number now.
    private func search(_ place: EntryPlace) -> (file: OpenedFile, entry: EntryHead)? {
        for file in known where file.isNumbered(place.cursor) {
            if let found = entry(place, in: file, isUsed: true, walks: false) { return found }
        }
        for file in known where !file.isNumbered(place.cursor) && file.isAtTime(of: place.cursor) {
            if let found = entry(place, in: file, isUsed: false, walks: false) { return found }
        }
        return nil
    }

    private func entry(
        _ place: EntryPlace, in known: KnownFile, isUsed: Bool, walks: Bool
    ) -> (file: OpenedFile, entry: EntryHead)? {
        tried { () throws(JournalError) in
            guard let file = try opened.file(known, isUsed: isUsed), let entry = try file.entry(place, walks: walks)
            else { return nil }
            return (file, entry)
        }
    }

    private func tried<Value>(_ body: () throws(JournalError) -> Value?) -> Value? {
        do throws(JournalError) {
            return try body()
        } catch {
            fault = fault ?? error
            return nil
        }
    }
}

/// A journal file by what its header says.
private struct KnownFile {
    let path: String
    let header: FileHeader

    func isNumbered(_ cursor: JournalCursor) -> Bool { header.isNumbered(cursor) }

    func isAtTime(of cursor: JournalCursor) -> Bool {
        header.headRealtimeMicroseconds <= cursor.realtimeMicroseconds
            && cursor.realtimeMicroseconds <= header.tailRealtimeMicroseconds
    }
}

/// Files that stay open, since entries that are looked up together are mostly in the same ones: some that journald writes to and
/// may rename, and those of the others that were used last. There may be more files than the process may open.
private final class OpenedFiles {
    private static let (mostWritten, mostUsed) = (16, 48)

    private let entryKey: ID128
    /// They are not archived.
    private var written: [OpenedFile] = []
    /// The one that was used last is at the end.
    private var used: [OpenedFile] = []
    /// Whether a file had another name, or was gone, when it was opened again.
    var hasMissed = false

    init(_ entryKey: ID128) { self.entryKey = entryKey }

    /// - Parameter isUsed: whether it is likely to be used again, so that another is closed for it.
    /// - Throws: `JournalError` for an error of the system.
    func file(_ path: String, isUsed: Bool = true) throws(JournalError) -> OpenedFile? {
        if let file = written.first(where: { $0.path == path }) { return file }
        if let index = used.lastIndex(where: { $0.path == path }) {
            used.append(used.remove(at: index))
            return used.last
        }
        guard let file = try OpenedFile(path: path, entryKey) else { return nil }
        if !JournalFile.isArchived(path), written.count < Self.mostWritten {
            written.append(file)
        } else if isUsed {
            if used.count == Self.mostUsed { used.removeFirst() }
            used.append(file)
        }
        return file
    }

    /// Returns a file that was found before, if it still has its name.
    func file(_ known: KnownFile, isUsed: Bool) throws(JournalError) -> OpenedFile? {
        let file = try file(known.path, isUsed: isUsed)
        if file?.header.fileID == known.header.fileID { return file }
        hasMissed = true
        return nil
    }
}
