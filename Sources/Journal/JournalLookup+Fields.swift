package import Model

extension JournalLookup: JournalFieldSource {
    package func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let opened = OpenedFiles(options.entryKey)
        var files = try knownFiles(opened)
        let beginning = Array("\(field)=".utf8)
        let limit = options.maximumFieldBytes + Self.maximumNameBytes
        for (number, place) in places.enumerated() {
            guard isWanted() else { return }
            var failure: (any Error)?
            func hasEntry(_ file: KnownFile, isNumbered: Bool) throws -> Bool {
                try opened.file(file, isUsed: isNumbered)?.find(place, beginning, limit) { value in
                    guard failure == nil else { return }
                    do { try body(number, value) } catch { failure = error }
                } ?? false
            }
            // First the file that should have its number, then those of its time, since it may have another number now.
            func isFound() throws -> Bool {
                if try files.contains(where: { file in
                    try file.isNumbered(place.cursor) && hasEntry(file, isNumbered: true)
                }) {
                    return true
                }
                return try files.contains { file in
                    try !file.isNumbered(place.cursor) && file.isAtTime(of: place.cursor)
                        && hasEntry(file, isNumbered: false)
                }
            }
            if try !isFound(), opened.hasMissed {
                opened.hasMissed = false
                files = try knownFiles(opened)
                _ = try isFound()
            }
            if let failure { throw failure }
        }
    }

    /// How often files are listed: journald may rename one between its listing and its opening.
    private static let mostListings = 5

    private func knownFiles(_ opened: OpenedFiles) throws(JournalError) -> [KnownFile] {
        var (files, paths) = ([KnownFile](), try existing())
        for _ in 1..<Self.mostListings {
            files = []
            for path in paths {
                if let file = try opened.file(path) { files.append(KnownFile(path: path, header: file.header)) }
            }
            let now = try existing()
            if now == paths { break }
            paths = now
        }
        return files
    }
}

/// A journal file by what its header says.
private struct KnownFile {
    let path: String
    let header: FileHeader

    func isNumbered(_ cursor: JournalCursor) -> Bool { FileSearch<OpenFile>.isNumbered(cursor, header) }

    func isAtTime(of cursor: JournalCursor) -> Bool {
        header.headRealtimeMicroseconds <= cursor.realtimeMicroseconds
            && cursor.realtimeMicroseconds <= header.tailRealtimeMicroseconds
    }
}

/// Files that stay open, since entries that are looked up together are mostly in the same ones: some that journald writes to and
/// may rename, and those of the others that were used last. There may be more files than the process may open.
private final class OpenedFiles {
    private static let (mostWritten, mostUsed) = (16, 64)

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

/// A journal file that many entries are looked up in. What cannot be read of it, it does not have.
private final class OpenedFile {
    let path: String
    let header: FileHeader
    private let file: OpenFile
    private var search: FileSearch<OpenFile>

    /// - Throws: `JournalError` for an error of the system.
    init?(path: String, _ entryKey: ID128) throws(JournalError) {
        self.path = path
        do throws(FormatError) {
            let file = try OpenFile(path: path)
            do throws(FormatError) {
                (header, self.file) = (try file.header(), file)
                search = FileSearch(file, header, end: try file.size(), entryKey)
            } catch {
                file.close()
                throw error
            }
        } catch {
            try JournalLookup.check(error, of: path)
            return nil
        }
    }

    deinit { file.close() }

    /// - Parameter beginning: the name of the field, and `=`.
    /// - Returns: whether it has the entry.
    func find(
        _ place: EntryPlace, _ beginning: [UInt8], _ limit: Int, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let entry = try? search.entry(place, walks: false) else { return false }
        _ = try? search.forEachField(
            of: entry, limit: limit, isWanted: { $0.withUnsafeBytes { $0.starts(with: beginning) } },
            { field, _ in take(UnsafeRawBufferPointer(rebasing: field.dropFirst(beginning.count))) })
        return true
    }
}
