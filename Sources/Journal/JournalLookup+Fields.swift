package import Model

extension JournalLookup: JournalFieldSource {
    package func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let (paths, opened) = (try existing(), OpenedFiles(options.entryKey))
        // journald may rename those that are not archived, which come last, and so stay open.
        let files = try (paths.filter(JournalFile.isArchived) + paths.filter { !JournalFile.isArchived($0) })
            .compactMap { path in try opened.file(path).map { KnownFile(path: path, header: $0.header) } }
        let beginning = Array("\(field)=".utf8)
        let limit = options.maximumFieldBytes + Self.maximumNameBytes
        for (number, place) in places.enumerated() {
            guard isWanted() else { return }
            var failure: (any Error)?
            // First the file that should have its number, then those of its time, since it may have another number now.
            let numbered = files.filter { $0.isNumbered(place.cursor) }
            let others = files.lazy.filter { !$0.isNumbered(place.cursor) && $0.isAtTime(of: place.cursor) }
            func hasEntry(_ file: KnownFile) throws -> Bool {
                try opened.file(file.path)?.find(place, beginning, limit) { value in
                    guard failure == nil else { return }
                    do { try body(number, value) } catch { failure = error }
                } ?? false
            }
            if try !numbered.contains(where: hasEntry) { _ = try others.contains(where: hasEntry) }
            if let failure { throw failure }
        }
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

/// The files that were used last. They stay open, since entries that are looked up together are mostly in the same ones. There may
/// be more files than the process may open.
private final class OpenedFiles {
    private static let most = 64

    private let entryKey: ID128
    /// The one that was used last is at the end.
    private var files: [OpenedFile] = []

    init(_ entryKey: ID128) { self.entryKey = entryKey }

    /// - Throws: `JournalError` for an error of the system.
    func file(_ path: String) throws(JournalError) -> OpenedFile? {
        if let index = files.lastIndex(where: { $0.path == path }) {
            files.append(files.remove(at: index))
        } else {
            guard let file = try OpenedFile(path: path, entryKey) else { return nil }
            if files.count == Self.most { files.removeFirst() }
            files.append(file)
        }
        return files.last
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
