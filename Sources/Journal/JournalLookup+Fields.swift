package import Model

extension JournalLookup: JournalFieldSource {
    package func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let files = try existing().compactMap { path in try OpenedFile(path: path, options.entryKey) }
        let beginning = Array("\(field)=".utf8)
        let limit = options.maximumFieldBytes + Self.maximumNameBytes
        for (number, place) in places.enumerated() {
            guard isWanted() else { return }
            var failure: (any Error)?
            // First the file that should have its number, then those of its time, since it may have another number now.
            let numbered = files.filter { $0.isNumbered(place.cursor) }
            let others = files.lazy.filter { !$0.isNumbered(place.cursor) && $0.isAtTime(of: place.cursor) }
            func hasEntry(_ file: OpenedFile) -> Bool {
                file.find(place, beginning, limit) { value in
                    guard failure == nil else { return }
                    do { try body(number, value) } catch { failure = error }
                }
            }
            if !numbered.contains(where: hasEntry) { _ = others.contains(where: hasEntry) }
            if let failure { throw failure }
        }
    }
}

/// A journal file that many entries are looked up in. What cannot be read of it, it does not have.
private final class OpenedFile {
    private let file: OpenFile
    private let header: FileHeader
    private var search: FileSearch<OpenFile>

    /// - Throws: `JournalError` for an error of the system.
    init?(path: String, _ entryKey: ID128) throws(JournalError) {
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

    func isNumbered(_ cursor: JournalCursor) -> Bool { FileSearch<OpenFile>.isNumbered(cursor, header) }

    func isAtTime(of cursor: JournalCursor) -> Bool {
        header.headRealtimeMicroseconds <= cursor.realtimeMicroseconds
            && cursor.realtimeMicroseconds <= header.tailRealtimeMicroseconds
    }

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
